import type { Server } from 'node:http'
import { queuePerConnection } from './one-per-connection.ts'
import { limitPerTurn, type RequestListener } from './requests-per-turn.ts'

/** Limits how requests reach the one listener of this server: one of a connection at a time, and a bounded number in each turn. */
export function limitListener(server: Server): Server {
  const [listener] = server.listeners('request') as RequestListener[]
  if (listener === undefined) return server
  return server.removeListener('request', listener).on('request', queuePerConnection(limitPerTurn(listener)))
}
