import type { Socket } from 'node:net'
import type { RequestListener } from './requests-per-turn.ts'

// Far more than clients send without waiting for answers, and not much memory.
const MAX_WAITING_PER_CONNECTION = 32

/**
 * Passes on the requests of a connection one after the other: each when the one before it has been answered, which is when its own answer
 * may be sent. A client may send requests without waiting for answers (pipelining). Node would begin all that it reads, a thousand and
 * more in one piece, and read on: one connection filled the memory, and the requests of all others waited behind its own. A connection on
 * which more than `most` requests wait is closed.
 */
export function queuePerConnection(listener: RequestListener, most = MAX_WAITING_PER_CONNECTION): RequestListener {
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
