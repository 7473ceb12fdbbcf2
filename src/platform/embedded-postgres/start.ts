import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { closeSync, fchmodSync, lchownSync, openSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { totalmem, userInfo } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { CannotStart, reportsFullDisk } from '../processes/cannot-start.ts'
import type { ClusterPaths } from './cluster-paths.ts'
import { findPostmaster, isAnswering, readPidFile, SOCKET_PORT, stopPostmaster, waitBriefly } from './postmaster.ts'
import { hashFolderIdentity, makePrivate, shortTemporaryFolder } from './private-folder.ts'
import { classifyProcess } from './process-identity.ts'
import { commandAs, type SpawnCommand } from './run-as.ts'

export type StartOptions = {
  paths: ClusterPaths
  logFile: string
  settings: Record<string, string>
  say: (line: string) => void
}

const RETRY_FOR_MS = 30_000
const RETRY_AFTER_MS = 100
const SLOW_START_MS = 5000
const UNREACHABLE_MS = 10_000
const MAX_SOCKET_FOLDER_BYTES = 85 // Bytes: macOS allows 104 for the whole path, and the socket's name takes 18.
const LARGE_LOG_BYTES = 10_000_000
const LOG_TAIL = 2000
const LOG_MODE = 0o600
const MEGABYTE = 1024 * 1024
const MIN_SHARED_MB = 128
const MAX_SHARED_MB = 1024
// Complaints that pass: server processes whose postmaster was killed end within moments; until then PostgreSQL refuses to start.
const REFUSED_FOR_NOW = /pre-existing shared memory block|lock file ".*" already exists/

// An acknowledged charge must survive a power cut, so the settings that make commits durable are set here, not left to defaults.
const SETTINGS = {
  listen_addresses: '',
  unix_socket_permissions: '0700',
  max_connections: '400',
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  // The server's own default is 128 MB. Once the pages that payments write to are more than that, each is written out and read in again
  // several times, and a payment costs the server half as much again.
  shared_buffers: `${chooseSharedMegabytes()}MB`,
  // After each checkpoint a page is logged as a whole once more; with 1 GB a busy server makes one every twenty seconds.
  max_wal_size: '4GB',
  // A stream of WAL that nobody takes any more must not fill the disk: beyond this it is given up, which `doctor` and an alert say.
  max_slot_wal_keep_size: '8GB',
  // Detail and context of an error print whole rows, and a statement may hold its values: neither belongs in a file.
  log_error_verbosity: 'terse',
  log_min_error_statement: 'panic',
}

/** Chooses a quarter of the available memory, as PostgreSQL advises, up to a gigabyte. */
function chooseSharedMegabytes(): number {
  const limit = process.constrainedMemory()
  const memory = limit > 0 ? Math.min(limit, totalmem()) : totalmem()
  return Math.min(MAX_SHARED_MB, Math.max(MIN_SHARED_MB, Math.floor(memory / 4 / MEGABYTE)))
}

/** Waits until a server that already runs on the data folder answers, and returns its socket folder; null when none runs, or it ends. */
export async function awaitRunning(cluster: string, say: (line: string) => void): Promise<string | null> {
  const slow = newSlowStartNotice(say)
  const since = performance.now()
  for (;;) {
    const running = findPostmaster(cluster)
    if (running === null) return null
    if (await isAnswering(cluster, running.socketDir)) return running.socketDir
    const isLost = performance.now() - since > UNREACHABLE_MS && isReady(cluster)
    if (isLost) await restartUnreachable(cluster, say)
    slow()
    await waitBriefly()
  }
}

/**
 * Starts the server, waits until it answers and returns its socket folder. Throws CannotStart with the end of its log when it fails. Call
 * under the lock.
 */
export async function startPostmaster(options: StartOptions): Promise<string> {
  const socketDir = makePrivate(chooseSocketFolder(options.paths), options.paths.runAs)
  if (options.paths.runAs.kind === 'account') allowOnlyOwnAccount(options.paths)
  rotateLog(options.logFile)
  const giveUpAt = performance.now() + RETRY_FOR_MS
  for (;;) {
    const complaint = await launch(options, socketDir)
    if (complaint === null) return socketDir
    if (reportsFullDisk(complaint))
      throw new CannotStart(
        `the disk is full: PostgreSQL cannot start in ${options.paths.cluster}; make room and start again (its log is ${options.logFile})`,
      )
    if (!REFUSED_FOR_NOW.test(complaint) || performance.now() > giveUpAt)
      throw new CannotStart(
        `PostgreSQL did not start (its log is ${options.logFile}): ${complaint.slice(-LOG_TAIL).trim()}`,
      )
    await sleep(RETRY_AFTER_MS)
  }
}

// Returns null when the server is up, otherwise what it wrote to its log before it ended.
async function launch(options: StartOptions, socketDir: string): Promise<string | null> {
  const { paths, logFile, say } = options
  const log = openSync(logFile, 'a', LOG_MODE)
  fchmodSync(log, LOG_MODE) // Earlier releases made the log readable for everybody.
  const before = statSync(logFile).size
  const { file, args, options: spawnOptions } = buildCommand(options, socketDir)
  // Detached: its own process group, so Ctrl-C on our program does not reach it.
  const child = spawn(file, args, { ...spawnOptions, detached: true, stdio: ['ignore', log, log] })
  const end = watchExit(child)
  closeSync(log)
  child.unref()
  const slow = newSlowStartNotice(say)
  while (!(await isAnswering(paths.cluster, socketDir))) {
    if (end.text !== null) return `${readFileSync(logFile, 'utf8').slice(before)}\n${end.text}`
    slow()
    await waitBriefly()
  }
  return null
}

function buildCommand({ paths, settings }: StartOptions, socketDir: string): SpawnCommand {
  const serverSettings = {
    ...SETTINGS,
    ...settings,
    unix_socket_directories: `"${socketDir.replaceAll('"', '""')}"`,
    port: SOCKET_PORT,
  }
  const flags = Object.entries(serverSettings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const program = join(paths.binaries.folder, 'bin', 'postgres')
  const command = commandAs(paths.runAs, program, ['-D', paths.cluster, ...flags])
  const env = { ...command.options.env, ...staleProcessEnvironment(paths.cluster) }
  return { ...command, options: { ...command.options, env } }
}

// The process id in a stale postmaster.pid may by now belong to another program of the same account, or to a zombie that is never reaped.
// PostgreSQL then refuses to start for good. With this variable it ignores a process id that is no server; it still checks the shared
// memory, so it finds a server that does run.
function staleProcessEnvironment(cluster: string): Record<string, string> {
  const stale = readPidFile(cluster)
  const isNoServer = stale !== null && ['other', 'gone'].includes(classifyProcess(cluster, stale.pid))
  return isNoServer ? { PG_GRANDPARENT_PID: String(stale.pid) } : {}
}

function watchExit(child: ChildProcess): { text: string | null } {
  const end: { text: string | null } = { text: null }
  child.once('error', (error) => {
    end.text = `${error.message}. Set DATABASE_URL to use a PostgreSQL server of your own.`
  })
  child.once('exit', (code, signal) => {
    end.text = `It ended with ${signal ?? `status ${code}`}.`
  })
  return end
}

function chooseSocketFolder({ home, cluster }: ClusterPaths): string {
  const near = join(home, 'socket')
  if (Buffer.byteLength(near) <= MAX_SOCKET_FOLDER_BYTES) return near
  return join(shortTemporaryFolder(), `gateway-${hashFolderIdentity(cluster)}`)
}

function isReady(cluster: string): boolean {
  return readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n')[7]?.trim() === 'ready'
}

async function restartUnreachable(cluster: string, say: (line: string) => void): Promise<void> {
  say('PostgreSQL runs, but the folder of its socket was removed: it is started anew.')
  if (!(await stopPostmaster(cluster))) throw new CannotStart('PostgreSQL is out of reach and does not stop.')
}

function newSlowStartNotice(say: (line: string) => void): () => void {
  const since = performance.now()
  let isSaid = false
  return () => {
    if (isSaid || performance.now() - since < SLOW_START_MS) return
    isSaid = true
    say('Waiting for PostgreSQL, which is starting, recovering or stopping.')
  }
}

function rotateLog(logFile: string): void {
  const size = statSync(logFile, { throwIfNoEntry: false })?.size ?? 0
  if (size > LARGE_LOG_BYTES) renameSync(logFile, `${logFile}.1`)
}

const MAP = 'gateway'

/**
 * Makes the server accept only connections of our own account, as any of its roles. For a server that runs under another account because
 * ours is root: other processes of that account could enter the folder of the socket, and on a machine without an account `postgres` the
 * server shares `nobody` with strangers. The server asks the kernel which account is at the other end. It reads these files at each start.
 */
function allowOnlyOwnAccount(paths: ClusterPaths): void {
  const own = userInfo().username
  replaceFile(paths, 'pg_ident.conf', `${MAP} "${own}" all\n`)
  replaceFile(paths, 'pg_hba.conf', `local all all peer map=${MAP}\n`)
}

// The folder belongs to that account, which may have put a link under any name. So a new file is written and renamed over it.
function replaceFile({ cluster, runAs }: ClusterPaths, name: string, text: string): void {
  const path = join(cluster, name)
  const unfinished = `${path}.${randomBytes(6).toString('hex')}`
  writeFileSync(unfinished, text, { flag: 'wx', mode: 0o600 })
  lchownSync(unfinished, runAs.owner.uid, runAs.owner.gid)
  renameSync(unfinished, path)
}
