import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import type { TestContext } from 'node:test'
import { createServer as createTlsServer, type TlsOptions } from 'node:tls'
import type { PostAttempt } from '../../../src/platform/outbound/attempt.ts'

/** The body of every request to it: the request is complete when its last byte arrives. */
export const BODY = '{"id":"evt_1"}'

type Receiver = { port: number; connections: number; requests: string[]; sockets: Socket[] }
export type Reply = string | ((socket: Socket) => void)

/** A real server on 127.0.0.1 that speaks raw bytes and counts what reaches it. */
export async function receiver(t: TestContext, reply: Reply, secure?: TlsOptions): Promise<Receiver> {
  const seen: Receiver = { port: 0, connections: 0, requests: [], sockets: [] }
  const serve = (socket: Socket) => {
    let text = ''
    socket.on('data', (bytes) => {
      text += bytes
      if (!text.endsWith(BODY)) return
      seen.requests.push(text)
      text = ''
      if (typeof reply === 'string') socket.write(reply)
      else reply(socket)
    })
  }
  const server: Server = secure ? createTlsServer(secure, serve) : createServer(serve)
  server.on('connection', (socket: Socket) => {
    seen.connections += 1
    seen.sockets.push(socket.on('error', () => {}))
  })
  server.on('tlsClientError', () => {}).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.close()
    for (const socket of seen.sockets) socket.destroy()
  })
  seen.port = (server.address() as { port: number }).port
  return seen
}

/** Resolves when the socket is closed; unlike `once`, it accepts a reset by the other side. */
export function closing(socket: Socket): Promise<void> {
  return new Promise((resolve) => (socket.closed ? resolve() : socket.once('close', () => resolve())))
}

/** An attempt as text, without its duration. */
export function told(attempted: PostAttempt): string {
  if (attempted.kind === 'refused_target') return `refused: ${attempted.why}`
  const what = attempted.kind === 'answered' ? 'answered' : attempted.error
  return attempted.status === null ? what : `${what} ${attempted.status}`
}
