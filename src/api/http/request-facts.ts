import type { FastifyRequest } from 'fastify'
import type { TimeSpent } from '../../platform/log/spent.ts'
import type { Answer } from './answer.ts'
import type { AdmittedRequest } from './frame.ts'

declare module 'fastify' {
  interface FastifyRequest {
    passed: AdmittedRequest | null
    objectId: string | null
    outcome: 'new' | 'replay' | null
    code: string | null
    errorText: string | null
    /** The length of an answer that the framework did not send. */
    bytesOut: number | null
    spent: TimeSpent | null
  }
}

/** The facts noted about a request on its way; each is null until it is known. */
export const REQUEST_FACTS = ['passed', 'objectId', 'outcome', 'code', 'errorText', 'bytesOut', 'spent'] as const

/** Notes code and text of a refusal that is answered from the bytes stored under its key. */
export function noteStoredRefusal(request: FastifyRequest, { body }: Answer): void {
  const { code, error } = JSON.parse(body) as { code?: string; error?: string } // Written by writeErrorBody, or by the endpoint.
  request.code = code ?? null
  request.errorText = error ?? null
}
