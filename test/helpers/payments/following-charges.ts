import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { LiveService } from '../service/live-service.ts'
import type { TestService } from '../service/test-service.ts'

/** The operator pays a charge, and the follower finds out. */
export async function succeed(service: LiveService, chargeId: string): Promise<void> {
  service.operator.pays(chargeId)
  await followUntilEnded(service, chargeId)
}

const CHARGES = { table: 'charges', sweep: 'follow-charges' } as const
export const TOP_UPS = { table: 'top_ups', sweep: 'follow-top-ups' } as const

// A test charge that its process has forgotten is looked for in the table this much later: two seconds overdue, asked once a second.
const FORGOTTEN = { steps: 12, stepMs: 250 }
const GIVE_UP_AFTER_MS = 30_000

/**
 * Moves the clock to each question about this charge, or top-up, until the operator's answer has ended it. While another run of the sweep
 * has it in hand, it waits for that run.
 */
export async function followUntilEnded(
  service: TestService,
  id: string,
  { table, sweep }: typeof CHARGES | typeof TOP_UPS = CHARGES,
): Promise<void> {
  const giveUpAt = performance.now() + GIVE_UP_AFTER_MS
  let asked = { at: Number.NEGATIVE_INFINITY, questions: 0, inVain: 0 }
  while (asked.questions <= 20 && performance.now() < giveUpAt) {
    const [row] = await service.rows<{ follow_at: Date | null }>(`select follow_at from ${table} where id = $1`, [id])
    if (!row?.follow_at) return
    const at = row.follow_at.getTime()
    if (at !== asked.at) asked = { at, questions: asked.questions + 1, inVain: 0 }
    else {
      asked.inVain += 1
      if (asked.inVain <= FORGOTTEN.steps) service.pass(FORGOTTEN.stepMs)
      await sleep(5)
    }
    passUntil(service, row.follow_at)
    await service.run(sweep)
  }
  assert.fail(`${id} was not ended by ${asked.questions} questions`)
}

/** Moves the clock past this moment, and never back. */
export function passUntil(service: TestService, moment: Date): void {
  service.pass(Math.max(0, moment.getTime() - service.clock.nowMs()) + 1)
}
