import { isUtf8 } from 'node:buffer'
import { invalidRequest } from '../../../platform/refusal.ts'

/** What the first bytes of a file say about it. */
export type FileKind = 'text' | 'utf-16le' | 'utf-16be' | 'zip' | 'old workbook' | 'pdf' | 'picture'

const STARTS: readonly (readonly [start: string, kind: FileKind])[] = [
  ['fffe', 'utf-16le'],
  ['feff', 'utf-16be'],
  ['504b0304', 'zip'],
  ['d0cf11e0a1b11ae1', 'old workbook'],
  ['25504446', 'pdf'],
  ['89504e47', 'picture'],
  ['ffd8ff', 'picture'],
]
const START_BYTES = 8
const SAVE_AS = 'save it as "CSV UTF-8" and send that'

/** Tells what kind of file this is by its first bytes. */
export function findFileKind(bytes: Buffer): FileKind {
  const start = bytes.toString('hex', 0, START_BYTES)
  return STARTS.find(([known]) => start.startsWith(known))?.[1] ?? 'text'
}

/** Refuses bytes that are no CSV in UTF-8, and says what they are. Throws `invalid request: ...`. */
export function requireUtf8(bytes: Buffer): void {
  const kind = findFileKind(bytes)
  if (kind === 'zip') throw invalidRequest(`this is an Excel workbook (.xlsx), not CSV; ${SAVE_AS}`)
  if (kind === 'old workbook') throw invalidRequest(`this is an Excel workbook (.xls), not CSV; ${SAVE_AS}`)
  if (kind === 'utf-16le' || kind === 'utf-16be')
    throw invalidRequest(`CSV is UTF-16, which Excel calls Unicode text, not UTF-8; ${SAVE_AS}`)
  if (!isUtf8(bytes)) throw invalidRequest(`CSV is not valid UTF-8, perhaps it is Windows-1252; ${SAVE_AS}`)
}
