import assert from 'node:assert/strict'
import { newId, uuidFor } from '../../src/platform/text/ids.ts'
import type { Clock } from '../../src/platform/time/clock.ts'
import { type Attempt, deadlineIn, type MovementRail, type PayoutFailure, type Rail } from '../../src/rails/rail.ts'

/** Money in, and money out: what fails on the phone that fails, and how the operator calls it. */
export const SIDES = {
  collect: { reason: 'insufficient_funds', code: 'NOT_ENOUGH_FUNDS' },
  disburse: { reason: 'recipient_not_found', code: 'PAYEE_NOT_FOUND' },
} as const
export type Side = keyof typeof SIDES
export const EACH_SIDE = Object.keys(SIDES) as Side[]

export const PHONE = '256712345678'
export const soon = () => deadlineIn(5000)

/** An attempt that nobody has made before. */
export function attemptAt(clock: Clock, more: Partial<Omit<Attempt, 'reference' | 'publicId'>> = {}): Attempt {
  const publicId = newId('txn_', 'abcde')
  return {
    ...{ reference: uuidFor(publicId), publicId, phone: PHONE, installation: 'first contract' },
    ...{ amount: 5000, currency: 'UGX', note: 'order 1', callbackPath: null, createdAt: clock.now() },
    ...more,
  }
}

export function movementOf(rail: Rail, side: Side): MovementRail<PayoutFailure> {
  const movement = rail[side]
  assert.ok(movement)
  return movement
}
