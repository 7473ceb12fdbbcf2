import type { Tx } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import type { App } from '../../program/app.ts'
import { finishMovementKeys } from '../../rails/finish-movement-keys.ts'
import type { ChargeFailure } from '../../rails/rail.ts'
import { type ChargeShare, sharesOfCharges } from '../subaccounts/shares.ts'
import { CHARGE_COLUMNS, type Charge, presentCharge } from './charge.ts'
import { CHARGE_MOVER } from './charge-mover.ts'

const CHARGE_OF_KEY = statement<Charge & { published: boolean }>(
  'charge of a key',
  `select ${CHARGE_COLUMNS}, c.published from charges c where c.merchant_id = $1 and c.id = $2 and c.voided_at is null for no key update`,
)

/** Finishes the keys whose process died while it created a live charge (G58). Returns how many. */
export const finishChargeKeys = (app: App): Promise<number> =>
  finishMovementKeys<Charge, ChargeFailure>(app, {
    mover: CHARGE_MOVER,
    prefix: 'txn_',
    find: CHARGE_OF_KEY,
    firstView: presentFirstAnswer,
  })

/** Presents the charge as its 201 showed it: authorized, without later changes. */
async function presentFirstAnswer(tx: Tx, charge: Charge): Promise<object> {
  const [shares] = charge.shares === null ? [[]] : await tx.send(sharesOfCharges([charge]))
  return presentCharge({
    ...charge,
    ...(charge.shares === null ? {} : resolvedSplit(shares)),
    status: 'authorized',
    failureReason: null,
    railTransactionId: null,
    completedAt: null,
    refundedAt: null,
    refundId: null,
    holdUntil: null,
    settledAt: null,
  })
}

/** Restores the shares as they were resolved at first, before any was reversed or settled. */
const resolvedSplit = (shares: readonly ChargeShare[]) => ({
  shares: shares.reduce((sum, { amount }) => sum + amount, 0),
  split: shares.map((share) => ({ ...share, reversed: false, settledAt: null })),
})
