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
import { CannotStart, saysFullDisk } from '../cannot-start.ts'
import { type Binaries, copyBinaries } from './binaries.ts'
import { type ClusterPlace, isCluster } from './place.ts'
import { giveTo, makePrivate, shortTemporaryFolder } from './private-folder.ts'
import { canRun, commandAs } from './run-as.ts'

/** The server's superuser. The folder of the socket keeps others out, so there is no password. */
export const SUPERUSER = 'postgres'

const INITDB = ['-U', SUPERUSER, '-A', 'trust', '-E', 'UTF8', '--data-checksums', '--no-instructions']
// Characters that mean nothing between the double quotes which initdb writes around its path.
const SAFE_IN_SHELL = /^[^"$`\\!\n\r]+$/
const LOCALE = ['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C']

/**
 * Makes the PostgreSQL data folder when there is none. It is made beside its place and renamed when finished and
 * flushed, so a kill at any moment leaves either nothing or all of it. Call under the lock.
 */
export async function prepareCluster(place: ClusterPlace, say: (line: string) => void): Promise<void> {
  if (isCluster(place.cluster)) {
    checkVersion(place)
    giveTo(place.cluster, place.runAs)
    return
  }
  say(`Setting up PostgreSQL ${majorOf(place)} in ${place.cluster} (first start only).`)
  sweepUnfinished(place.cluster)
  const unfinished = `${place.cluster}.new-${randomBytes(4).toString('hex')}`
  makePrivate(unfinished, place.runAs)
  await initialise(place, unfinished)
  renameSync(unfinished, place.cluster)
  flushFolder(dirname(place.cluster))
}

async function initialise(place: ClusterPlace, folder: string): Promise<void> {
  requirePasswdEntry(place)
  const { binaries, remove } = binariesForShell(place)
  try {
    await runInitdb(place, join(binaries.folder, 'bin', 'initdb'), folder)
  } finally {
    remove()
  }
}

/**
 * initdb starts the server through a shell and quotes only the spaces of its own path. Where the binaries lie under any other
 * odd name they are copied to a temporary folder for this one call.
 */
function binariesForShell({ binaries, runAs }: ClusterPlace): { binaries: Binaries; remove(): void } {
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

async function runInitdb(place: ClusterPlace, program: string, folder: string): Promise<void> {
  const command = commandAs(place.runAs, program, ['-D', folder, ...INITDB, ...LOCALE])
  const child = spawn(command.file, command.args, { ...command.options, stdio: ['ignore', 'ignore', 'pipe'] })
  let complaint = ''
  child.stderr?.on('data', (part) => {
    complaint += part
  })
  const [code] = await once(child, 'close').catch((error: Error) => [error.message])
  if (code === 0) return
  rmSync(folder, { recursive: true, force: true })
  if (saysFullDisk(complaint))
    throw new CannotStart(
      `the disk is full: PostgreSQL could not be set up in ${place.cluster}; make room (about 60 MB) and start again`,
    )
  throw new CannotStart(`Setting up PostgreSQL in ${place.cluster} failed (${code}): ${complaint.trim()}`)
}

// initdb looks its own account up and ends with a message that does not say what to do.
function requirePasswdEntry(place: ClusterPlace): void {
  if (place.runAs.kind !== 'self') return
  try {
    userInfo()
  } catch {
    throw new CannotStart(
      `User id ${place.runAs.uid} has no entry in /etc/passwd, which PostgreSQL needs: add one, run as another user, or set DATABASE_URL.`,
    )
  }
}

function checkVersion(place: ClusterPlace): void {
  const found = readFileSync(join(place.cluster, 'PG_VERSION'), 'utf8').trim()
  if (found === majorOf(place)) return
  throw new CannotStart(
    `${place.cluster} was written by PostgreSQL ${found} and this is ${majorOf(place)}: use the release it was made with, or set DATABASE_URL.`,
  )
}

function majorOf(place: ClusterPlace): string {
  return place.binaries.version.split('.')[0] ?? ''
}

// What a killed first start left behind. Its initdb may still run for a moment; then the rest goes the next time.
function sweepUnfinished(cluster: string): void {
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
