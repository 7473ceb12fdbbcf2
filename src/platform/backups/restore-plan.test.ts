import assert from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import {
  type FullBackup,
  finishFull,
  listFulls,
  listSegments,
  openForWriting,
  type Repository,
  removeOldBackups,
  removeUnfinished,
  unfinishedFolder,
} from './repository.ts'
import { requireEmptyFolder } from './restore-folder.ts'
import { planRestore } from './restore-plan.ts'
import { openWalFolder } from './wal-folder.ts'
import { formatLsn } from './wal-names.ts'

const SEGMENT = 1024 * 1024
const KEY = Buffer.alloc(32, 1)
const DAY = 86_400_000
const FIRST = Date.parse('2026-11-01T00:00:00Z')
const timeOf = (segment: number) => FIRST + segment * DAY

function repositoryFor(t: TestContext): Repository {
  const folder = mkdtempSync(join(tmpdir(), 'repository-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const repository = { folder, key: KEY }
  openForWriting(repository, '71')
  return repository
}

/** Segments `from` to `to`, one a day; half of one more, which is unfinished. */
async function addWal(repository: Repository, from: number, to: number): Promise<void> {
  const folder = await openWalFolder({ repository, timeline: 1, segmentBytes: SEGMENT })
  if (folder.next === null) folder.beginAt(BigInt(from * SEGMENT))
  for (let nth = from; nth <= to; nth += 1)
    await folder.add(BigInt(nth * SEGMENT), Buffer.alloc(SEGMENT, nth), timeOf(nth))
  await folder.add(BigInt((to + 1) * SEGMENT), Buffer.alloc(SEGMENT / 2), timeOf(to + 1))
  await folder.close()
}

async function addFull(repository: Repository, segment: number): Promise<void> {
  const at = new Date(timeOf(segment)).toISOString()
  const label = `full-${segment}`
  mkdirSync(unfinishedFolder(repository, label))
  await finishFull(repository, {
    ...{ label, begunAt: at, endedAt: at, systemId: '71', version: 18, timeline: 1, segmentBytes: SEGMENT },
    startLsn: formatLsn(BigInt(segment * SEGMENT + 40)),
    stopLsn: formatLsn(BigInt(segment * SEGMENT + 400)),
    ...{ bytes: 1, databaseBytes: 1, masterKeyChecks: [] },
  } satisfies FullBackup)
}

const plan = (repository: Repository, day: number | null) =>
  planRestore(repository, day === null ? null : new Date(timeOf(day)))

test('a restore takes the newest full backup before its moment, and all WAL behind it', async (t) => {
  const repository = repositoryFor(t)
  await assert.rejects(plan(repository, null), /holds no finished full backup/)
  await addWal(repository, 1, 6)
  await addFull(repository, 2)
  await addFull(repository, 5)
  assert.equal((await plan(repository, 4)).full.label, 'full-2')
  assert.equal((await plan(repository, 5)).full.label, 'full-5')
  const latest = await plan(repository, null)
  assert.deepEqual(
    [latest.full.label, latest.segments.map(({ start, whole }) => [Number(start) / SEGMENT, whole])],
    [
      'full-5',
      [
        [5, true],
        [6, true],
        [7, false],
      ],
    ],
  )
  await assert.rejects(
    plan(repository, 1),
    /the oldest full backup .* ended at 2026-11-03T00:00:00.000Z: nothing can be/,
  )
  await assert.rejects(
    plan(repository, 8),
    /ends at 2026-11-08T00:00:00.000Z: restore with --to latest, or to an earlier/,
  )
})

test('a missing segment is named, with the time up to which can be restored', async (t) => {
  const repository = repositoryFor(t)
  await addWal(repository, 1, 6)
  await addFull(repository, 2)
  const [gone] = listSegments(repository, 1, SEGMENT).filter(({ start }) => start === BigInt(5 * SEGMENT))
  assert.ok(gone)
  rmSync(gone.path)
  const says =
    /the WAL segment 000000010000000000000005 is missing in .*: it can be restored up to 2026-11-05T00:00:00.000Z/
  await assert.rejects(plan(repository, null), says)
  await assert.rejects(plan(repository, 6), says)
  assert.equal((await plan(repository, 4)).segments.length, 3)
})

test('what goes on after an interruption continues the segment that was cut short', async (t) => {
  const repository = repositoryFor(t)
  await addWal(repository, 1, 2)
  const folder = await openWalFolder({ repository, timeline: 1, segmentBytes: SEGMENT })
  assert.equal(folder.next, BigInt(3.5 * SEGMENT))
  await assert.rejects(folder.add(0n, Buffer.alloc(10), 0), /does not continue what BACKUP_DIR holds/)
  await folder.add(BigInt(3.5 * SEGMENT), Buffer.alloc(SEGMENT), timeOf(4))
  await folder.close()
  await addFull(repository, 1)
  const { segments } = await plan(repository, null)
  assert.deepEqual(
    segments.map(({ whole }) => whole),
    [true, true, true, false],
  )
})

test('old backups go with the WAL that only they need, and what dies halfway counts for nothing', async (t) => {
  const repository = repositoryFor(t)
  await addWal(repository, 1, 6)
  for (const segment of [2, 4, 6]) await addFull(repository, segment)
  assert.deepEqual(removeOldBackups(repository, 3), [])
  assert.equal(listSegments(repository, 1, SEGMENT).length, 7)
  assert.deepEqual(removeOldBackups(repository, 2), ['full-2'])
  assert.deepEqual(
    listFulls(repository).map(({ label }) => label),
    ['full-4', 'full-6'],
  )
  assert.deepEqual(
    listSegments(repository, 1, SEGMENT).map(({ start }) => Number(start) / SEGMENT),
    [4, 5, 6, 7],
  )
  mkdirSync(unfinishedFolder(repository, 'full-9'))
  assert.equal(listFulls(repository).length, 2)
  removeUnfinished(repository)
  assert.equal(existsSync(unfinishedFolder(repository, 'full-9')), false)
  assert.throws(() => openForWriting(repository, '72'), /holds backups of another database server/)
})

test('a restore refuses a folder in which something is', (t) => {
  const { folder } = repositoryFor(t)
  assert.throws(() => requireEmptyFolder(folder), /is not empty: a restore writes over nothing/)
  requireEmptyFolder(join(folder, 'new'))
})
