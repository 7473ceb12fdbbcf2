import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { invalidRequest } from '../platform/refusal.ts'
import { fingerprintInSteps, openBody, parseJsonBody } from './body-content.ts'
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

/**
 * Reads the body of a request; a large one in steps, with other requests between them. Throws `invalid request: ...`, after
 * the 409 of a key that was used before.
 */
export async function readRequestBody(
  request: FastifyRequest,
  declared: Declared,
  { keyed, refuseUsedKey }: Asked,
): Promise<GivenBody> {
  const bytes = Buffer.isBuffer(request.body) ? request.body : NOTHING
  const raw = declared.method === 'POST' ? await readRawBody(request, declared, refuseUsedKey) : undefined
  const { method } = declared
  const fingerprint = keyed
    ? await fingerprintInSteps(bytes, { method, path: pathOf(request), content: raw })
    : null
  return { fingerprint, body: await readForm(declared, raw, () => refuseUsedKey(fingerprint)) }
}

const pathOf = (request: FastifyRequest) =>
  request.url.split('?', 1)[0]?.replace(/\/{2,}/g, '/') ?? request.url

/**
 * The body as JSON, whatever its Content-Type says; an empty one is `{}`. A CsvFile only where the endpoint declares a
 * `rawBody`.
 */
async function readRawBody(
  request: FastifyRequest,
  declared: Declared,
  refuseUsedKey: RefuseUsedKey,
): Promise<unknown> {
  try {
    const bytes = bytesOf(request)
    if (declared.rawBody) return await openBody(bytes, sentContentType(request.raw))
    return bytes.length === 0 ? {} : await parseJsonBody(bytes)
  } catch (error) {
    await refuseUsedKey(null)
    throw error
  }
}

async function readForm(
  { body, rawBody }: Declared,
  raw: unknown,
  refuseUsedKey: () => Promise<void>,
): Promise<unknown> {
  try {
    if (rawBody) return await rawBody.read(raw)
    return body ? readBody(body, raw) : undefined
  } catch (error) {
    await refuseUsedKey()
    throw error
  }
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
