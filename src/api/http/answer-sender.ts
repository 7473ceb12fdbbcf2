import type { FastifyReply } from 'fastify'
import type { Clock } from '../../platform/time/clock.ts'
import type { Answer } from './answer.ts'
import { sendStream } from './bodies/stream-sender.ts'
import { buildCallerHeaders } from './caller-headers.ts'
import { API_HEADERS } from './secure-headers.ts'

export type SendAnswer = (
  requestId: string,
  reply: FastifyReply,
  answer: Answer & { retryAfterSeconds?: number | null },
) => FastifyReply | Promise<FastifyReply>

const IDEMPOTENCY_STATUS = { new: 'new', replay: 'replayed' } as const

/**
 * Makes the function that sends the final bytes of an answer. Its headers are prepared once and bypass the framework, which would
 * handle a dozen headers one by one for every request.
 */
export function newAnswerSender(secure: Record<string, string>, clock: Clock): SendAnswer {
  const prepared = Object.entries({ ...secure, ...API_HEADERS }).flat()
  return (requestId, reply, { status, body, replayed, stream, retryAfterSeconds }) => {
    const { request } = reply
    const told = buildCallerHeaders(clock, request, status)
    if (stream) {
      const headers = { ...secure, ...API_HEADERS, ...stream.headers, ...told, 'X-Request-ID': requestId }
      return sendStream(reply, { status, headers, stream })
    }
    const { raw } = reply
    reply.hijack()
    const length = Buffer.byteLength(body)
    request.bytesOut = length
    const headers = [...prepared, 'X-Request-ID', requestId, 'Content-Length', String(length)]
    for (const name in told) headers.push(name, told[name] as string)
    if (request.outcome !== null) headers.push('Idempotency-Status', IDEMPOTENCY_STATUS[request.outcome])
    if (replayed) headers.push('Idempotent-Replayed', 'true')
    if (retryAfterSeconds) headers.push('Retry-After', String(retryAfterSeconds))
    // Set by the server while it stops.
    const connection = raw.getHeader('connection')
    if (connection !== undefined) headers.push('Connection', String(connection))
    raw.writeHead(status, headers)
    raw.end(body)
    return reply
  }
}
