import { connect, createServer, type Server } from 'node:net'
import { freePort } from '../helpers/service/free-port.ts'

/** What a pooler does with what a connection asks for at its start. */
export type PoolerManner = 'refuses' | 'drops'
export type Pooler = { port: number; close(): Promise<void> }

const OPTIONS = Buffer.from('options\0')

/** Stands before the socket of a server, as PgBouncer does, as far as the first message of a connection goes. */
export async function startPooler(socketPath: string, manner: PoolerManner): Promise<Pooler> {
  const port = await freePort()
  const server = createServer((client) => {
    client.on('error', () => client.destroy())
    client.once('data', (startup) => {
      if (manner === 'refuses' && startup.includes(OPTIONS)) return void client.end(refusal())
      const behind = connect(socketPath)
      behind.on('error', () => client.destroy())
      client.on('close', () => behind.destroy())
      behind.write(withoutOptions(startup))
      client.pipe(behind).pipe(client)
    })
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return { port, close: () => closed(server) }
}

const closed = (server: Server) => new Promise<void>((resolve) => server.close(() => resolve()))

/** The startup message without its `options`: names and values, each ended by a zero byte. */
function withoutOptions(startup: Buffer): Buffer {
  const at = startup.indexOf(OPTIONS)
  if (at === -1) return startup
  const end = startup.indexOf(0, at + OPTIONS.length) + 1
  const rest = Buffer.concat([startup.subarray(0, at), startup.subarray(end)])
  rest.writeInt32BE(rest.length)
  return rest
}

/** As PgBouncer answers. */
function refusal(): Buffer {
  const fields = ['SFATAL', 'C08P01', 'Munsupported startup parameter: options']
  const body = Buffer.from(`${fields.map((field) => `${field}\0`).join('')}\0`)
  const head = Buffer.alloc(5)
  head.write('E')
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}
