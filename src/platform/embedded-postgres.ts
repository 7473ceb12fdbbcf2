import { chmodSync, existsSync, mkdirSync, realpathSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { assert } from './assert.ts'
import { prepareCluster, SUPERUSER } from './embedded-postgres/cluster.ts'
import { chooseClusterPaths, findClusterFolder, writePointer } from './embedded-postgres/cluster-paths.ts'
import { hasParticipants, registerParticipant, withFolderLock } from './embedded-postgres/folder-lock.ts'
import { readPidFile, SOCKET_PORT, stopPostmaster } from './embedded-postgres/postmaster.ts'
import { runsAsRoot } from './embedded-postgres/run-as.ts'
import { awaitRunning, startPostmaster } from './embedded-postgres/start.ts'

/** A running embedded PostgreSQL that this process has joined. */
export type EmbeddedServer = {
  /** The folder of its unix socket; it accepts no other connections. */
  socketDir: string
  port: number
  user: string
  /**
   * The connection URL of one of its databases over the unix socket, for node `pg` and for PostgreSQL's own tools; as the superuser
   * unless another user is named.
   */
  url(database: string, user?: string): string
  /** The postmaster's process id. */
  pid: number
  /** Whether this call started it; otherwise it ran already. */
  startedHere: boolean
  /** Ends this process's use of the server. The last process to leave stops it. A second call does nothing. */
  leave(): Promise<void>
}

type JoinOptions = {
  /** All files are below this folder; it is made when missing. */
  dataDir: string
  /** Receives lines for the person at the terminal. */
  say: (line: string) => void
  /** PostgreSQL settings for a server that this call starts. */
  settings?: Record<string, string>
  /** Tests switch this off, to see what happens where the kernel forbids user namespaces. */
  namespaces?: boolean
}

type Folders = { dataDir: string; users: string; lock: string; logFile: string }

/**
 * Joins the embedded PostgreSQL of a data folder, starting or first creating it when needed: a real server, durable, reachable over a
 * unix socket only. It survives the death of the process that started it, and the next process re-uses it. Throws CannotStart, whose text
 * says what to do.
 */
export async function joinEmbeddedPostgres(options: JoinOptions): Promise<EmbeddedServer> {
  const folders = makeFolders(options.dataDir)
  return await withFolderLock(folders.lock, async () => {
    const unregister = registerParticipant(folders.users)
    try {
      return await joinUnderLock(options, folders, unregister)
    } catch (error) {
      unregister()
      throw error
    }
  })
}

async function joinUnderLock(options: JoinOptions, folders: Folders, unregister: () => void): Promise<EmbeddedServer> {
  const { dataDir } = folders
  const running = await awaitRunning(findClusterFolder(dataDir), options.say)
  const socketDir = running ?? (await startServer(options, folders))
  const file = readPidFile(findClusterFolder(dataDir))
  assert(file !== null, 'a server that answers has written its postmaster.pid')
  const leaveNow = () => leaveServer(options, folders, unregister)
  return describeServer({ socketDir, pid: file.pid, startedHere: running === null }, leaveNow)
}

async function startServer(options: JoinOptions, folders: Folders): Promise<string> {
  const { say, settings = {}, namespaces = true } = options
  const paths = chooseClusterPaths({ dataDir: folders.dataDir, say, namespaces })
  await prepareCluster(paths, say)
  writePointer(folders.dataDir, paths)
  return await startPostmaster({ paths, logFile: folders.logFile, settings, say })
}

type JoinedServer = { socketDir: string; pid: number; startedHere: boolean }

function describeServer(server: JoinedServer, leave: () => Promise<void>): EmbeddedServer {
  const address = `host=${encodeURIComponent(server.socketDir)}&port=${SOCKET_PORT}`
  return {
    ...server,
    port: SOCKET_PORT,
    user: SUPERUSER,
    url: (database, user = SUPERUSER) =>
      `postgresql:///${encodeURIComponent(database)}?${address}&user=${encodeURIComponent(user)}`,
    leave,
  }
}

async function leaveServer(options: JoinOptions, folders: Folders, unregister: () => void): Promise<void> {
  if (!existsSync(folders.users)) return // The whole data folder was removed.
  await withFolderLock(folders.lock, async () => {
    unregister()
    if (hasParticipants(folders.users)) return
    const stopped = await stopPostmaster(findClusterFolder(folders.dataDir))
    if (!stopped) options.say('PostgreSQL is still stopping; it ends by itself, and the next start waits for it.')
  })
}

function makeFolders(path: string): Folders {
  const isNew = mkdirSync(resolve(path), { recursive: true }) !== undefined
  // One folder may be written in several ways, and every process must use the same one.
  const dataDir = realpathSync(resolve(path))
  // Under root, PostgreSQL's account must be able to enter this folder; its own subfolder is closed to everybody else.
  if (isNew) chmodSync(dataDir, runsAsRoot() ? 0o711 : 0o700)
  return {
    dataDir,
    users: join(dataDir, 'users'),
    lock: join(dataDir, 'locks'),
    logFile: join(dataDir, 'postgres.log'),
  }
}
