import { setTimeout as sleep } from 'node:timers/promises'
import type { Emulator } from '../../emulator/emulator.ts'
import type { Installation } from '../crash/installation.ts'

// Both by the common clock.
const STEP_MS = 15_000
const PATIENCE_MS = 4 * 3_600_000
const LOOK_MS = 250
const OPEN = `select id, rail_reference as reference, follow_at as "followAt", false as waits from charges
    where follow_at is not null and mode = 'live'
  union all select id, rail_reference, follow_at, true from payouts where follow_at is not null and mode = 'live'`

/** Until everything that an operator has ended has ended with us as well, and every payout. Answers what has not in time. */
export async function untilSettled(
  installation: Installation,
  operators: readonly Emulator[],
): Promise<string[]> {
  const giveUpAt = installation.clock.nowMs() + PATIENCE_MS
  for (;;) {
    const open = await installation.sql<{ id: string; reference: string; followAt: Date; waits: boolean }>(
      OPEN,
    )
    const theirs = new Set(operators.flatMap((one) => Object.keys(one.oracle().references)))
    const left = open.filter(({ reference, waits }) => waits || theirs.has(reference))
    if (left.length === 0) return []
    const now = installation.clock.now()
    if (now.getTime() > giveUpAt)
      return left.map(
        ({ id, followAt }) => `${id} is looked at ${followAt.toISOString()}, now ${now.toISOString()}`,
      )
    installation.advance(STEP_MS)
    await sleep(LOOK_MS)
  }
}

/** The invariants that do not hold, in words. */
export async function brokenInvariants(installation: Installation): Promise<string[]> {
  type Finding = { id: string; says: string; violations: number; offenders: unknown[] }
  const { json } = await installation.command(['verify'])
  const findings: Finding[] = json.cells.flatMap((cell: { findings: Finding[] }) => cell.findings)
  return findings
    .filter(({ violations }) => violations > 0)
    .map(
      ({ id, says, violations, offenders }) =>
        `${id} ${says}: ${violations}, ${JSON.stringify(offenders.slice(0, 3))}`,
    )
}
