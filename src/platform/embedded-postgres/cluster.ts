import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { closeSync, fsyncSync, openSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { userInfo } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { isCluster, type Place } from './place.ts'
import { giveTo, makePrivate } from './private-folder.ts'
import { commandAs } from './run-as.ts'

/** The server's superuser. The folder of the socket keeps others out, so there is no password. */
export const SUPERUSER = 'postgres'

const INITDB = ['-U', SUPERUSER, '-A', 'trust', '-E', 'UTF8', '--data-checksums', '--no-instructions']
const LOCALE = ['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C']

/**
 * Makes the PostgreSQL data folder when there is none. It is made beside its place and renamed when finished and
 * flushed, so a kill at any moment leaves either nothing or all of it. Call under the lock.
 */
export async function prepareCluster(place: Place, say: (line: string) => void): Promise<void> {
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

async function initialise(place: Place, folder: string): Promise<void> {
  requirePasswdEntry(place)
  const program = join(place.binaries.folder, 'bin', 'initdb')
  const command = commandAs(place.runAs, program, ['-D', folder, ...INITDB, ...LOCALE])
  const child = spawn(command.file, command.args, { ...command.options, stdio: ['ignore', 'ignore', 'pipe'] })
  let complaint = ''
  child.stderr?.on('data', (part) => {
    complaint += part
  })
  const [code] = await once(child, 'close').catch((error: Error) => [error.message])
  if (code === 0) return
  rmSync(folder, { recursive: true, force: true })
  throw new Error(`Setting up PostgreSQL in ${place.cluster} failed (${code}): ${complaint.trim()}`)
}

// initdb looks its own account up and ends with a message that does not say what to do.
function requirePasswdEntry(place: Place): void {
  if (place.runAs.kind !== 'self') return
  try {
    userInfo()
  } catch {
    throw new Error(
      `User id ${place.runAs.uid} has no entry in /etc/passwd, which PostgreSQL needs: add one, run as another user, or set DATABASE_URL.`,
    )
  }
}

function checkVersion(place: Place): void {
  const found = readFileSync(join(place.cluster, 'PG_VERSION'), 'utf8').trim()
  if (found === majorOf(place)) return
  throw new Error(
    `${place.cluster} was written by PostgreSQL ${found} and this is ${majorOf(place)}: use the release it was made with, or set DATABASE_URL.`,
  )
}

function majorOf(place: Place): string {
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
