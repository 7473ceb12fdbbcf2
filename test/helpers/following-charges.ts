import assert from 'node:assert/strict'
import type { LiveService } from './live-service.ts'
import type { TestService } from './test-service.ts'

/** The operator pays a charge, and the follower finds out. */
export async function succeed(service: LiveService, chargeId: string): Promise<void> {
  service.operator.pays(chargeId)
  await followUntilEnded(service, chargeId)
}

/** Moves the clock to each question about this charge until the operator's answer has ended it. */
export async function followUntilEnded(service: TestService, chargeId: string): Promise<void> {
  for (let question = 0; question < 20; question += 1) {
    const [row] = await service.rows<{ follow_at: Date | null }>(
      'select follow_at from charges where id = $1',
      [chargeId],
    )
    if (!row?.follow_at) return
    passUntil(service, row.follow_at)
    await service.run('follow-charges')
  }
  assert.fail(`${chargeId} was not ended by twenty questions`)
}

/** Moves the clock past this moment, and never back. */
export function passUntil(service: TestService, moment: Date): void {
  service.pass(Math.max(0, moment.getTime() - service.clock.nowMs()) + 1)
}
