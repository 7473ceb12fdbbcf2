import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { invalidRequest, type Refusal, unavailable } from '../../../platform/refusal.ts'
import { isLongBody } from '../bodies/long-bodies.ts'
import { closeAfterAnswer, closeAfterAnswersUnderWay, closeGently, isClosing } from './close-gently.ts'
import type { OwnDelay } from './own-delay.ts'

/**
 * Answers what is not HTTP, too large or too slow with a clean 4xx on the raw socket, then closes it. Where this process stood still itself,
 * what it did not read in time may have come in time: then the client is told to come again, and not that it was slow.
 */
export function answerBrokenRequest(error: Error & { code?: string }, socket: Socket, { wasLate }: OwnDelay): void {
  if (isClosing(socket)) return
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && isLongBody(socket)) return
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  // Complete requests before it get their own answers first: the client would take this answer for theirs.
  if (closeAfterAnswersUnderWay(socket)) return
  if (error.code === 'HPE_HEADER_OVERFLOW')
    refuse(socket, '431 Request Header Fields Too Large', invalidRequest('headers too large'))
  else if (error.code !== 'ERR_HTTP_REQUEST_TIMEOUT')
    refuse(socket, '400 Bad Request', invalidRequest('not a well-formed HTTP request'))
  else if (wasLate()) refuse(socket, '503 Service Unavailable', unavailable())
  else refuse(socket, '408 Request Timeout', invalidRequest('the request took too long'))
}

function refuse(socket: Socket, status: string, { message: error, code, retryAfterSeconds }: Refusal): void {
  const id = randomUUID()
  const body = JSON.stringify({ error, code, request_id: id })
  const retry = retryAfterSeconds === null ? '' : `Retry-After: ${retryAfterSeconds}\r\n`
  socket.write(
    `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Type: application/json; charset=utf-8\r\n${retry}` +
      `X-Request-ID: ${id}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
  closeGently(socket)
}

/** Refuses an `Expect` header with anything but 100-continue. */
export function answerExpectation(request: IncomingMessage, response: ServerResponse): void {
  closeAfterAnswer(request)
  const id = randomUUID()
  const body = JSON.stringify({
    error: 'invalid request: expectation not supported',
    code: 'bad_request',
    request_id: id,
  })
  response.writeHead(417, {
    Connection: 'close',
    'Content-Type': 'application/json; charset=utf-8',
    'X-Request-ID': id,
    'Content-Length': Buffer.byteLength(body),
  })
  response.end(body)
}
