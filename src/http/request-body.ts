import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { invalidRequest } from '../platform/refusal.ts'
import type { Soon } from '../platform/soon.ts'
import { fingerprintOfBody, openBody, parseJsonBody } from './body-content.ts'
import type { Endpoint } from './endpoint.ts'
import { isObject, readBody } from './read-body.ts'

/**
 * Called when a body is refused: throws the 409 of a key that was used before, which takes precedence (contract.md 3 h). Without a key it
 * does nothing. A null fingerprint stands for a body that could not be read, which differs from every stored one.
 */
export type RefuseUsedKey = (fingerprint: Buffer | null) => Promise<void>

type Declared = Pick<Endpoint<never>, 'method' | 'body' | 'bodyMayBeMissing' | 'rawBody'>
type Asked = { keyed: boolean; refuseUsedKey: RefuseUsedKey }

/**
 * The body parsed by its endpoint's schema (undefined when the endpoint ignores it), and the fingerprint of the request, null without a
 * key.
 */
export type GivenBody = { fingerprint: Buffer | null; body: unknown }

/**
 * Parses the body of a request: without a promise, except a large one, which is parsed in steps with other requests between them. Throws or
 * rejects with `invalid request: ...`, unless the key was used before: then with the 409.
 */
export function readRequestBody(
  request: FastifyRequest,
  declared: Declared,
  keyCheck: Asked,
): Soon<GivenBody> {
  let content: Soon<unknown>
  try {
    content = declared.method === 'POST' ? readRawBody(request, declared) : undefined
  } catch (error) {
    return refused(keyCheck, { fingerprint: null, error })
  }
  // No closures where the content is at hand: every payment comes through here.
  if (content instanceof Promise)
    return content.then(
      (parsed) => withContent(request, declared, { keyCheck, content: parsed }),
      (error) => refused(keyCheck, { fingerprint: null, error }),
    )
  return withContent(request, declared, { keyCheck, content })
}

function withContent(
  request: FastifyRequest,
  declared: Declared,
  { keyCheck, content }: { keyCheck: Asked; content: unknown },
): Soon<GivenBody> {
  if (!keyCheck.keyed) return withForm(declared, keyCheck, { fingerprint: null, content })
  const bytes = Buffer.isBuffer(request.body) ? request.body : NOTHING
  const computed = fingerprintOfBody(bytes, { method: declared.method, path: pathOf(request), content })
  if (computed instanceof Promise)
    return computed.then((fingerprint) => withForm(declared, keyCheck, { fingerprint, content }))
  return withForm(declared, keyCheck, { fingerprint: computed, content })
}

function withForm(
  declared: Declared,
  keyCheck: Asked,
  { fingerprint, content }: { fingerprint: Buffer | null; content: unknown },
): Soon<GivenBody> {
  let body: Soon<unknown>
  try {
    body = readForm(declared, content)
  } catch (error) {
    return refused(keyCheck, { fingerprint, error })
  }
  if (body instanceof Promise)
    return body.then(
      (parsed) => ({ fingerprint, body: parsed }),
      (error) => refused(keyCheck, { fingerprint, error }),
    )
  return { fingerprint, body }
}

async function refused(
  { refuseUsedKey }: Asked,
  { fingerprint, error }: { fingerprint: Buffer | null; error: unknown },
): Promise<never> {
  await refuseUsedKey(fingerprint)
  throw error
}

const pathOf = (request: FastifyRequest) =>
  request.url.split('?', 1)[0]?.replace(/\/{2,}/g, '/') ?? request.url

/**
 * Parses the body as JSON, whatever its Content-Type says; an empty one is `{}`. Returns a CsvFile only where the endpoint declares
 * a `rawBody`.
 */
function readRawBody(request: FastifyRequest, declared: Declared): Soon<unknown> {
  const bytes = bytesOf(request)
  if (declared.rawBody) return openBody(bytes, sentContentType(request.raw))
  return bytes.length === 0 ? {} : parseJsonBody(bytes)
}

function readForm({ body, bodyMayBeMissing, rawBody }: Declared, raw: unknown): Soon<unknown> {
  if (rawBody) return rawBody.read(raw)
  if (body && bodyMayBeMissing && !isObject(raw)) return readBody(body, {})
  return body ? readBody(body, raw) : undefined
}

const NOTHING = Buffer.alloc(0)

function bytesOf({ body, headers }: FastifyRequest): Buffer {
  const coding = headers['content-encoding']
  if (coding !== undefined && coding !== 'identity')
    throw invalidRequest('compressed bodies are not accepted')
  return Buffer.isBuffer(body) ? body : NOTHING
}

/** Returns the Content-Type as it was sent: the frame overwrites the parsed one, so that every body is accepted. */
export function sentContentType({ rawHeaders }: IncomingMessage): string | undefined {
  const at = rawHeaders.findIndex((name, at) => at % 2 === 0 && name.toLowerCase() === 'content-type')
  return at === -1 ? undefined : rawHeaders[at + 1]
}
