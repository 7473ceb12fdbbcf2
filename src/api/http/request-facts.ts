import type { FastifyRequest } from 'fastify'
import type { TimeSpent } from '../../platform/log/spent.ts'
import type { Answer } from './answer.ts'
import type { AdmittedRequest } from './frame.ts'

declare module 'fastify' {
  interface FastifyRequest {
    passed: AdmittedRequest | null
    objectId: string | null
    outcome: 'new' | 'replay' | null
    /** The names that its endpoint does not know, as one text. */
    ignored: string | null
    code: string | null
    errorText: string | null
    /** The length of an answer that the framework did not send. */
    bytesOut: number | null
    spent: TimeSpent | null
  }
}

/** The facts noted about a request on its way; each is null until it is known. */
export const REQUEST_FACTS = [
  'passed',
  'objectId',
  'outcome',
  'ignored',
  'code',
  'errorText',
  'bytesOut',
  'spent',
] as const

/** Gives a request that the framework refused before any hook, and which it made bare, the facts of every request. */
export const withoutFacts = (request: FastifyRequest): FastifyRequest =>
  Object.assign(request, Object.fromEntries(REQUEST_FACTS.map((fact) => [fact, null])))

/** Notes code and text of a refusal that is answered from the bytes stored under its key. */
export function noteStoredRefusal(request: FastifyRequest, { body }: Answer): void {
  const { code, error } = JSON.parse(body) as { code?: string; error?: string } // Written by writeErrorBody, or by the endpoint.
  request.code = code ?? null
  request.errorText = error ?? null
}

// `https://host` before the path, as a proxy may be asked (RFC 9112 3.2.2).
const ORIGIN = /^[A-Za-z][A-Za-z0-9+.-]*:\/\/[^/?#]*/
// The one letter of our own paths that programs and chats write as an escape, although it means nothing else (RFC 3986 3.3).
const ESCAPED_AT = /%40/g

/**
 * Normalizes the target of a request once, for everything behind: a path from its slash on, with `@` as itself (`/pay/%40handle` becomes
 * `/pay/@handle`). The query stays as it came.
 */
export function normalizeTarget(url: string): string {
  const local = url.startsWith('/') ? url : url.replace(ORIGIN, '')
  if (local.startsWith('/') && !local.includes('%40')) return local
  const [path = '', ...query] = local.split('?')
  return [(path.startsWith('/') ? path : `/${path}`).replace(ESCAPED_AT, '@'), ...query].join('?')
}
