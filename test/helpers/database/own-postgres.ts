import { execFileSync } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../service/free-port.ts'

// Servers of PostgreSQL 15, where Debian's package is installed: the embedded one comes without what copies a server.
const BIN = '/usr/lib/postgresql/15/bin'
const SUPERUSER = 'postgres'
const NOBODY = 65_534

/** Whether a primary with a standby can be made here. */
export const HAS_STANDBYS = existsSync(join(BIN, 'pg_basebackup'))

/** A primary and a standby that follows it synchronously. */
export type Pair = {
  /** The ports of the primary and of the standby. */
  ports: { primary: number; standby: number }
  urlOf(port: number, database: string): string
  /** Every process of the primary stands still, as if its host did; `wake` lets them go on. */
  freezePrimary(): { wake(): void }
  freezeStandby(): { wake(): void }
  /** Makes the standby the primary. */
  promote(): void
  end(): void
}

const owner: { uid?: number; gid?: number } = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}

function run(program: string, words: readonly string[]): string {
  // Without a terminal's handles, which a server that is started would keep open.
  const stdio = ['ignore', 'pipe', 'ignore'] as const
  return execFileSync(join(BIN, program), words, {
    ...owner,
    stdio: [...stdio],
    encoding: 'utf8',
    cwd: tmpdir(),
  })
}

export async function startPair(): Promise<Pair> {
  const folder = mkdtempSync(join(tmpdir(), 'own-postgres-'))
  if (process.getuid?.() === 0) chownSync(folder, NOBODY, NOBODY)
  const [one, other] = [join(folder, 'one'), join(folder, 'other')]
  const ports = { primary: await freePort(), standby: await freePort() }
  run('initdb', ['-D', one, '-U', SUPERUSER, '-A', 'trust', '-E', 'UTF8', '--no-sync'])
  start(one, ports.primary)
  run('pg_basebackup', ['-D', other, '-R', '-U', SUPERUSER, '-h', '127.0.0.1', '-p', `${ports.primary}`, '--no-sync'])
  start(other, ports.standby)
  psql(ports.primary, `alter system set synchronous_standby_names = '*'`, 'select pg_reload_conf()')
  return {
    ports,
    urlOf: (port, database) => `postgresql://${SUPERUSER}@127.0.0.1:${port}/${database}`,
    freezePrimary: () => freeze(ports.primary),
    freezeStandby: () => freeze(ports.standby),
    promote: () => void run('pg_ctl', ['promote', '-w', '-D', other]),
    end: () => {
      for (const data of [other, one]) stop(data)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function freeze(port: number): { wake(): void } {
  const stopped = familyOf(port)
  for (const pid of stopped) process.kill(pid, 'SIGSTOP')
  return { wake: () => signal(stopped, 'SIGCONT') }
}

/** Not durable: it is frozen and never killed. */
function start(data: string, port: number): void {
  const settings = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off -c max_connections=100`
  run('pg_ctl', ['start', '-w', '-D', data, '-l', join(data, 'log'), '-o', settings])
}

function stop(data: string): void {
  try {
    run('pg_ctl', ['stop', '-m', 'immediate', '-D', data])
  } catch {
    // It has ended already.
  }
}

const psql = (port: number, ...statements: string[]) =>
  run('psql', [
    ...['-h', '127.0.0.1', '-p', `${port}`, '-U', SUPERUSER, '-d', 'postgres', '-q'],
    ...statements.flatMap((statement) => ['-c', statement]),
  ])

/** The server that listens on this port, with its backends: the server first, so that it makes no more of them. */
function familyOf(port: number): number[] {
  const words = ['-f', `postgres .*-p ${port}`]
  const [server] = execFileSync('pgrep', words, { encoding: 'utf8' }).split('\n').filter(Boolean).map(Number)
  if (server === undefined) throw new Error(`no server on ${port}`)
  return [server, ...childrenOf(server)]
}

/** The processes that this server has started. */
export function childrenOf(server: number): number[] {
  return execFileSync('pgrep', ['-P', `${server}`], { encoding: 'utf8' })
    .split('\n')
    .filter(Boolean)
    .map(Number)
}

/** To each of these that still runs. */
export function signal(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids)
    try {
      process.kill(pid, name)
    } catch {
      // It has ended.
    }
}

/** An address that leads to one server and later to another: connections that are open stay with the one that they have reached. */
export async function switchingAddress(first: number) {
  let to = first
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const database = connect(to, '127.0.0.1')
    for (const [side, peer] of [
      [client, database],
      [database, client],
    ] as const) {
      sockets.add(side)
      side.pipe(peer)
      side.on('error', () => peer.destroy()).on('close', () => sockets.delete(side))
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  return {
    port: (server.address() as AddressInfo).port,
    leadTo: (port: number) => {
      to = port
    },
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve))
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}
