import type { App } from '../app.ts'
import { finishOrphans, type Orphan, type OrphanEnd } from '../idempotency/orphans.ts'
import { call, type Tx } from '../platform/db/database.ts'
import { statement } from '../platform/db/statement.ts'
import { moveAttempt } from '../rails/attempts.ts'
import { AMBIGUOUS, PAYOUT_COLUMNS, type Payout, presentPayout } from './payout.ts'
import { publishPayout } from './write-payout-status.ts'

// By then the request that reserved the key has given up: its submit ends within 25 s.
const ORPHANED_AFTER_MS = 30_000

const OBJECT = statement<Payout & { published: boolean }>(
  'payout of a key',
  `select ${PAYOUT_COLUMNS}, p.published from payouts p where p.merchant_id = $1 and p.id = $2 and p.voided_at is null for no key update`,
)

/**
 * Finishes what a process left behind when it died over a payout: one that exists gives its key the first answer it would have
 * had, one that was taken back frees it (G58).
 */
export function finishPayoutKeys(app: App): Promise<number> {
  return finishOrphans(app, {
    prefix: 'pout_',
    afterMs: ORPHANED_AFTER_MS,
    endOf: (tx, orphan) => endOf(app, tx, orphan),
  })
}

async function endOf(app: App, tx: Tx, { merchantId, objectId }: Orphan): Promise<OrphanEnd> {
  const [[payout]] = await tx.send(call(OBJECT, merchantId, objectId))
  if (!payout) return { answer: null }
  const body = JSON.stringify(firstView(payout))
  return { answer: { status: 201, body }, writes: payout.published ? [] : showInDoubt(app, payout) }
}

/** The payout must be visible once its answer is: from now on a process that wakes up late cannot take it back. */
const showInDoubt = (app: App, payout: Payout) => [
  publishPayout(app, payout, true),
  moveAttempt({ merchantId: payout.merchantId, reference: payout.railReference }, 'in_doubt', null),
]

/** The payout as its 201 would have shown it, without a known outcome of its submit. */
const firstView = (payout: Payout) =>
  presentPayout({
    ...payout,
    status: 'authorized',
    failureReason: AMBIGUOUS,
    railTransactionId: null,
    completedAt: null,
  })
