import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSecureContext, TLSSocket } from 'node:tls'
import type { TestDatabase } from './test-database.ts'

/** The database of a test over TCP with TLS. `authority`: a file with the certificate that signed the server's, which is for `localhost`. */
export type TlsFront = { port: number; authority: string; close(): Promise<void> }

export const HAS_OPENSSL = spawnSync('openssl', ['version'], { stdio: 'ignore' }).status === 0

/** Answers as a server of PostgreSQL with `ssl = on` does, and passes on what it hears to the server of this database. */
export async function openTlsFront({ url }: TestDatabase): Promise<TlsFront> {
  const folder = mkdtempSync(join(tmpdir(), 'tls-front-'))
  const [key, authority] = [join(folder, 'key'), join(folder, 'ca.crt')]
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
  const made = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-keyout', key, '-out', authority]
  execFileSync('openssl', [...made, ...subject], { stdio: 'ignore' })
  const secureContext = createSecureContext({ key: readFileSync(key), cert: readFileSync(authority) })
  const socketPath = `${new URL(url).searchParams.get('host')}/.s.PGSQL.5432`
  const sockets = new Set<Socket>()
  const server = createServer((plain) => {
    sockets.add(plain)
    plain.on('error', () => {}).on('close', () => sockets.delete(plain))
    // What comes first asks for TLS.
    plain.once('data', () => {
      plain.write('S')
      const client = new TLSSocket(plain, { isServer: true, secureContext })
      const database = connect(socketPath)
      client.on('error', () => database.destroy()).pipe(database)
      database.on('error', () => client.destroy()).pipe(client)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  return {
    port: (server.address() as AddressInfo).port,
    authority,
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve))
      for (const socket of sockets) socket.destroy()
      await closed
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
