import { createHash } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import type { Entry, StatusHow, SubmitHow } from './operator.ts'

/** An answer of the operator on the wire. */
type Wire = { status: number; body: object } | 'reset' | 'garbage' | 'nothing'

const SUBMIT_ANSWERS: Record<SubmitHow['answer'], Wire> = {
  accept: { status: 202, body: {} },
  'had it': { status: 409, body: { code: 'RESOURCE_ALREADY_EXIST' } },
  refuse: { status: 400, body: { code: 'PAYER_NOT_ALLOWED' } },
  'refuse to serve': { status: 503, body: { code: 'NOT_TAKEN' } },
  'bar the account': { status: 403, body: { code: 'ACCOUNT_BARRED' } },
  error: { status: 500, body: { code: 'INTERNAL_PROCESSING_ERROR' } },
  garbage: 'garbage',
  'reset early': 'reset',
  'reset late': 'reset',
  silence: 'nothing',
}
const OUTCOMES = { open: 'PENDING', moved: 'SUCCESSFUL', refused: 'FAILED' } as const
const ABSENT = { status: 404, body: { code: 'RESOURCE_NOT_FOUND' } }
const TOLD = { pending: 'PENDING', succeeded: 'SUCCESSFUL', failed: 'FAILED', unknown: 'IN_REVIEW' } as const

/** The operator's own number of the movement that we call so: like an operator's, each is given once. */
export const transactionOf = (reference: string): string =>
  String(createHash('sha256').update(reference).digest().readUIntBE(0, 6))

export function submitAnswer({ answer, code }: SubmitHow): Wire {
  const wire = SUBMIT_ANSWERS[answer]
  return typeof wire === 'object' && code !== undefined ? { ...wire, body: { code } } : wire
}

export function questionAnswer({ answer, code, says }: StatusHow, entry: Entry | undefined): Wire {
  const told = { ...entry, ...says }
  const tell = (status: string, reason?: string): Wire => ({
    status: 200,
    body: { transaction: transactionOf(told.reference ?? ''), ...told, status, reason },
  })
  if (answer === 'garbage' || answer === 'reset' || answer === 'silence' || answer === 'error')
    return faultAnswer(answer)
  if (answer === 'not found') return ABSENT
  if (answer === 'book') return entry ? tell(OUTCOMES[entry.state], entry.code) : ABSENT
  return tell(TOLD[answer], answer === 'failed' ? (code ?? 'NOT_ENOUGH_FUNDS') : undefined)
}

export function faultAnswer(answer: 'garbage' | 'reset' | 'silence' | 'error'): Wire {
  if (answer === 'error') return SUBMIT_ANSWERS.error
  return answer === 'silence' ? 'nothing' : answer
}

export function send(response: ServerResponse, wire: Wire): void {
  if (wire === 'reset') response.socket?.resetAndDestroy()
  else if (wire === 'garbage') response.socket?.end('HTTP/1.1 2x2 nothing that anybody can read\r\n\r\n')
  else if (wire !== 'nothing')
    response.writeHead(wire.status, { 'content-type': 'application/json' }).end(JSON.stringify(wire.body))
}
