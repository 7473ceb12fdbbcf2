import type { Server } from 'node:http'
import { limitPerTurn, type RequestListener } from './few-a-turn.ts'
import { queuePerConnection } from './one-of-a-connection.ts'

/** Limits how requests reach the one listener of this server: one of a connection at a time, and a bounded number in each turn. */
export function limitListener(server: Server): Server {
  const [listener] = server.listeners('request') as RequestListener[]
  if (listener === undefined) return server
  return server.removeListener('request', listener).on('request', queuePerConnection(limitPerTurn(listener)))
}
