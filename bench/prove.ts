import { verifySnapshot } from '../src/verify/verify.ts'
import type { Stage } from './stage.ts'

/** What `verify` says about everything the run has written. */
export type Proof = { seconds: number; rows: number; broken: string[] }

/** Checks every invariant on the stage's own connection, which has no time limit. */
export async function proveLedger({ db, say }: Stage): Promise<Proof> {
  const startedAt = performance.now()
  await db.query('begin isolation level repeatable read read only')
  const findings = await verifySnapshot(db, new Date(performance.timeOrigin + startedAt))
  await db.query('rollback')
  const broken = findings
    .filter(({ violations }) => violations > 0)
    .map(({ id, says, violations, offenders }) => `${id}: ${says}: ${violations}, as ${offenders[0]}`)
  const rows = findings.reduce((sum, { looked }) => sum + looked, 0)
  const seconds = Math.round((performance.now() - startedAt) / 1000)
  say(`${findings.length} invariants, ${broken.length} broken, in ${seconds} s`)
  return { seconds, rows, broken }
}
