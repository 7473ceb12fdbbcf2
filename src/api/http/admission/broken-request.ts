import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { isLongBody } from '../bodies/long-bodies.ts'
import { closeAfterAnswer, closeAfterAnswersUnderWay, closeGently, isClosing } from './close-gently.ts'

/** Answers what is not HTTP, too large or too slow with a clean 4xx on the raw socket, then closes it. */
export function answerBrokenRequest(error: Error & { code?: string }, socket: Socket): void {
  if (isClosing(socket)) return
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && isLongBody(socket)) return
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  // Complete requests before it get their own answers first: the client would take this answer for theirs.
  if (closeAfterAnswersUnderWay(socket)) return
  const [status, text, message] =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? [431, 'Request Header Fields Too Large', 'invalid request: headers too large']
      : error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
        ? [408, 'Request Timeout', 'invalid request: the request took too long']
        : [400, 'Bad Request', 'invalid request: not a well-formed HTTP request']
  const id = randomUUID()
  const body = JSON.stringify({ error: message, code: 'bad_request', request_id: id })
  socket.write(
    `HTTP/1.1 ${status} ${text}\r\nConnection: close\r\nContent-Type: application/json; charset=utf-8\r\n` +
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
