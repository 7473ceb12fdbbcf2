import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Takes the requests of a server. */
export type RequestListener = (request: IncomingMessage, response: ServerResponse) => void

// A refused request costs some 0.1 ms, so a turn of the event loop takes 25 ms at most. Normal load never brings as many at once.
const MAX_REQUESTS_PER_TURN = 256

/**
 * Passes on at most `most` requests in each turn of the event loop; the others wait for the next turns, in the order of their arrival.
 * Otherwise a flood on thousands of connections, most of it refused, makes turns of half a second, and each commit needs several
 * turns: accepted requests would starve behind refused ones (reliability.md 6.2).
 */
export function limitPerTurn(listener: RequestListener, most = MAX_REQUESTS_PER_TURN): RequestListener {
  const waiting: Parameters<RequestListener>[] = []
  let passedThisTurn = 0
  const pass: RequestListener = (request, response) => {
    if (passedThisTurn === 0) setImmediate(nextTurn)
    passedThisTurn += 1
    listener(request, response)
  }
  const nextTurn = () => {
    passedThisTurn = 0
    // The request of a client that has hung up meanwhile is not begun.
    for (const [request, response] of waiting.splice(0, most)) if (!request.destroyed) pass(request, response)
    if (passedThisTurn === 0 && waiting.length > 0) setImmediate(nextTurn)
  }
  return (request, response) => {
    if (passedThisTurn < most && waiting.length === 0) pass(request, response)
    else waiting.push([request, response])
  }
}

/** Limits how requests reach the one listener of this server: one of a connection at a time, and a bounded number in each turn. */
export function limitListener(server: Server): Server {
  const [listener] = server.listeners('request') as RequestListener[]
  if (listener === undefined) return server
  return server.removeListener('request', listener).on('request', queuePerConnection(limitPerTurn(listener)))
}

// Far more than clients send without waiting for answers, and not much memory.
const MAX_WAITING_PER_CONNECTION = 32

/**
 * Passes on the requests of a connection one after the other: each when the one before it has been answered, which is when its own answer
 * may be sent. A client may send requests without waiting for answers (pipelining). Node would begin all that it reads, a thousand and
 * more in one piece, and read on: one connection filled the memory, and the requests of all others waited behind its own. A connection on
 * which more than `most` requests wait is closed.
 */
function queuePerConnection(listener: RequestListener, most = MAX_WAITING_PER_CONNECTION): RequestListener {
  const waitingOf = new WeakMap<Socket, number>()
  return (request, response) => {
    const { socket } = request
    // Node gives an answer its socket once the answers before it are sent.
    if (response.socket !== null) return listener(request, response)
    if (socket.destroyed) return
    const waiting = (waitingOf.get(socket) ?? 0) + 1
    if (waiting > most) return void socket.destroy()
    waitingOf.set(socket, waiting)
    response.once('socket', () => {
      waitingOf.set(socket, (waitingOf.get(socket) ?? 1) - 1)
      listener(request, response)
    })
  }
}
