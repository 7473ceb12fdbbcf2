import { CannotStart } from '../processes/cannot-start.ts'
import { type FullBackup, listFulls, listSegments, type Repository, type StoredSegment } from './repository.ts'
import { readSealed } from './sealed-file.ts'
import { type Lsn, parseLsn, segmentName, segmentStart } from './wal-names.ts'

/** What is to be restored: a full backup, and the segments that are replayed upon it. */
export type RestorePlan = {
  full: FullBackup
  segments: StoredSegment[]
  /** The moment, or null for all that there is. */
  to: Date | null
}

/** How far a full backup and the WAL behind it reach. `missing`: the first segment that is not there though later ones are. */
export type Reach = { segments: StoredSegment[]; until: Date; missing: string | null }

/** Chooses what a restore to this moment needs. Throws CannotStart that says what can be restored instead. */
export async function planRestore(repository: Repository, to: Date | null): Promise<RestorePlan> {
  const fulls = listFulls(repository)
  const full = fulls.filter(({ endedAt }) => to === null || Date.parse(endedAt) <= to.getTime()).at(-1)
  if (full === undefined) throw noFull(repository, fulls[0], to)
  const { segments, until, missing } = await readReach(repository, full)
  const tooLate = to === null ? missing !== null : to.getTime() > until.getTime()
  if (!tooLate) return { full, segments, to }
  throw new CannotStart(
    missing === null
      ? `what is in ${repository.folder} ends at ${until.toISOString()}: restore with --to latest, or to an earlier time`
      : `the WAL segment ${missing} is missing in ${repository.folder}/wal: it can be restored up to ${until.toISOString()} (--to ${until.toISOString()})`,
  )
}

function noFull({ folder }: Repository, oldest: FullBackup | undefined, to: Date | null): CannotStart {
  return new CannotStart(
    oldest === undefined
      ? `${folder} holds no finished full backup: nothing can be restored from it`
      : `the oldest full backup in ${folder} ended at ${oldest.endedAt}: nothing can be restored to ${to?.toISOString()}`,
  )
}

/** Follows the WAL behind a full backup as far as it goes without a gap. */
export async function readReach(repository: Repository, full: FullBackup): Promise<Reach> {
  const { timeline, segmentBytes } = full
  const stored = listSegments(repository, timeline, segmentBytes)
  const segments: StoredSegment[] = []
  let wanted: Lsn = segmentStart(parseLsn(full.stopLsn), segmentBytes)
  for (;;) {
    const segment = stored.find(({ start }) => start === wanted)
    if (segment === undefined) break
    segments.push(segment)
    wanted += BigInt(segmentBytes)
    if (!segment.whole) break
  }
  const isGap = stored.some(({ start }) => start >= wanted)
  const cut = segments.at(-1)
  const missing = !isGap ? null : cut?.whole === false ? cut.name : segmentName(timeline, wanted, segmentBytes)
  return { segments, until: await findEnd(repository, full, segments), missing }
}

/** When the server sent the last bytes that are there; all that was committed by then is in them. */
async function findEnd(repository: Repository, full: FullBackup, segments: readonly StoredSegment[]): Promise<Date> {
  let latest = Date.parse(full.endedAt)
  for (const segment of segments.slice(-2))
    for await (const { at } of readSealed(segment.path, repository.key, { unfinished: !segment.whole }))
      latest = Math.max(latest, at)
  return new Date(latest)
}
