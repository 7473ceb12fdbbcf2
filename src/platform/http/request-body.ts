import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { invalidRequest } from '../refusal.ts'
import { openBody, parseJsonBody } from './body-content.ts'
import type { Endpoint } from './endpoint.ts'
import { readBody } from './read-body.ts'

/**
 * Asked when a body is refused: throws the 409 of a key that was used before, which comes first (contract.md 3 h). Without
 * a key it does nothing. `null` stands for a body that could not even be read: another request than any stored one.
 */
export type RefuseUsedKey = (fingerprint: Buffer | null) => Promise<void>

type Declared = Pick<Endpoint<never>, 'body' | 'rawBody'>

/**
 * The body as JSON, whatever its Content-Type says; an empty one is `{}`. A CsvFile only where the endpoint declares a
 * `rawBody`. Throws `invalid request: ...`.
 */
export async function readRawBody(
  request: FastifyRequest,
  declared: Declared,
  refuseUsedKey: RefuseUsedKey,
): Promise<unknown> {
  try {
    const bytes = bytesOf(request)
    if (declared.rawBody) return await openBody(bytes, sentContentType(request.raw))
    return bytes.length === 0 ? {} : parseJsonBody(bytes)
  } catch (error) {
    await refuseUsedKey(null)
    throw error
  }
}

/** The body in the form its endpoint describes, or undefined where none is looked at. */
export async function readForm(
  { body, rawBody }: Declared,
  raw: unknown,
  { fingerprint, refuseUsedKey }: { fingerprint: Buffer | null; refuseUsedKey: RefuseUsedKey },
): Promise<unknown> {
  try {
    if (rawBody) return rawBody.read(raw)
    return body ? readBody(body, raw) : undefined
  } catch (error) {
    await refuseUsedKey(fingerprint)
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

/** The Content-Type as it was sent: the frame writes over the parsed one, so that every body is taken in. */
function sentContentType({ rawHeaders }: IncomingMessage): string | undefined {
  const at = rawHeaders.findIndex((name, at) => at % 2 === 0 && name.toLowerCase() === 'content-type')
  return at === -1 ? undefined : rawHeaders[at + 1]
}
