import { setTimeout as sleep } from 'node:timers/promises'
import type { Emulator } from '../../emulator/emulator.ts'
import type { Installation } from '../crash/installation.ts'

// Both by the common clock.
const STEP_MS = 15_000
const PATIENCE_MS = 4 * 3_600_000
const LOOK_MS = 250
// The operator answered 409, that it has this payout, and knows nothing of it; and a post before has left no answer, because its process
// was killed: the operator refused that one and used its reference up. Only a person may end it.
const DENIED = `exists (select from rail_attempts a where (a.merchant_id, a.subject) = (p.merchant_id, p.id)
  and a.state = 'accepted' and a.last_answer = 'not_found'
  and exists (select from rail_evidence e where (e.merchant_id, e.attempt_id, e.operation, e.http_status) = (a.merchant_id, a.id, 'submit', 409))
  and a.sends > (select count(*) from rail_evidence e where (e.merchant_id, e.attempt_id, e.operation) = (a.merchant_id, a.id, 'submit')))`
const OPEN = `select id, rail_reference as reference, follow_at as "followAt", false as waits from charges
    where follow_at is not null and mode = 'live'
  union all select id, rail_reference, follow_at, not ${DENIED} from payouts p where follow_at is not null and mode = 'live'`

/**
 * Until everything that an operator has ended has ended with us as well, and every payout but those. Answers what has not in time.
 */
export async function untilSettled(installation: Installation, operators: readonly Emulator[]): Promise<string[]> {
  const giveUpAt = installation.clock.nowMs() + PATIENCE_MS
  for (;;) {
    const open = await installation.sql<{ id: string; reference: string; followAt: Date; waits: boolean }>(OPEN)
    const theirs = new Set(operators.flatMap((operator) => Object.keys(operator.oracle().references)))
    const left = open.filter(({ reference, waits }) => waits || theirs.has(reference))
    if (left.length === 0) return []
    const now = installation.clock.now()
    if (now.getTime() > giveUpAt)
      return left.map(({ id, followAt }) => `${id} is looked at ${followAt.toISOString()}, now ${now.toISOString()}`)
    installation.advance(STEP_MS)
    await sleep(LOOK_MS)
  }
}

type Finding = { id: string; says: string; late: boolean; violations: number; offenders: unknown[] }

// The clock has leapt: what is late is judged once the workers have had real seconds for it, as long as they get on with it. A contract's
// budget is a few questions a second, and hundreds of movements that the operator never had are due at once.
const LOOKS_WITHOUT_PROGRESS = 40

/** The invariants that do not hold, in words. */
export async function brokenInvariants(installation: Installation): Promise<string[]> {
  let broken = await verified(installation)
  let least = Number.POSITIVE_INFINITY
  for (let look = 0; look < LOOKS_WITHOUT_PROGRESS && broken.length > 0; look += 1) {
    if (broken.some(({ late }) => !late)) break
    const left = broken.reduce((sum, { violations }) => sum + violations, 0)
    if (left < least) look = 0
    least = Math.min(least, left)
    await sleep(1000)
    broken = await verified(installation)
  }
  return broken.map(
    ({ id, says, violations, offenders }) => `${id} ${says}: ${violations}, ${JSON.stringify(offenders.slice(0, 3))}`,
  )
}

async function verified(installation: Installation): Promise<Finding[]> {
  const { json } = await installation.command(['verify'])
  const findings: Finding[] = json.cells.flatMap((cell: { findings: Finding[] }) => cell.findings)
  return findings.filter(({ violations }) => violations > 0)
}
