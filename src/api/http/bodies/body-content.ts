import { createHash, hash } from 'node:crypto'
import { letOthersRun } from '../../../platform/batches/let-others-run.ts'
import { invalidRequest } from '../../../platform/refusal.ts'
import { canonicalJson, writeLargeInSteps } from '../../../platform/text/canonical-json.ts'
import {
  looksLikeJson,
  NOT_JSON,
  parseStrictJson,
  parseStrictJsonInSteps,
  type StrictJsonResult,
} from '../../../platform/text/strict-json.ts'
import { parseMultipartFile } from './multipart.ts'

/** A body that came as CSV: the bytes of the file, without the form around them if there was one. */
export class CsvFile {
  readonly bytes: Buffer

  constructor(bytes: Buffer) {
    this.bytes = bytes
  }
}

/**
 * Parses a body that may come as CSV or as JSON: returns a CsvFile or the parsed value (contract.md G12). An empty body is `{}`,
 * whatever its Content-Type. Throws `invalid request: ...`.
 */
export async function parseJsonOrCsv(raw: Buffer, contentType: string | undefined): Promise<unknown> {
  if (raw.length === 0) return {}
  const type = (contentType ?? '').split(';', 1)[0]?.trim().toLowerCase()
  if (type === 'text/csv' || type === 'text/plain') return new CsvFile(raw)
  if (type === 'multipart/form-data') return new CsvFile(await parseMultipartFile(raw, contentType ?? ''))
  return parseJsonBody(raw, looksLikeJson(raw) ? NOT_JSON : MAYBE_CSV)
}

const MAYBE_CSV = `${NOT_JSON}; is it CSV? then send Content-Type: text/csv`

// Larger bodies are read in steps, with other requests in between.
const LARGE_BODY_BYTES = 64 * 1024

/**
 * Parses a JSON body, without a promise unless it is large. `notJson`: the text for a body that is not JSON. Throws `invalid request:
 * ...`.
 */
export function parseJsonBody(raw: Buffer, notJson: string = NOT_JSON): unknown | Promise<unknown> {
  if (raw.length <= LARGE_BODY_BYTES) return readValue(parseStrictJson(raw), notJson)
  return runInSteps(parseStrictJsonInSteps(raw)).then((parsed) => readValue(parsed, notJson))
}

function readValue(parsed: StrictJsonResult, notJson: string): unknown {
  if (!parsed.ok) throw invalidRequest(parsed.problem === NOT_JSON ? notJson : parsed.problem)
  return parsed.value
}

async function runInSteps<Value>(steps: Generator<void, Value, void>): Promise<Value> {
  let step = steps.next()
  while (!step.done) {
    await letOthersRun()
    step = steps.next()
  }
  return step.value
}

type FingerprintInput = { method: string; path: string; content: unknown }

/** Computes the fingerprint of a request with this body: in steps where it is large, else without a promise. */
export function fingerprintBody(raw: Buffer, { method, path, content }: FingerprintInput): Buffer | Promise<Buffer> {
  if (raw.length <= LARGE_BODY_BYTES) return fingerprintContent(method, path, content)
  return fingerprintInSteps({ method, path, content })
}

async function fingerprintInSteps({ method, path, content }: FingerprintInput): Promise<Buffer> {
  await letOthersRun()
  if (content instanceof CsvFile) return fingerprintContent(method, path, content)
  const largeTexts = await runInSteps(writeLargeInSteps(content))
  await letOthersRun()
  const text = canonicalJson(content, largeTexts)
  await letOthersRun()
  const fingerprint = fingerprintText(method, path, text)
  await letOthersRun()
  return fingerprint
}

/**
 * Computes the fingerprint of a request with this content. A CSV counts by its very bytes (contract.md 3 n), those of the file alone,
 * because the boundary of the form differs in every repeat.
 */
export function fingerprintContent(method: string, path: string, content: unknown): Buffer {
  if (!(content instanceof CsvFile)) return fingerprintRequest(method, path, content)
  return createHash('sha256').update(`${method} ${path}\ncsv\n`).update(content.bytes).digest()
}

/** Computes what makes two requests the same: over method, path and canonical body; an empty body counts as `{}` (contract.md 3 n). */
export function fingerprintRequest(method: string, path: string, body: unknown): Buffer {
  return fingerprintText(method, path, canonicalJson(body ?? {}))
}

/** Computes the fingerprint from the canonical text of the body. */
function fingerprintText(method: string, path: string, text: string): Buffer {
  // By way of a text: a digest that comes as a Buffer has memory of its own, which the collector must count and free.
  return Buffer.from(hash('sha256', `${method} ${path}\n${text}`, 'binary'), 'binary')
}
