import { detectPictureKind, remakePicture } from '../../platform/processes/picture.ts'

export type DocumentType = 'application/pdf' | 'image/jpeg' | 'image/png'
/** An accepted file. `preview` is a WebP redrawn from the pixels of a picture; null for a PDF, because no parser of ours opens one. */
type DocumentFile = { type: DocumentType; bytes: Buffer; preview: Buffer | null }

/** The largest accepted file (reliability.md A79). */
export const MAX_DOCUMENT_BYTES = 10 * 1024 * 1024

const PREVIEW_SIDE = 1600
const PREVIEW_QUALITY = 75
const MAX_NAME_CHARACTERS = 100
const PDF = /^%PDF-(?:1\.[0-7]|2\.0)[\r\n\s]/
const PDF_END = /startxref\s+[0-9]{1,10}\s+%%EOF[\s\0]*$/
const PDF_HEAD_BYTES = 16
const PDF_TAIL_BYTES = 1024
// The last chunk of a PNG, with its checksum.
const PNG_END = Buffer.from('0000000049454e44ae426082', 'hex')

/** Recognises a whole PDF, JPEG or PNG by its content, whatever its name. Null for everything else. */
export async function parseDocumentFile(file: Buffer): Promise<DocumentFile | null> {
  if (file.length > MAX_DOCUMENT_BYTES) return null
  if (isPdf(file)) return { type: 'application/pdf', bytes: file, preview: null }
  const kind = detectPictureKind(file)
  if (kind !== 'jpeg' && kind !== 'png') return null
  // Refuses bytes after the end of a PNG: they belong to another file.
  if (kind === 'png' && !file.subarray(-PNG_END.length).equals(PNG_END)) return null
  const size = { width: PREVIEW_SIDE, height: PREVIEW_SIDE }
  const preview = await remakePicture(file, { ...size, fit: 'inside', quality: PREVIEW_QUALITY })
  return preview && { type: `image/${kind}`, bytes: file, preview }
}

/** Recognises a PDF by its first and last lines. No parser runs on it (reliability.md A79). */
function isPdf(file: Buffer): boolean {
  const head = file.subarray(0, PDF_HEAD_BYTES).toString('latin1')
  const tail = file.subarray(-PDF_TAIL_BYTES).toString('latin1')
  return PDF.test(head) && PDF_END.test(tail)
}

// Control and format characters, lone surrogates, and characters that separate folders or begin an option.
const FORBIDDEN_CHARACTERS = /[\p{C}\p{Zl}\p{Zp}<>"'`|*?:;$&%\\/]+/gu

/** Cleans the name of an uploaded file for showing: its last part, without misleading characters. It never names a file of ours. */
export function cleanName(name: string): string {
  const last = name.split(/[\\/]/).at(-1) ?? ''
  const clean = last
    .replace(FORBIDDEN_CHARACTERS, ' ')
    .replace(/\s+/g, ' ')
    .replace(/^[\s.-]+/, '')
    .trim()
  return [...clean].slice(0, MAX_NAME_CHARACTERS).join('').trim() || 'document'
}
