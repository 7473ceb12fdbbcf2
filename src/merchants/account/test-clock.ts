import type { Actor } from '../../api/access/actor.ts'
import { allow } from '../../api/access/allow.ts'
import { auditRow } from '../../api/access/audit-row.ts'
import { type Call, call, type Tx } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import { addMs } from '../../platform/time/clock.ts'
import { kampalaMonth, monthBounds } from '../../platform/time/kampala.ts'
import type { App } from '../../program/app.ts'

const UNIT_MS: Record<string, number> = { m: 60_000, h: 3_600_000, d: 86_400_000 }
export const MAX_OFFSET_MS = 10 * 366 * 86_400_000

const LOCK = statement<{ offsetMs: number }>(
  'lock test clock',
  'select test_clock_offset_ms as "offsetMs" from merchants where id = $1 for no key update',
)
const MOVE = statement('move test clock', 'update merchants set test_clock_offset_ms = $2 where id = $1')

type ClockMove = { offsetMs: number; testTime: Date }

/**
 * Moves a merchant's test clock forward: by `90m`, `24h` or `30d`, or to `next-month` (the first instant of the next Kampala month). The
 * clock decides what is due in test mode; stored times stay real (contract.md 3 a). Returns null when `advance` is none of these.
 */
export async function advanceTestClock(
  app: App,
  actor: Actor,
  { merchantId, advance }: { merchantId: number; advance: string },
): Promise<ClockMove | null> {
  return app.db.transaction(async (tx) => {
    const findStepMs = (testNow: Date) => parseStepMs(advance, testNow)
    const moved = await moveTestClock(tx, actor, { merchantId, at: app.clock.now(), findStepMs })
    return moved === null ? { value: null } : { value: moved.move, last: moved.writes }
  })
}

/**
 * Moves the clock in this transaction by the step that `findStepMs` finds from the test time of now. Returns where it stands then and what the
 * transaction must write; null, and nothing to write, without a step or where the clock would be more than ten years ahead.
 */
export async function moveTestClock(
  tx: Tx,
  actor: Actor,
  { merchantId, at, findStepMs }: { merchantId: number; at: Date; findStepMs(testNow: Date): number | null },
): Promise<{ move: ClockMove; writes: Call[] } | null> {
  allow(actor, 'sandbox.clock', merchantId)
  const [[row]] = await tx.send(call(LOCK, merchantId))
  const before = row?.offsetMs ?? 0
  const step = findStepMs(addMs(at, before))
  if (step === null || before + step > MAX_OFFSET_MS) return null
  const offsetMs = before + step
  const act = { actor, action: 'sandbox.clock', at, merchantId, mode: 'test' } as const
  const audited = auditRow({ ...act, before: { offset_ms: before }, after: { offset_ms: offsetMs } })
  return { move: { offsetMs, testTime: addMs(at, offsetMs) }, writes: [call(MOVE, merchantId, offsetMs), audited] }
}

function parseStepMs(advance: string, testNow: Date): number | null {
  if (advance === 'next-month') {
    const bounds = monthBounds(kampalaMonth(testNow))
    return bounds === null ? null : bounds.end.getTime() - testNow.getTime()
  }
  const match = /^([0-9]{1,6})([mhd])$/.exec(advance)
  const unit = UNIT_MS[match?.[2] ?? '']
  return match && unit ? Number(match[1]) * unit : null
}
