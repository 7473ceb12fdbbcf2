import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { invalidRequest } from '../platform/refusal.ts'
import { fingerprintOfBody, openBody, parseJsonBody } from './body-content.ts'
import type { Endpoint } from './endpoint.ts'
import { readBody } from './read-body.ts'

/**
 * Asked when a body is refused: throws the 409 of a key that was used before, which comes first (contract.md 3 h). Without
 * a key it does nothing. `null` stands for a body that could not be read, which differs from every stored one.
 */
export type RefuseUsedKey = (fingerprint: Buffer | null) => Promise<void>

type Declared = Pick<Endpoint<never>, 'method' | 'body' | 'rawBody'>
type Asked = { keyed: boolean; refuseUsedKey: RefuseUsedKey }

/** The body as its endpoint describes it (undefined when the endpoint ignores it), and the fingerprint of the request. */
export type GivenBody = { fingerprint: Buffer | null; body: unknown }

/** What is there at once or, where it takes long, later. A promise for each step would cost every payment more than the step. */
type Soon<T> = T | Promise<T>

/**
 * Reads the body of a request: at once, except a large one, which is read in steps with other requests between them. Throws or rejects with
 * `invalid request: ...`, after the 409 of a key that was used before.
 */
export function readRequestBody(
  request: FastifyRequest,
  declared: Declared,
  { keyed, refuseUsedKey }: Asked,
): Soon<GivenBody> {
  const { method } = declared
  const refuse = (fingerprint: Buffer | null) => async (error: unknown) => {
    await refuseUsedKey(fingerprint)
    throw error
  }
  const raw = refusing(() => (method === 'POST' ? readRawBody(request, declared) : undefined), refuse(null))
  return soon(raw, (content) => {
    const bytes = Buffer.isBuffer(request.body) ? request.body : NOTHING
    const made = keyed ? fingerprintOfBody(bytes, { method, path: pathOf(request), content }) : null
    return soon(made, (fingerprint) =>
      soon(
        refusing(() => readForm(declared, content), refuse(fingerprint)),
        (body) => ({ fingerprint, body }),
      ),
    )
  })
}

const soon = <T, Next>(value: Soon<T>, next: (value: T) => Soon<Next>): Soon<Next> =>
  value instanceof Promise ? value.then(next) : next(value)

/** What `work` answers; what it throws, now or later, goes to `refuse`. */
function refusing<T>(work: () => Soon<T>, refuse: (error: unknown) => Promise<never>): Soon<T> {
  try {
    const value = work()
    return value instanceof Promise ? value.catch(refuse) : value
  } catch (error) {
    return refuse(error)
  }
}

const pathOf = (request: FastifyRequest) =>
  request.url.split('?', 1)[0]?.replace(/\/{2,}/g, '/') ?? request.url

/**
 * The body as JSON, whatever its Content-Type says; an empty one is `{}`. A CsvFile only where the endpoint declares a
 * `rawBody`.
 */
function readRawBody(request: FastifyRequest, declared: Declared): Soon<unknown> {
  const bytes = bytesOf(request)
  if (declared.rawBody) return openBody(bytes, sentContentType(request.raw))
  return bytes.length === 0 ? {} : parseJsonBody(bytes)
}

function readForm({ body, rawBody }: Declared, raw: unknown): Soon<unknown> {
  if (rawBody) return rawBody.read(raw)
  return body ? readBody(body, raw) : undefined
}

const NOTHING = Buffer.alloc(0)

function bytesOf({ body, headers }: FastifyRequest): Buffer {
  const coding = headers['content-encoding']
  if (coding !== undefined && coding !== 'identity')
    throw invalidRequest('compressed bodies are not accepted')
  return Buffer.isBuffer(body) ? body : NOTHING
}

/** The Content-Type as it was sent: the frame overwrites the parsed one, so that every body is accepted. */
export function sentContentType({ rawHeaders }: IncomingMessage): string | undefined {
  const at = rawHeaders.findIndex((name, at) => at % 2 === 0 && name.toLowerCase() === 'content-type')
  return at === -1 ? undefined : rawHeaders[at + 1]
}
