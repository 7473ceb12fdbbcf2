import { existsSync, readFileSync, rmdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { SUPERUSER } from './cluster.ts'
import { isOwnedBy, shortTemporaryFolder } from './private-folder.ts'
import { classifyProcess, signalIfThere } from './process-identity.ts'

/** What a server wrote about itself when it started. The server may be long dead. */
type PidFile = { pid: number; socketDir: string }

export const SOCKET_PORT = 5432 // Only part of the socket's name: every data folder has a folder of its own for its socket.
const POLL_EVERY_MS = 4
const CONNECT_TIMEOUT_MS = 2000
const STOP_TIMEOUT_MS = 10_000
const STARTING_UP = '57P03'

/** Reads `postmaster.pid`; null when there is none or it is half written. We never write or delete that file. */
export function readPidFile(cluster: string): PidFile | null {
  let lines: string[]
  try {
    lines = readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n')
  } catch {
    return null
  }
  const pid = Number(lines[0])
  const socketDir = lines[4] ?? ''
  return pid > 1 && socketDir.startsWith('/') ? { pid, socketDir } : null
}

/** Finds the running server of that data folder, also while it starts or stops; null when none runs. */
export function findPostmaster(cluster: string): PidFile | null {
  const file = readPidFile(cluster)
  return file && classifyProcess(cluster, file.pid) === 'postgres' ? file : null
}

/** Whether a server answers on the socket; also when it answers that it has no free connection. */
export async function isAnswering(cluster: string, socketDir: string): Promise<boolean> {
  // After the temporary folder was emptied, a stranger could put a server of their own where ours had its socket.
  if (!existsSync(join(socketDir, `.s.PGSQL.${SOCKET_PORT}`))) return false
  if (!isOwnedBy(socketDir, statSync(cluster).uid)) return false
  const client = new pg.Client({
    host: socketDir,
    port: SOCKET_PORT,
    user: SUPERUSER,
    database: 'postgres',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  })
  client.on('error', () => {}) // It may be stopped while we ask; the question is then answered by `connect`.
  try {
    await client.connect()
    return true
  } catch (error) {
    return error instanceof pg.DatabaseError && error.code !== STARTING_UP
  } finally {
    await client.end().catch(() => {})
  }
}

/** Waits a few ms before the next check. */
export function waitBriefly(): Promise<void> {
  return sleep(POLL_EVERY_MS)
}

/**
 * Stops the server of that data folder: open transactions are rolled back, everything is flushed. Waits up to 10 s. Returns false when it
 * still runs after that.
 */
export async function stopPostmaster(cluster: string): Promise<boolean> {
  const running = findPostmaster(cluster)
  if (running === null) return true
  signalIfThere(running.pid, 'SIGINT')
  const giveUpAt = performance.now() + STOP_TIMEOUT_MS
  while (classifyProcess(cluster, running.pid) === 'postgres') {
    if (performance.now() > giveUpAt) return false
    await waitBriefly()
  }
  removeTemporaryFolder(running.socketDir)
  return true
}

function removeTemporaryFolder(socketDir: string): void {
  if (!socketDir.startsWith(join(shortTemporaryFolder(), 'gateway-'))) return
  try {
    rmdirSync(socketDir)
  } catch {} // Not empty or gone: nothing depends on it.
}
