import type { FastifyInstance, FastifyRequest } from 'fastify'
import { closeAfterAnswersUnderWay } from './admission/close-gently.ts'

/**
 * Has this called when nobody waits for the answer of a request any more: its client has left, or the process stops. Returns the function
 * that takes it back.
 */
export type OnEnd = (end: () => void) => () => void

declare module 'fastify' {
  interface FastifyRequest {
    onEnd: OnEnd
  }
}

/** Tells requests that wait for something of their end, so that they hold up no stop of the process. */
export function endWaitingRequests(server: FastifyInstance): void {
  const waiting = new Map<() => void, FastifyRequest>()
  let stopping = false
  server.addHook('preClose', (done) => {
    stopping = true
    for (const [end, { raw }] of [...waiting]) {
      end()
      // Idle connections are closed when the stop begins; this one would be kept for the next request.
      closeAfterAnswersUnderWay(raw.socket)
    }
    done()
  })
  server.decorateRequest('onEnd', function onEnd(this: FastifyRequest, end) {
    const { socket } = this.raw
    waiting.set(end, this)
    socket.once('close', end)
    if (stopping || socket.destroyed) queueMicrotask(end)
    return () => {
      waiting.delete(end)
      socket.removeListener('close', end)
    }
  })
}
