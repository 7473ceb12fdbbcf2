import type { App } from '../app.ts'
import { call } from '../platform/db/database.ts'
import { classify, DatabaseAway } from '../platform/db/errors.ts'
import { statement } from '../platform/db/statement.ts'
import { finishKey, freeKey, type KeyOwner } from '../platform/idempotency/keys.ts'
import { moveAttempt } from '../rails/attempts.ts'
import { takeLeftBatches } from './bulk-batch.ts'
import { BULK_LEASE_MS, runChunks } from './bulk-chunk.ts'
import { finishBatch } from './bulk-payouts.ts'
import { AMBIGUOUS, PAYOUT_COLUMNS, type Payout, presentPayout } from './payout.ts'
import { publishPayout } from './submit-live-payout.ts'

type Orphan = KeyOwner & { objectId: string }
type LeftBatch = KeyOwner & { id: string }

// The request that reserved the key has surely given up by then: its submit lives 25 s.
const ORPHANED_AFTER_MS = 30_000
const AT_ONCE = 200

const ORPHANS = statement<Orphan>(
  'orphaned payout keys',
  `select merchant_id as "merchantId", mode, key, object_id as "objectId" from idempotency_keys
   where status is null and created_at < $1 and object_id like 'pout\\_%' order by created_at limit $2`,
)
const OBJECT = statement<Payout & { published: boolean }>(
  'payout of a key',
  `select ${PAYOUT_COLUMNS}, p.published from payouts p where p.merchant_id = $1 and p.id = $2 and p.voided_at is null for no key update`,
)
// Every item has its result and the answer was not kept any more.
const UNANSWERED = statement<LeftBatch>(
  'unanswered bulk batches',
  `select k.merchant_id as "merchantId", k.mode, k.key, b.id from idempotency_keys k
   join bulk_batches b on b.merchant_id = k.merchant_id and b.id = k.object_id
   where k.status is null and k.created_at < $1 and k.object_id like 'batch\\_%' and b.lease_until is null
   order by k.created_at limit $2`,
)

/**
 * Finishes what a process left behind when it died over a payout or a bulk call: a payout that exists gives its key the first
 * answer it would have had, one that was taken back frees it; a batch goes on at its first item without a result (G13e, G58).
 */
export async function finishPayoutKeys(app: App): Promise<number> {
  const before = new Date(app.clock.nowMs() - ORPHANED_AFTER_MS).toISOString()
  const orphans = await app.db.query(ORPHANS, [before, AT_ONCE])
  for (const orphan of orphans) await finishOne(app, orphan)
  const left = await takeLeft(app)
  const unanswered = await app.db.query(UNANSWERED, [before, AT_ONCE])
  for (const batch of unanswered) await finishBatch(app, batch)
  return orphans.length + left + unanswered.length
}

function finishOne(app: App, orphan: Orphan): Promise<null> {
  return app.db.transaction(async (tx) => {
    const [[payout]] = await tx.send(call(OBJECT, orphan.merchantId, orphan.objectId))
    if (!payout) return { value: null, last: [freeKey(orphan)] }
    const answer = finishKey(orphan, { status: 201, body: JSON.stringify(firstView(payout)) })
    return { value: null, last: [...(payout.published ? [] : showInDoubt(app, payout)), answer] }
  })
}

/** Whoever reads the answer must find the payout: a process that wakes up late can no longer take it back. */
const showInDoubt = (app: App, payout: Payout) => [
  publishPayout(app, payout, true),
  moveAttempt({ merchantId: payout.merchantId, reference: payout.railReference }, 'in_doubt', null),
]

/** The payout as its 201 would have shown it: nobody had heard what became of its submit. */
const firstView = (payout: Payout) =>
  presentPayout({
    ...payout,
    status: 'authorized',
    failureReason: AMBIGUOUS,
    railTransactionId: null,
    completedAt: null,
  })

async function takeLeft(app: App): Promise<number> {
  const now = app.clock.now()
  const taken = takeLeftBatches(now, new Date(now.getTime() + BULK_LEASE_MS), AT_ONCE)
  const left = await app.db.query(taken.statement, taken.values)
  for (const batch of left) await finishAlone(app, batch)
  return left.length
}

/** One call's trouble stops no other: its lease runs out, and it is taken again. */
async function finishAlone(app: App, batch: LeftBatch): Promise<void> {
  try {
    await runChunks(app, batch)
    await finishBatch(app, batch)
  } catch (error) {
    if (classify(error) instanceof DatabaseAway) throw error
    app.log.error({ err: error, object_id: batch.id }, 'a bulk call could not be finished; it is tried again')
  }
}
