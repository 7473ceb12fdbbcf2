import { Readable } from 'node:stream'
import { Busboy, type BusboyInstance } from '@fastify/busboy'
import { letOthersRun } from '../../../platform/batches/let-others-run.ts'
import { invalidRequest } from '../../../platform/refusal.ts'

// A form with one file has a handful of parts. Each part costs the parser a stream, and 4 MiB of boundaries would block the
// process for seconds. So the form is fed in slices and reading stops once there are too many parts. A slice has room for
// some hundred parts; other requests run after a few slices.
const MAX_PARTS = 20
const SLICE_BYTES = 4 * 1024
const BYTES_BETWEEN_PAUSES = 16 * SLICE_BYTES
const FORM_LIMITS = { parts: MAX_PARTS, fieldSize: 16 * 1024, headerPairs: 20, headerSize: 8 * 1024 }

const NOT_ONE_FILE = 'multipart body must hold exactly one file'

/** A file of a form. The name is whatever the sender wrote. */
export type FormFile = { name: string; bytes: Buffer }

/**
 * Returns the bytes of the one file of a form, under any field name; other fields are ignored. A text field named `file` counts as the
 * file, because some clients send a file without a file name. Throws `invalid request: ...`.
 */
export async function parseMultipartFile(raw: Buffer, contentType: string): Promise<Buffer> {
  const { file, fields, isDoubled } = await parseParts(raw, contentType, raw.length)
  if (file !== null) return file.bytes
  if (fields.file === undefined || isDoubled) throw invalidRequest(NOT_ONE_FILE)
  return Buffer.from(fields.file)
}

/**
 * Returns the fields of a form as text, and its file, null if it has none. Throws `invalid request: ...` for a second file, too many
 * parts, a field that came twice or is too long, and what is no form.
 */
export async function parseMultipartForm(
  raw: Buffer,
  contentType: string,
): Promise<{ fields: Record<string, string>; file: FormFile | null }> {
  const { fields, file, isCut, isDoubled } = await parseParts(raw, contentType)
  if (isDoubled) throw invalidRequest('multipart body has a field twice')
  if (isCut) throw invalidRequest('multipart body has a field that is too long')
  return { fields, file }
}

type FormParts = { fields: Record<string, string>; file: FormFile | null; isCut: boolean; isDoubled: boolean }

async function parseParts(raw: Buffer, contentType: string, fieldSize = FORM_LIMITS.fieldSize): Promise<FormParts> {
  const form = openForm(contentType, fieldSize)
  const source = Readable.from(sliceBody(raw))
  return new Promise((resolve, reject) => {
    const files: { name: string; chunks: Buffer[] }[] = []
    const fields: Record<string, string> = Object.create(null)
    const refuse = (problem: string) => {
      source.unpipe(form)
      source.destroy()
      reject(invalidRequest(problem))
    }
    let isCut = false
    let isDoubled = false
    form.on('field', (name, value, _nameCut, valueCut) => {
      isCut ||= valueCut
      isDoubled ||= name in fields
      fields[name] ??= value
    })
    form.on('file', (_name, file, name: string | undefined) => {
      const chunks: Buffer[] = []
      if (files.push({ name: name ?? '', chunks }) > 1) refuse(NOT_ONE_FILE)
      // An error of the file is reported by the form as well.
      file.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', () => {})
    })
    form.on('partsLimit', () => refuse('multipart body has too many parts'))
    form.on('error', () => refuse('multipart body is malformed or cut short'))
    form.on('finish', () => resolve({ fields, file: toFormFile(files[0]), isCut, isDoubled }))
    source.pipe(form)
  })
}

const toFormFile = (file: { name: string; chunks: Buffer[] } | undefined): FormFile | null =>
  file === undefined ? null : { name: file.name, bytes: Buffer.concat(file.chunks) }

function openForm(contentType: string, fieldSize: number): BusboyInstance {
  try {
    return new Busboy({ headers: { 'content-type': contentType }, limits: { ...FORM_LIMITS, fieldSize } })
  } catch {
    throw invalidRequest('multipart body has no boundary in its Content-Type')
  }
}

async function* sliceBody(raw: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < raw.length; at += SLICE_BYTES) {
    if (at > 0 && at % BYTES_BETWEEN_PAUSES === 0) await letOthersRun()
    yield raw.subarray(at, at + SLICE_BYTES)
  }
}
