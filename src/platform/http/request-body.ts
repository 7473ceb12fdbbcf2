import type { FastifyRequest } from 'fastify'
import type { TSchema } from 'typebox'
import { parseStrictJson } from '../json.ts'
import { invalidRequest } from '../refusal.ts'
import { readBody } from './read-body.ts'

/**
 * Asked when a body is refused: throws the 409 of a key that was used before, which comes first (contract.md 3 h). Without
 * a key it does nothing. `null` stands for a body that could not even be read: another request than any stored one.
 */
export type RefuseUsedKey = (fingerprint: Buffer | null) => Promise<void>

/** The body as JSON, whatever its Content-Type says; an empty one is `{}`. Throws `invalid request: ...`. */
export async function readRawBody(request: FastifyRequest, refuseUsedKey: RefuseUsedKey): Promise<unknown> {
  try {
    return parseBody(request)
  } catch (error) {
    await refuseUsedKey(null)
    throw error
  }
}

/** The body in the form its schema describes, or undefined where none is looked at. */
export async function readForm(
  schema: TSchema | undefined,
  raw: unknown,
  { fingerprint, refuseUsedKey }: { fingerprint: Buffer | null; refuseUsedKey: RefuseUsedKey },
): Promise<unknown> {
  if (!schema) return undefined
  try {
    return readBody(schema, raw)
  } catch (error) {
    await refuseUsedKey(fingerprint)
    throw error
  }
}

function parseBody(request: FastifyRequest): unknown {
  const { body } = request
  if (request.headers['content-encoding'] !== undefined && request.headers['content-encoding'] !== 'identity')
    throw invalidRequest('compressed bodies are not accepted')
  if (!Buffer.isBuffer(body) || body.length === 0) return {}
  const parsed = parseStrictJson(body)
  if (!parsed.ok) throw invalidRequest(parsed.problem)
  return parsed.value
}
