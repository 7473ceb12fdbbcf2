import type { App } from '../app.ts'
import { statement } from '../platform/db/statement.ts'
import { oneInEachCell } from '../platform/lane.ts'
import type { DueCharge } from './charge-mover.ts'
import { DUE_COLUMNS, type OpenFacts } from './write-charge-status.ts'

// Reading every test charge back when it is due would cost every payment. So a process keeps those that it has made in memory,
// and asks the table only for what nobody has ended in time: after a kill, or when there were too many to keep.

/** An open test charge as its transaction has stored it. */
type Stored = DueCharge & OpenFacts & { followAt: Date }
/** Charges of one transaction, which are due at the same time. */
type Kept = { dueMs: number; charges: readonly Stored[] }
type Memory = { kept: Kept[]; size: number; askedMs: number | null }

const MOST_KEPT = 20_000
// A process that keeps none may be the worker of others, whose charges should not wait.
const ASK_EVERY_MS = { keeping: 1000, idle: 250 }
// So long those of other processes are left to them, unless this one has nothing else to do.
const OVERDUE_MS = 2000

// The sandbox calls nobody, so its rows need no lease: whoever asks twice finds the second move done already.
const DUE_TEST = statement<DueCharge>(
  'due test charges',
  `select ${DUE_COLUMNS} from charges c where c.follow_at <= $1 and c.mode = 'test' order by c.follow_at limit $2`,
)

const memoryOf = oneInEachCell((): Memory => ({ kept: [], size: 0, askedMs: null }))

/** Keeps test charges that have just been committed until they are due; all of them at the same time. */
export function keepUntilDue(app: App, charges: readonly Stored[]): void {
  const [first] = charges
  const memory = memoryOf(app)
  forgetOverdue(memory, app.clock.nowMs())
  if (first === undefined || memory.size + charges.length > MOST_KEPT) return
  memory.kept.push({ dueMs: first.followAt.getTime(), charges })
  memory.size += charges.length
}

/** How many test charges wait in this process until they are due, or are about to be ended. */
export function keptTestCharges(app: App): number {
  const memory = memoryOf(app)
  forgetOverdue(memory, app.clock.nowMs())
  return memory.size
}

/** Those are in the table for everybody: a process without a follower keeps none for long. */
function forgetOverdue(memory: Memory, nowMs: number): void {
  const left = memory.kept.findIndex(({ dueMs }) => dueMs >= nowMs - OVERDUE_MS)
  for (const { charges } of memory.kept.splice(0, left < 0 ? memory.kept.length : left))
    memory.size -= charges.length
}

/** Test charges that are due: about `most` of those kept here, and at most `most` that are read because nobody has ended them in time. */
export async function dueTestCharges(app: App, most: number): Promise<{ kept: Stored[]; read: DueCharge[] }> {
  const memory = memoryOf(app)
  const nowMs = app.clock.nowMs()
  const isIdle = memory.size === 0
  const kept = takeDue(memory, nowMs, most)
  const { askedMs } = memory
  const everyMs = isIdle ? ASK_EVERY_MS.idle : ASK_EVERY_MS.keeping
  if (askedMs !== null && nowMs >= askedMs && nowMs - askedMs < everyMs) return { kept, read: [] }
  memory.askedMs = nowMs
  const since = new Date(nowMs - (isIdle ? 0 : OVERDUE_MS))
  const overdue = await app.db.query(DUE_TEST, [since.toISOString(), most])
  return { kept, read: overdue.length === 0 ? overdue : notAmong(kept, memory, overdue) }
}

/** Those that are not kept here: a process that is late finds its own. */
function notAmong(due: readonly Stored[], { kept }: Memory, overdue: readonly DueCharge[]): DueCharge[] {
  const own = new Set(
    [due, ...kept.map(({ charges }) => charges)].flatMap((some) => some.map(({ id }) => id)),
  )
  return overdue.filter(({ id }) => !own.has(id))
}

function takeDue(memory: Memory, nowMs: number, most: number): Stored[] {
  const due: Stored[] = []
  let taken = 0
  for (const { dueMs, charges } of memory.kept) {
    if (dueMs > nowMs || due.length >= most) break
    for (const charge of charges) due.push(charge)
    taken += 1
  }
  memory.kept.splice(0, taken)
  memory.size -= due.length
  return due
}
