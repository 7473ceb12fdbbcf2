import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { CannotStart } from '../processes/cannot-start.ts'
import { BASE_FILE, type FullBackup, fullFolder, type Repository, type StoredSegment } from './repository.ts'
import type { RestorePlan } from './restore-plan.ts'
import { readSealed } from './sealed-file.ts'

/**
 * Refuses a folder in which something is: a restore never writes over anything. Throws CannotStart.
 */
export function requireEmptyFolder(folder: string): void {
  if (existsSync(folder) && readdirSync(folder).length > 0)
    throw new CannotStart(`${folder} is not empty: a restore writes over nothing. Give --into a new folder`)
}

/**
 * Makes a data folder of PostgreSQL out of a backup. It is set up to start as a standby that follows nobody: it replays the WAL up to the moment
 * and stays read-only until it is promoted. Starts nothing. When it fails, what it has made is removed. Throws CannotStart, which names the
 * damaged file.
 */
export async function restoreInto(folder: string, repository: Repository, plan: RestorePlan): Promise<void> {
  requireEmptyFolder(folder)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  try {
    await extractArchive(folder, repository, plan.full)
    for (const segment of plan.segments) await restoreSegment(folder, repository, { segment, full: plan.full })
    configureStandby(folder, plan.to)
  } catch (error) {
    for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true, force: true })
    throw error
  }
}

/** The server reads this setting before it knows what `Z` is. */
export const formatTarget = (to: Date): string => to.toISOString().replace('T', ' ').replace('Z', '+00')

async function extractArchive(folder: string, repository: Repository, { label }: FullBackup): Promise<void> {
  const path = join(fullFolder(repository, label), BASE_FILE)
  const tar = spawn('tar', ['-x', '-p', '--no-same-owner', '-f', '-', '-C', folder], {
    stdio: ['pipe', 'ignore', 'pipe'],
  })
  let complaint = ''
  tar.stderr.on('data', (part) => {
    complaint += part
  })
  // It may end before it has read all; then its complaint says why.
  tar.stdin.on('error', () => {})
  const ended = once(tar, 'close').catch((error: Error) => [error.message])
  try {
    for await (const { data } of readSealed(path, repository.key))
      if (!tar.stdin.write(data)) await Promise.race([once(tar.stdin, 'drain'), ended])
  } finally {
    tar.stdin.end()
    await ended
  }
  const [code] = await ended
  if (code !== 0) throw new CannotStart(`${path} could not be unpacked with tar (${code}): ${complaint.trim()}`)
}

/** Writes a segment where the server looks for it. One that was not finished is filled up with zeros, where replay ends. */
async function restoreSegment(
  folder: string,
  repository: Repository,
  { segment, full }: { segment: StoredSegment; full: FullBackup },
): Promise<void> {
  const path = join(folder, 'pg_wal', segment.name)
  rmSync(path, { force: true })
  const file = await open(path, 'wx', 0o600)
  try {
    const end = await writeFrames(file, repository, segment)
    if (segment.whole && end !== full.segmentBytes)
      throw new CannotStart(`${segment.path} is damaged: it has ${end} bytes of WAL`)
    await file.truncate(full.segmentBytes)
    await file.sync()
  } finally {
    await file.close()
  }
}

async function writeFrames(file: FileHandle, repository: Repository, segment: StoredSegment): Promise<number> {
  let end = 0
  for await (const { data, mark, last } of readSealed(segment.path, repository.key, { unfinished: !segment.whole })) {
    if (last) continue
    await file.write(data, 0, data.length, Number(mark - segment.start))
    end = Number(mark - segment.start) + data.length
  }
  return end
}

/** What must not be taken over from the server that was backed up: whom it waits for, whom it follows, where it archives. */
function configureStandby(folder: string, to: Date | null): void {
  const settings = {
    restore_command: '',
    archive_mode: 'off',
    primary_conninfo: '',
    primary_slot_name: '',
    synchronous_standby_names: '',
    hot_standby: 'on',
    recovery_target_timeline: 'current',
    recovery_target_action: 'pause',
    recovery_target_time: to === null ? '' : formatTarget(to),
  }
  const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value}'\n`)
  appendFileSync(join(folder, 'postgresql.auto.conf'), `# Written by gateway restore.\n${lines.join('')}`)
  writeFileSync(join(folder, 'standby.signal'), '', { flush: true })
}
