import type { IncomingMessage } from 'node:http'
import { assert } from '../../platform/assert.ts'
import { bodyTooLarge, invalidRequest, Refusal } from '../../platform/refusal.ts'

/** Turns Fastify's own refusals into refusals in the contract's words; returns any other error as it is. */
export function translateFrameworkError(error: unknown): unknown {
  if (error instanceof Refusal) return error
  const { code, statusCode = 500 } = error as { code?: string; statusCode?: number }
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return bodyTooLarge()
  if (code === 'FST_ERR_BAD_URL') return new Refusal(404, 'not_found', 'not found')
  if (code === 'FST_ERR_MAX_PARAM_LENGTH' || code === 'FST_ERR_MAX_LIMIT')
    return new Refusal(404, 'not_found', 'not found')
  if (code === 'FST_ERR_CTP_INVALID_CONTENT_LENGTH')
    return invalidRequest('body is shorter or longer than its Content-Length')
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return invalidRequest('body is not valid JSON')
  // A rule that an update of the framework may bring: what it calls the caller's mistake is not ours.
  if (code?.startsWith('FST_ERR_') && statusCode < 500) return invalidRequest('it cannot be read')
  return error
}

const MAX_HEADERS = 100

/** Returns the refusal of these headers (too many, or no Host where HTTP/1.1 demands one), or undefined. */
export function findHeadersRefusal(request: IncomingMessage): Refusal | undefined {
  if (request.rawHeaders.length > 2 * MAX_HEADERS)
    return new Refusal(431, 'bad_request', 'invalid request: too many headers')
  if (request.httpVersion === '1.1' && request.headers.host === undefined) return invalidRequest('Host header required')
  return undefined
}

// Fastify asks for a compiler when a route has a schema of its own, and ours have none.
const unwanted = () => assert(false, 'no route is declared with a schema for Fastify') as never

/**
 * Switches Fastify's schema compilers off: endpoints check requests and write answers themselves. By default Fastify loads two compilers
 * and a validator at every start, a tenth of its time, and would use none of them.
 */
export const NO_COMPILERS = { buildValidator: unwanted, buildSerializer: unwanted }
