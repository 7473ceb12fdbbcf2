import type { Server } from 'node:http'
import { fewATurn, type Listener } from './few-a-turn.ts'
import { oneOfAConnection } from './one-of-a-connection.ts'

/** Requests reach the one listener of this server one of a connection at a time, and few a turn. Answers the server. */
export function takeInTurn(server: Server): Server {
  const [listener] = server.listeners('request') as Listener[]
  if (listener === undefined) return server
  return server.removeListener('request', listener).on('request', oneOfAConnection(fewATurn(listener)))
}
