import assert from 'node:assert/strict'
import type { LiveService } from '../service/live-service.ts'
import type { TestService } from '../service/test-service.ts'
import { passUntil } from './following-charges.ts'
import { heardOf } from './operator-heard.ts'

/** Moves the clock to each time at which this payout is due until the operator's answer has ended it. */
export async function sendUntilEnded(service: TestService, payoutId: string): Promise<void> {
  for (let look = 0; look < 20; look += 1) {
    const dueAt = await dueOf(service, payoutId)
    if (dueAt === null) return
    passUntil(service, dueAt)
    await service.run('send-payouts')
  }
  assert.fail(`${payoutId} was not ended by twenty looks`)
}

/** The operator has paid it and says so when asked. */
export async function settle(service: LiveService, payoutId: string): Promise<void> {
  service.operator.pays(payoutId)
  await sendUntilEnded(service, payoutId)
}

/** Moves the clock to the moment at which the payout is due, and runs the sweep once. */
export async function lookOnce(service: TestService, payoutId: string): Promise<void> {
  const dueAt = await dueOf(service, payoutId)
  assert.ok(dueAt, `${payoutId} is open`)
  passUntil(service, dueAt)
  await service.run('send-payouts')
}

async function dueOf(service: TestService, payoutId: string): Promise<Date | null> {
  const [row] = await service.rows<{ follow_at: Date | null }>('select follow_at from payouts where id = $1', [
    payoutId,
  ])
  return row?.follow_at ?? null
}

async function referenceOf(service: TestService, payoutId: string): Promise<string> {
  const [row] = await service.rows<{ reference: string }>(
    'select rail_reference as reference from payouts where id = $1',
    [payoutId],
  )
  return row?.reference ?? ''
}

/** How often the operator was asked to pay it, and how often it paid. */
export const submitsOf = async (service: LiveService, payoutId: string): Promise<number> =>
  heardOf(service, 'submit', await referenceOf(service, payoutId)).length
export const movementsOf = async (service: LiveService, payoutId: string): Promise<number> =>
  service.operator.movements().get(await referenceOf(service, payoutId)) ?? 0
