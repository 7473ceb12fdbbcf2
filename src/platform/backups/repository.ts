import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { CannotStart } from '../processes/cannot-start.ts'
import { parseSegmentName } from './wal-names.ts'

/** The folder of the backups and the key that seals them. */
export type Repository = { folder: string; key: Buffer }

/** What stands beside each full backup, readable without a key. */
export type FullBackup = {
  label: string
  begunAt: string
  endedAt: string
  systemId: string
  /** The major version of PostgreSQL. */
  version: number
  timeline: number
  segmentBytes: number
  startLsn: string
  /** From here on it needs the streamed WAL; until here it carries its own. */
  stopLsn: string
  bytes: number
  databaseBytes: number
  /** Fingerprints of the master keys that its secrets are sealed with. */
  masterKeyChecks: string[]
}

/** A segment of WAL in the folder. `whole`: nothing will be added to it. */
export type StoredSegment = { name: string; path: string; timeline: number; start: bigint; whole: boolean }

const FACTS = 'backup.json'
const OWNER = 'repository.json'
const UNFINISHED = '.unfinished'
const PART = '.part'
const SEALED = '.sealed'
export const BASE_FILE = 'base.tar.sealed'

const fullsOf = ({ folder }: Repository) => join(folder, 'full')
const walOf = ({ folder }: Repository) => join(folder, 'wal')

/** Makes the folder on its first use. Throws CannotStart where it holds the backups of another server. */
export function openForWriting(repository: Repository, systemId: string): void {
  for (const folder of [repository.folder, fullsOf(repository), walOf(repository)])
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  const path = join(repository.folder, OWNER)
  if (!existsSync(path)) writeFileSync(path, `${JSON.stringify({ format: 1, systemId })}\n`, { mode: 0o600 })
  const owner = readJson<{ systemId: string }>(path)
  if (owner.systemId !== systemId)
    throw new CannotStart(
      `${repository.folder} holds backups of another database server (${owner.systemId}, this one is ${systemId}): give BACKUP_DIR an empty folder`,
    )
}

/** The finished full backups, the oldest first. */
export function listFulls(repository: Repository): FullBackup[] {
  const folder = fullsOf(repository)
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter((name) => existsSync(join(folder, name, FACTS)) && !name.endsWith(UNFINISHED))
    .map((name) => readJson<FullBackup>(join(folder, name, FACTS)))
    .sort((a, b) => Date.parse(a.endedAt) - Date.parse(b.endedAt))
}

/** Where a full backup lies while it is written, and when it is finished. */
export const unfinishedFolder = (repository: Repository, label: string) =>
  join(fullsOf(repository), `${label}${UNFINISHED}`)
export const fullFolder = (repository: Repository, label: string) => join(fullsOf(repository), label)

/** Makes a backup count: its facts are written last, then its folder gets its name. */
export async function finishFull(repository: Repository, full: FullBackup): Promise<void> {
  const folder = unfinishedFolder(repository, full.label)
  writeFileSync(join(folder, FACTS), `${JSON.stringify(full, null, 2)}\n`, { mode: 0o600, flush: true })
  await flushFolder(folder)
  renameSync(folder, fullFolder(repository, full.label))
  await flushFolder(fullsOf(repository))
}

/** Removes what backups left behind whose process died. Call while no other backup can run. */
export function removeUnfinished(repository: Repository): void {
  for (const name of readdirSync(fullsOf(repository)))
    if (name.endsWith(UNFINISHED)) rmSync(join(fullsOf(repository), name), { recursive: true, force: true })
}

/** The segments of one timeline, in their order. Where a segment is whole, what was there before it was is left out. */
export function listSegments(repository: Repository, timeline: number, segmentBytes: number): StoredSegment[] {
  const folder = walOf(repository)
  const byName = new Map<string, StoredSegment>()
  for (const file of existsSync(folder) ? readdirSync(folder) : []) {
    const whole = file.endsWith(SEALED)
    if (!whole && !file.endsWith(PART)) continue
    const name = file.slice(0, file.lastIndexOf('.'))
    const place = parseSegmentName(name, segmentBytes)
    if (place === null || place.timeline !== timeline || byName.get(name)?.whole) continue
    byName.set(name, { name, path: join(folder, file), ...place, whole })
  }
  return [...byName.values()].sort((a, b) => (a.start < b.start ? -1 : 1))
}

export const partPath = (repository: Repository, segment: string) => join(walOf(repository), `${segment}${PART}`)

/** Gives a whole segment its name. */
export async function finishSegment(repository: Repository, segment: string): Promise<void> {
  renameSync(partPath(repository, segment), join(walOf(repository), `${segment}${SEALED}`))
  await flushFolder(walOf(repository))
}

export async function flushFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  await handle.sync().finally(() => handle.close())
}

function readJson<T>(path: string): T {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as T
  } catch {
    throw new CannotStart(`${path} is damaged: restore from another copy of the backups`)
  }
}

/** Removes the oldest full backups beyond `keep`, and WAL that no kept one needs. Returns the labels that went. */
export function removeOldBackups(repository: Repository, keep: number): string[] {
  const fulls = listFulls(repository)
  const gone = fulls.slice(0, Math.max(0, fulls.length - keep))
  const oldest = fulls[gone.length]
  for (const { label } of gone) rmSync(fullFolder(repository, label), { recursive: true, force: true })
  if (oldest === undefined || gone.length === 0) return []
  const firstNeeded = BigInt(
    `0x${oldest.startLsn
      .split('/')
      .map((part) => part.padStart(8, '0'))
      .join('')}`,
  )
  for (const file of readdirSync(walOf(repository))) {
    const place = parseSegmentName(file.slice(0, file.lastIndexOf('.')), oldest.segmentBytes)
    if (place === null || place.timeline > oldest.timeline) continue
    const isBefore = place.timeline < oldest.timeline || place.start + BigInt(oldest.segmentBytes) <= firstNeeded
    if (isBefore) rmSync(join(walOf(repository), file), { force: true })
  }
  return gone.map(({ label }) => label)
}
