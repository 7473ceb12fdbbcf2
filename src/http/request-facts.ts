import type { FastifyRequest } from 'fastify'
import type { Spent } from '../platform/spent.ts'
import type { Answer } from './caller.ts'
import type { Passed } from './frame.ts'

declare module 'fastify' {
  interface FastifyRequest {
    passed: Passed | null
    objectId: string | null
    outcome: 'new' | 'replay' | null
    code: string | null
    errorText: string | null
    /** Of an answer that the framework did not send. */
    bytesOut: number | null
    spent: Spent | null
  }
}

/** What is noted about a request on its way; null until it is known. */
export const REQUEST_FACTS = [
  'passed',
  'objectId',
  'outcome',
  'code',
  'errorText',
  'bytesOut',
  'spent',
] as const

/** A refusal that is kept under a key is answered from its stored bytes. */
export function keepRefusal(request: FastifyRequest, { body }: Answer): void {
  const { code, error } = JSON.parse(body) as { code?: string; error?: string } // errorBody wrote it, or the endpoint.
  request.code = code ?? null
  request.errorText = error ?? null
}
