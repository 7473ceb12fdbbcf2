import type { IncomingMessage, ServerResponse } from 'node:http'

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
