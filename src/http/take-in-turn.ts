import type { Server } from 'node:http'
import { fewATurn, type Listener } from './few-a-turn.ts'
import { oneOfAConnection } from './one-of-a-connection.ts'

/** Limits how requests reach the one listener of this server: one of a connection at a time, and a bounded number in each turn. */
export function takeInTurn(server: Server): Server {
  const [listener] = server.listeners('request') as Listener[]
  if (listener === undefined) return server
  return server.removeListener('request', listener).on('request', oneOfAConnection(fewATurn(listener)))
}
