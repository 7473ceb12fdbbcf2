import assert from 'node:assert/strict'
import type { LiveService } from './live-service.ts'
import type { TestService } from './test-service.ts'

/** The operator pays a charge, and the follower finds out. */
export async function succeed(service: LiveService, chargeId: string): Promise<void> {
  service.operator.pays(chargeId)
  await followUntilEnded(service, chargeId)
}

const CHARGES = { table: 'charges', sweep: 'follow-charges' } as const
export const TOP_UPS = { table: 'top_ups', sweep: 'follow-top-ups' } as const

/** Moves the clock to each question about this charge, or top-up, until the operator's answer has ended it. */
export async function followUntilEnded(
  service: TestService,
  id: string,
  { table, sweep }: typeof CHARGES | typeof TOP_UPS = CHARGES,
): Promise<void> {
  for (let question = 0; question < 20; question += 1) {
    const [row] = await service.rows<{ follow_at: Date | null }>(
      `select follow_at from ${table} where id = $1`,
      [id],
    )
    if (!row?.follow_at) return
    passUntil(service, row.follow_at)
    await service.run(sweep)
  }
  assert.fail(`${id} was not ended by twenty questions`)
}

/** Moves the clock past this moment, and never back. */
export function passUntil(service: TestService, moment: Date): void {
  service.pass(Math.max(0, moment.getTime() - service.clock.nowMs()) + 1)
}
