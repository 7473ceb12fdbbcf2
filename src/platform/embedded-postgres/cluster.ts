import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import {
  chmodSync,
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { userInfo } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { CannotStart, reportsFullDisk } from '../processes/cannot-start.ts'
import { type Binaries, copyBinaries } from './binaries.ts'
import { type ClusterPaths, isCluster } from './cluster-paths.ts'
import { handOver, makePrivate, shortTemporaryFolder } from './private-folder.ts'
import { canRun, commandAs } from './run-as.ts'

/** The server's superuser. It has no password, because the folder of the socket keeps others out. */
export const SUPERUSER = 'postgres'

const INITDB = ['-U', SUPERUSER, '-A', 'trust', '-E', 'UTF8', '--data-checksums', '--no-instructions']
// Characters that mean nothing between the double quotes which initdb writes around its path.
const SAFE_IN_SHELL = /^[^"$`\\!\n\r]+$/
const LOCALE = ['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C']

/**
 * Makes the PostgreSQL data folder when there is none. It is made under another name and renamed when it is finished and flushed, so a kill
 * at any moment leaves either nothing or all of it. Call under the lock.
 */
export async function prepareCluster(paths: ClusterPaths, say: (line: string) => void): Promise<void> {
  if (isCluster(paths.cluster)) {
    checkVersion(paths)
    handOver(paths.cluster, paths.runAs)
    return
  }
  say(`Setting up PostgreSQL ${parseMajorVersion(paths)} in ${paths.cluster} (first start only).`)
  removeUnfinished(paths.cluster)
  const unfinished = `${paths.cluster}.new-${randomBytes(4).toString('hex')}`
  makePrivate(unfinished, paths.runAs)
  await initialise(paths, unfinished)
  renameSync(unfinished, paths.cluster)
  flushFolder(dirname(paths.cluster))
}

async function initialise(paths: ClusterPaths, folder: string): Promise<void> {
  requirePasswdEntry(paths)
  const { binaries, remove } = binariesForShell(paths)
  try {
    await runInitdb(paths, join(binaries.folder, 'bin', 'initdb'), folder)
  } finally {
    remove()
  }
}

/**
 * initdb starts the server through a shell and quotes only the spaces of its own path. Binaries under a path with other special characters
 * are copied to a temporary folder for this one call.
 */
function binariesForShell({ binaries, runAs }: ClusterPaths): { binaries: Binaries; remove(): void } {
  if (SAFE_IN_SHELL.test(binaries.folder)) return { binaries, remove: () => {} }
  for (const parent of new Set([shortTemporaryFolder(), '/tmp', '/var/tmp', '/var/lib'])) {
    const folder = join(parent, `gateway-initdb-${randomBytes(6).toString('hex')}`)
    const remove = () => rmSync(folder, { recursive: true, force: true })
    try {
      mkdirSync(folder, { mode: 0o755 })
      chmodSync(folder, 0o755)
      const copied = copyBinaries(binaries, folder)
      if (SAFE_IN_SHELL.test(folder) && canRun(runAs, join(copied.folder, 'bin', 'postgres')))
        return { binaries: copied, remove }
    } catch {
      // Not writable, or full: the next one is tried.
    }
    remove()
  }
  throw new CannotStart(
    `PostgreSQL cannot be set up from ${binaries.folder}, whose name a shell misreads, and there is no temporary folder to copy it to: move the program to a path of letters, digits and spaces, or set DATABASE_URL.`,
  )
}

async function runInitdb(paths: ClusterPaths, program: string, folder: string): Promise<void> {
  const command = commandAs(paths.runAs, program, ['-D', folder, ...INITDB, ...LOCALE])
  const child = spawn(command.file, command.args, { ...command.options, stdio: ['ignore', 'ignore', 'pipe'] })
  let complaint = ''
  child.stderr?.on('data', (part) => {
    complaint += part
  })
  const [code] = await once(child, 'close').catch((error: Error) => [error.message])
  if (code === 0) return
  rmSync(folder, { recursive: true, force: true })
  if (reportsFullDisk(complaint))
    throw new CannotStart(
      `the disk is full: PostgreSQL could not be set up in ${paths.cluster}; make room (about 60 MB) and start again`,
    )
  throw new CannotStart(`Setting up PostgreSQL in ${paths.cluster} failed (${code}): ${complaint.trim()}`)
}

// Without this check initdb, which looks its own account up, would end with a message that does not say what to do.
function requirePasswdEntry(paths: ClusterPaths): void {
  if (paths.runAs.kind !== 'self') return
  try {
    userInfo()
  } catch {
    throw new CannotStart(
      `User id ${paths.runAs.uid} has no entry in /etc/passwd, which PostgreSQL needs: add one, run as another user, or set DATABASE_URL.`,
    )
  }
}

function checkVersion(paths: ClusterPaths): void {
  const version = readFileSync(join(paths.cluster, 'PG_VERSION'), 'utf8').trim()
  if (version === parseMajorVersion(paths)) return
  throw new CannotStart(
    `${paths.cluster} was written by PostgreSQL ${version} and this is ${parseMajorVersion(paths)}: use the release it was made with, or set DATABASE_URL.`,
  )
}

function parseMajorVersion(paths: ClusterPaths): string {
  return paths.binaries.version.split('.')[0] ?? ''
}

// Removes what a killed first start left behind. Its initdb may still run for a moment; then the rest is removed at the next start.
function removeUnfinished(cluster: string): void {
  for (const name of readdirSync(dirname(cluster))) {
    if (!name.startsWith(`${basename(cluster)}.new-`)) continue
    try {
      rmSync(join(dirname(cluster), name), { recursive: true, force: true })
    } catch {}
  }
}

function flushFolder(folder: string): void {
  const handle = openSync(folder, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}
