import type { IncomingMessage, ServerResponse } from 'node:http'

/** Takes the requests of a server. */
export type Listener = (request: IncomingMessage, response: ServerResponse) => void

// What is refused costs some 0.1 ms, so a turn of the event loop takes 25 ms at most. Normal load never brings as many at once.
const MOST_A_TURN = 256

/**
 * Hands on a bounded number of requests in each turn of the event loop; more wait for the next turns, in the order of their arrival.
 * Otherwise a flood on thousands of connections, most of it refused, makes turns of half a second, and each commit needs several
 * turns: what was accepted would starve behind what is refused (reliability.md 6.2).
 */
export function fewATurn(listener: Listener, most = MOST_A_TURN): Listener {
  const waiting: Parameters<Listener>[] = []
  let taken = 0
  const take: Listener = (request, response) => {
    if (taken === 0) setImmediate(nextTurn)
    taken += 1
    listener(request, response)
  }
  const nextTurn = () => {
    taken = 0
    // Nothing was begun for a client that has gone meanwhile.
    for (const [request, response] of waiting.splice(0, most)) if (!request.destroyed) take(request, response)
    if (taken === 0 && waiting.length > 0) setImmediate(nextTurn)
  }
  return (request, response) => {
    if (taken < most && waiting.length === 0) take(request, response)
    else waiting.push([request, response])
  }
}
