import { INVARIANTS } from '../src/operations/verify/invariants/invariants.ts'
import { type InvariantFinding, verifySnapshot } from '../src/operations/verify/verify.ts'
import type { Stage } from './stage.ts'

/** What `verify` says about everything the run has written. `looked_at` is below `invariants` where the time was over before. */
export type Proof = { seconds: number; rows: number; invariants: number; looked_at: number; broken: string[] }

/** Checks every invariant on the stage's own connection, or those that come first and fit into this time. */
export async function proveLedger({ db, say }: Stage, withinMs = Number.POSITIVE_INFINITY): Promise<Proof> {
  const startedAt = performance.now()
  const findings: InvariantFinding[] = []
  await db.query('begin isolation level repeatable read read only')
  for (const invariant of INVARIANTS) {
    const leftMs = withinMs - (performance.now() - startedAt)
    if (leftMs < 1) break
    if (Number.isFinite(leftMs)) await db.query(`set local statement_timeout = ${Math.ceil(leftMs)}`)
    const found = await verifySnapshot(db, new Date(performance.timeOrigin + startedAt), [invariant]).catch(
      unlessTimeIsOver,
    )
    findings.push(...found)
  }
  await db.query('rollback')
  const broken = findings
    .filter(({ violations }) => violations > 0)
    .map(({ id, says, violations, offenders }) => `${id}: ${says}: ${violations}, as ${offenders[0]}`)
  const rows = findings.reduce((sum, { looked }) => sum + looked, 0)
  const seconds = Math.round((performance.now() - startedAt) / 1000)
  say(`${findings.length} of ${INVARIANTS.length} invariants, ${broken.length} broken, in ${seconds} s`)
  return { seconds, rows, invariants: INVARIANTS.length, looked_at: findings.length, broken }
}

const QUERY_CANCELED = '57014'

/** The last invariant was stopped in the middle: it is not among those that were looked at, and no time is left for another. */
function unlessTimeIsOver(error: unknown): InvariantFinding[] {
  if ((error as { code?: string }).code === QUERY_CANCELED) return []
  throw error
}
