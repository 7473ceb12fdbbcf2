import { computeOrphanBounds, finishEach, ORPHANS_PER_PAGE } from '../../api/idempotency/orphans.ts'
import { call, type Tx } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import type { App } from '../../program/app.ts'
import { finishMovementKeys, ORPHANED_AFTER_MS, showInDoubt } from '../../rails/finish-movement-keys.ts'
import type { ChargeFailure } from '../../rails/rail.ts'
import { type ChargeShare, sharesOfCharges } from '../subaccounts/shares.ts'
import { CHARGE_COLUMNS, type Charge, presentCharge } from './charge.ts'
import { CHARGE_MOVER } from './charge-mover.ts'

const CHARGE_OF_KEY = statement<Charge & { published: boolean }>(
  'charge of a key',
  `select ${CHARGE_COLUMNS}, c.published from charges c where c.merchant_id = $1 and c.id = $2 and c.voided_at is null for no key update`,
)

// Index: charges_hidden.
const HIDDEN_CHARGES = statement<{ merchantId: number; objectId: string }>(
  'hidden charges',
  `select c.merchant_id as "merchantId", c.id as "objectId" from charges c
   where c.mode = 'live' and not c.published and c.follow_at is not null and (c.created_at < $1 or c.created_at > $2)
   order by c.created_at, c.merchant_id, c.id limit $3 offset $4`,
)

/** Finishes the keys whose process died while it created a live charge (G58). Returns how many. */
export async function finishChargeKeys(app: App): Promise<number> {
  const shown = await showHiddenCharges(app)
  return shown + (await finishRunningKeys(app))
}

/** Shows the charges whose process died before it did, so that the answers under their keys count. */
function showHiddenCharges(app: App): Promise<number> {
  const bounds = computeOrphanBounds(app.clock, ORPHANED_AFTER_MS)
  return finishEach(app, {
    list: (skipped) => app.db.query(HIDDEN_CHARGES, [...bounds, ORPHANS_PER_PAGE, skipped]),
    finish: ({ merchantId, objectId }) =>
      app.db.transactionFor({ kind: 'outcome' }, async (tx) => {
        const [[charge]] = await tx.send(call(CHARGE_OF_KEY, merchantId, objectId))
        return { value: null, last: charge?.published === false ? showInDoubt(app, CHARGE_MOVER, charge) : [] }
      }),
  })
}

/** Finishes keys that the release before left running: it stored the answer of a charge only when the charge was shown. */
const finishRunningKeys = (app: App): Promise<number> =>
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
