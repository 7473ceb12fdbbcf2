import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'

// Closing a connection with unread bytes resets it, and a reset discards the answer that the other side has not read yet.
// So what still arrives is read and dropped for a while: up to twice the largest body that is accepted.
const MAX_DROPPED_BYTES = 8 * 1024 * 1024
const MAX_CLOSING_MS = 5000
const CHECK_EVERY_MS = 50
// Longer than a connection may be idle (server.ts): then each has had its next answer, or has been closed as on any day.
const RETIRE_WITHIN_MS = 70_000

const closing = new WeakSet<Socket>()

/** Whether the last answer of this connection has been given. Requests that still arrive on it are not processed. */
export const isClosing = (socket: Socket): boolean => closing.has(socket)

/**
 * Sends nothing more, lets the other side read the answer, and frees the descriptor within seconds, whatever the other side
 * does.
 */
export function closeGently(socket: Socket): void {
  if (closing.has(socket)) return
  closing.add(socket)
  socket.end()
  const { bytesRead } = socket
  const startedAt = performance.now()
  const timer = setInterval(() => {
    if (socket.bytesRead - bytesRead > MAX_DROPPED_BYTES || performance.now() - startedAt > MAX_CLOSING_MS)
      socket.destroy()
  }, CHECK_EVERY_MS)
  socket.once('close', () => clearInterval(timer))
}

// A socket with the answer that Node is sending on it; Node's own documentation of `clientError` reads this field.
type AnsweringSocket = Socket & { _httpMessage?: ServerResponse | null }

/**
 * If complete requests are still being answered, lets their answers go out and then closes; whatever else arrives is not
 * processed. False if there are none.
 */
export function closeAfterAnswersUnderWay(socket: Socket): boolean {
  const answer = (socket as AnsweringSocket)._httpMessage
  if (!answer?.req.complete) return false
  closing.add(socket)
  answer.once('close', () => {
    if (closeAfterAnswersUnderWay(socket)) return
    closing.delete(socket)
    closeGently(socket)
  })
  return true
}

/** Ends the connection with this answer, although the request may not have arrived in full. */
export function closeAfterReply({ raw }: FastifyRequest, reply: FastifyReply): void {
  reply.header('Connection', 'close')
  closeAfterAnswer(raw)
}

/** To be called before an answer with `Connection: close` is sent. */
export function closeAfterAnswer(request: IncomingMessage): void {
  if (request.complete) return
  const { socket } = request
  // Node would destroy the connection as soon as the last byte of the answer is out.
  socket.destroySoon = () => {
    request.resume()
    closeGently(socket)
  }
}

/**
 * Takes no new connections, which other processes get, and answers each further request on an open one with `Connection: close`. Resolves
 * when no connection is left. None is closed under a request that is just being sent: closing idle ones at once, as the HTTP server's own
 * `close` does, would do that.
 */
export async function retireServer(server: Server): Promise<void> {
  server.prependListener('request', (_request, response: ServerResponse) => {
    response.shouldKeepAlive = false
  })
  let late: NodeJS.Timeout | undefined
  await Promise.race([
    new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve())),
    new Promise<void>((resolve) => {
      late = setTimeout(resolve, RETIRE_WITHIN_MS)
    }),
  ])
  clearTimeout(late)
}
