import type { App } from '../app.ts'
import { finishOrphans, type Orphan, type OrphanEnd } from '../idempotency/orphans.ts'
import { call, type Tx } from '../platform/db/database.ts'
import { statement } from '../platform/db/statement.ts'
import { moveAttempt } from '../rails/attempts.ts'
import { type Share, sharesOf } from '../subaccounts/shares.ts'
import { CHARGE_COLUMNS, type Charge, presentCharge } from './charge.ts'
import { publishCharge } from './write-charge-status.ts'

// By then the request that reserved a live key has given up: its submit ends within 25 s.
const ORPHANED_AFTER_MS = 30_000

const OBJECT = statement<Charge & { published: boolean }>(
  'charge of a key',
  `select ${CHARGE_COLUMNS}, c.published from charges c where c.merchant_id = $1 and c.id = $2 and c.voided_at is null for no key update`,
)

/**
 * Finds keys whose process died between storing a live charge and answering: the charge exists, so its first answer is
 * rendered from the row as it was created; a charge that was taken back frees the key (G58). Answers how many.
 */
export function finishKeys(app: App): Promise<number> {
  return finishOrphans(app, {
    prefix: 'txn_',
    afterMs: ORPHANED_AFTER_MS,
    endOf: (tx, orphan) => endOf(app, tx, orphan),
  })
}

async function endOf(app: App, tx: Tx, { merchantId, objectId }: Orphan): Promise<OrphanEnd> {
  const [[charge]] = await tx.send(call(OBJECT, merchantId, objectId))
  if (!charge) return { answer: null }
  const [shares] = charge.shares === null ? [[]] : await tx.send(sharesOf([charge]))
  const body = JSON.stringify(firstView(charge, shares))
  return { answer: { status: 201, body }, writes: charge.published ? [] : showInDoubt(app, charge) }
}

/** The charge must be visible once its answer is: from now on a process that wakes up late cannot take it back. */
const showInDoubt = (app: App, charge: Charge) => [
  publishCharge(app, charge),
  moveAttempt({ merchantId: charge.merchantId, reference: charge.railReference as string }, 'in_doubt', null),
]

/** The charge as its 201 showed it: authorized, without later changes. */
function firstView(charge: Charge, shares: readonly Share[]) {
  return presentCharge({
    ...charge,
    ...(charge.shares === null ? {} : firstSplit(shares)),
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

/** The shares as they were resolved, with reversed ones restored. */
const firstSplit = (shares: readonly Share[]) => ({
  shares: shares.reduce((sum, { amount }) => sum + amount, 0),
  split: shares.map((share) => ({ ...share, reversed: false, settledAt: null })),
})
