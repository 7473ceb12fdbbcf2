import { createHash } from 'node:crypto'
import { fingerprintOf } from '../idempotency/keys.ts'
import { parseStrictJson } from '../json.ts'
import { invalidRequest } from '../refusal.ts'
import { readMultipartFile } from './multipart.ts'

/** A body that came as CSV: its bytes, taken out of the form that they may have come in. */
export class CsvFile {
  readonly bytes: Buffer

  constructor(bytes: Buffer) {
    this.bytes = bytes
  }
}

/**
 * What a body holds where JSON is not the only way to send it: a CsvFile, or the parsed value (contract.md G12). Nothing at
 * all is `{}`, whatever it calls itself. Throws `invalid request: ...`.
 */
export async function openBody(raw: Buffer, contentType: string | undefined): Promise<unknown> {
  if (raw.length === 0) return {}
  const type = (contentType ?? '').split(';', 1)[0]?.trim().toLowerCase()
  if (type === 'text/csv' || type === 'text/plain') return new CsvFile(raw)
  if (type === 'multipart/form-data') return new CsvFile(await readMultipartFile(raw, contentType ?? ''))
  return parseJsonBody(raw)
}

export function parseJsonBody(raw: Buffer): unknown {
  const parsed = parseStrictJson(raw)
  if (!parsed.ok) throw invalidRequest(parsed.problem)
  return parsed.value
}

/**
 * What makes two requests the same: for a CSV its very bytes (contract.md 3 n), those of the file alone, because the
 * boundary of a form is another one in every repeat.
 */
export function fingerprintOfContent(method: string, path: string, content: unknown): Buffer {
  if (!(content instanceof CsvFile)) return fingerprintOf(method, path, content)
  return createHash('sha256').update(`${method} ${path}\ncsv\n`).update(content.bytes).digest()
}
