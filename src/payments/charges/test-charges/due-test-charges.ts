import { oncePerCell } from '../../../platform/batches/lane.ts'
import { statement } from '../../../platform/db/statement.ts'
import type { App } from '../../../program/app.ts'
import { chosenEndSql } from '../../../rails/next-ends.ts'
import type { DueCharge } from '../charge-mover.ts'
import { DUE_COLUMNS } from '../write-charge-status.ts'

// Reading every test charge back when it is due would add to the cost of every payment. So a process keeps those that it has created
// in memory, and reads from the table only what no process has finished in time: after a kill, or when there were too many to keep.

/** An open test charge as its transaction has stored it. */
type KeptTestCharge = DueCharge & { followAt: Date }
/** The charges of one transaction, which are due at the same time. */
type DueGroup = { dueMs: number; charges: readonly KeptTestCharge[] }
type TestChargeMemory = { kept: DueGroup[]; size: number; askedMs: number | null }

const MAX_KEPT_CHARGES = 20_000
// A process that keeps none may be the worker for other processes, whose charges should not wait.
const READ_EVERY_MS = { keeping: 1000, idle: 250 }
// For this long the charges of other processes are left to those processes, unless this one keeps none.
const OVERDUE_MS = 2000

// The sandbox makes no call, so its rows need no lease: a process that asks twice finds that the move is done already.
const DUE_TEST = statement<DueCharge>(
  'due test charges',
  `select ${DUE_COLUMNS}, e.outcome as "sandboxOutcome", e.after_seconds as "sandboxSeconds"
   from charges c ${chosenEndSql('c')} where c.follow_at <= $1 and c.mode = 'test' order by c.follow_at limit $2`,
)

const memoryOf = oncePerCell((): TestChargeMemory => ({ kept: [], size: 0, askedMs: null }))

/** Keeps test charges that have just been committed until they are due. All of them must be due at the same time. */
export function keepUntilDue(app: App, charges: readonly KeptTestCharge[]): void {
  const [first] = charges
  const memory = memoryOf(app)
  forgetOverdue(memory, app.clock.nowMs())
  if (first === undefined || memory.size + charges.length > MAX_KEPT_CHARGES) return
  memory.kept.push({ dueMs: first.followAt.getTime(), charges })
  memory.size += charges.length
}

/** Counts the test charges that this process keeps: those that are not due yet or are about to be finished. */
export function countKeptTestCharges(app: App): number {
  const memory = memoryOf(app)
  forgetOverdue(memory, app.clock.nowMs())
  return memory.size
}

/** Forgets groups that are overdue: any process reads them from the table. So a process without a follower keeps none for long. */
function forgetOverdue(memory: TestChargeMemory, nowMs: number): void {
  const firstCurrent = memory.kept.findIndex(({ dueMs }) => dueMs >= nowMs - OVERDUE_MS)
  for (const { charges } of memory.kept.splice(0, firstCurrent < 0 ? memory.kept.length : firstCurrent))
    memory.size -= charges.length
}

/** Takes test charges that are due: about `limit` of those kept here, and at most `limit` overdue ones that are read from the table. */
export async function takeDueTestCharges(app: App, limit: number): Promise<DueCharge[]> {
  const memory = memoryOf(app)
  const nowMs = app.clock.nowMs()
  // Before those kept here are taken: when the table cannot be read, they are still there for the next run.
  const overdue = await readOverdue(app, memory, { nowMs, limit })
  const kept = takeDueGroups(memory, nowMs, limit)
  return overdue.length === 0 ? kept : [...kept, ...withoutKept(kept, memory, overdue)]
}

/** Reads overdue charges of the table, now and then. */
async function readOverdue(
  app: App,
  memory: TestChargeMemory,
  { nowMs, limit }: { nowMs: number; limit: number },
): Promise<DueCharge[]> {
  const { askedMs } = memory
  const isIdle = memory.size === 0
  const everyMs = isIdle ? READ_EVERY_MS.idle : READ_EVERY_MS.keeping
  if (askedMs !== null && nowMs >= askedMs && nowMs - askedMs < everyMs) return []
  memory.askedMs = nowMs
  const since = new Date(nowMs - (isIdle ? 0 : OVERDUE_MS))
  return app.db.query(DUE_TEST, [since.toISOString(), limit])
}

/** Drops the overdue charges that this process keeps itself: a process that is late finds its own in the table. */
function withoutKept(
  due: readonly KeptTestCharge[],
  { kept }: TestChargeMemory,
  overdue: readonly DueCharge[],
): DueCharge[] {
  const own = new Set([due, ...kept.map(({ charges }) => charges)].flatMap((charges) => charges.map(({ id }) => id)))
  return overdue.filter(({ id }) => !own.has(id))
}

function takeDueGroups(memory: TestChargeMemory, nowMs: number, limit: number): KeptTestCharge[] {
  const due: KeptTestCharge[] = []
  let groups = 0
  for (const { dueMs, charges } of memory.kept) {
    if (dueMs > nowMs || due.length >= limit) break
    for (const charge of charges) due.push(charge)
    groups += 1
  }
  memory.kept.splice(0, groups)
  memory.size -= due.length
  return due
}
