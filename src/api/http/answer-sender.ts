import type { FastifyReply } from 'fastify'
import type { Answer } from './answer.ts'
import { sendStream } from './bodies/stream-sender.ts'
import { API_HEADERS } from './secure-headers.ts'

export type SendAnswer = (
  requestId: string,
  reply: FastifyReply,
  answer: Answer & { retryAfterSeconds?: number | null },
) => FastifyReply | Promise<FastifyReply>

/**
 * Makes the function that sends the final bytes of an answer. Its headers are prepared once and bypass the framework, which would
 * handle a dozen headers one by one for every request.
 */
export function newAnswerSender(secure: Record<string, string>): SendAnswer {
  const prepared = Object.entries({ ...secure, ...API_HEADERS }).flat()
  return (requestId, reply, { status, body, replayed, stream, retryAfterSeconds }) => {
    if (stream) {
      const headers = { ...secure, ...API_HEADERS, ...stream.headers, 'X-Request-ID': requestId }
      return sendStream(reply, { status, headers, stream })
    }
    const { raw } = reply
    reply.hijack()
    const length = Buffer.byteLength(body)
    reply.request.bytesOut = length
    const headers = [...prepared, 'X-Request-ID', requestId, 'Content-Length', String(length)]
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
