import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import type { MaybePromise } from '../../../platform/batches/maybe-promise.ts'
import { invalidRequest } from '../../../platform/refusal.ts'
import type { Endpoint } from '../endpoint.ts'
import { noteIgnoredMembers } from '../ignored-parameters.ts'
import { fingerprintBody, parseJsonBody, parseJsonOrCsv } from './body-content.ts'
import { isJsonObject, parseBody } from './parse-body.ts'

/**
 * Called when a body is refused: throws the 409 of a key that was used before, which takes precedence (contract.md 3 h). Without a key it
 * does nothing. A null fingerprint stands for a body that could not be read, which differs from every stored one.
 */
export type RefuseUsedKey = (fingerprint: Buffer | null) => Promise<void>

type BodyRules = Pick<Endpoint<never>, 'method' | 'body' | 'bodyMayBeMissing' | 'rawBody'>
type KeyCheck = { keyed: boolean; refuseUsedKey: RefuseUsedKey }

/**
 * The body parsed by its endpoint's schema (undefined when the endpoint ignores it), and the fingerprint of the request, null without a
 * key.
 */
export type ParsedBody = { fingerprint: Buffer | null; body: unknown }

/**
 * Parses the body of a request: without a promise, except a large one, which is parsed in steps with other requests between them. Throws or
 * rejects with `invalid request: ...`, unless the key was used before: then with the 409.
 */
export function parseRequestBody(
  request: FastifyRequest,
  declared: BodyRules,
  keyCheck: KeyCheck,
): MaybePromise<ParsedBody> {
  let content: MaybePromise<unknown>
  try {
    content = declared.method === 'POST' ? parseRawBody(request, declared) : undefined
  } catch (error) {
    return refuseAfterKeyCheck(keyCheck, { fingerprint: null, error })
  }
  // No closures where the content is at hand: every payment comes through here.
  if (content instanceof Promise)
    return content.then(
      (parsed) => addFingerprint(request, declared, { keyCheck, content: parsed }),
      (error) => refuseAfterKeyCheck(keyCheck, { fingerprint: null, error }),
    )
  return addFingerprint(request, declared, { keyCheck, content })
}

function addFingerprint(
  request: FastifyRequest,
  declared: BodyRules,
  { keyCheck, content }: { keyCheck: KeyCheck; content: unknown },
): MaybePromise<ParsedBody> {
  noteIgnoredMembers(request, declared, content)
  if (!keyCheck.keyed) return applyRules(declared, keyCheck, { fingerprint: null, content })
  const bytes = Buffer.isBuffer(request.body) ? request.body : NO_BYTES
  const computed = fingerprintBody(bytes, { method: declared.method, path: requestPath(request), content })
  if (computed instanceof Promise)
    return computed.then((fingerprint) => applyRules(declared, keyCheck, { fingerprint, content }))
  return applyRules(declared, keyCheck, { fingerprint: computed, content })
}

function applyRules(
  declared: BodyRules,
  keyCheck: KeyCheck,
  { fingerprint, content }: { fingerprint: Buffer | null; content: unknown },
): MaybePromise<ParsedBody> {
  let body: MaybePromise<unknown>
  try {
    body = parseBySchema(declared, content)
  } catch (error) {
    return refuseAfterKeyCheck(keyCheck, { fingerprint, error })
  }
  if (body instanceof Promise)
    return body.then(
      (parsed) => ({ fingerprint, body: parsed }),
      (error) => refuseAfterKeyCheck(keyCheck, { fingerprint, error }),
    )
  return { fingerprint, body }
}

async function refuseAfterKeyCheck(
  { refuseUsedKey }: KeyCheck,
  { fingerprint, error }: { fingerprint: Buffer | null; error: unknown },
): Promise<never> {
  await refuseUsedKey(fingerprint)
  throw error
}

const requestPath = (request: FastifyRequest) => request.url.split('?', 1)[0]?.replace(/\/{2,}/g, '/') ?? request.url

/**
 * Parses the body as JSON, whatever its Content-Type says; an empty one is `{}`. Returns a CsvFile only where the endpoint declares
 * a `rawBody`.
 */
function parseRawBody(request: FastifyRequest, declared: BodyRules): MaybePromise<unknown> {
  const bytes = bodyBytes(request)
  if (declared.rawBody) return parseJsonOrCsv(bytes, sentContentType(request.raw))
  return bytes.length === 0 ? {} : parseJsonBody(bytes)
}

function parseBySchema({ body, bodyMayBeMissing, rawBody }: BodyRules, raw: unknown): MaybePromise<unknown> {
  if (rawBody) return rawBody.read(raw)
  if (body && bodyMayBeMissing && !isJsonObject(raw)) return parseBody(body, {})
  return body ? parseBody(body, raw) : undefined
}

const NO_BYTES = Buffer.alloc(0)

function bodyBytes({ body, headers }: FastifyRequest): Buffer {
  const coding = headers['content-encoding']
  if (coding !== undefined && coding !== 'identity') throw invalidRequest('compressed bodies are not accepted')
  return Buffer.isBuffer(body) ? body : NO_BYTES
}

/** Returns the Content-Type as it was sent: the frame overwrites the parsed one, so that every body is accepted. */
export function sentContentType({ rawHeaders }: IncomingMessage): string | undefined {
  const at = rawHeaders.findIndex((name, at) => at % 2 === 0 && name.toLowerCase() === 'content-type')
  return at === -1 ? undefined : rawHeaders[at + 1]
}
