import { type Call, call } from '../../../platform/db/database.ts'
import { statement } from '../../../platform/db/statement.ts'
import type { BulkBatch } from './bulk-batch.ts'

export type SpentReference = {
  reference: string
  payoutId: string
  status: string
  amount: number
  channel: string
  recipientPhone: string
  acceptedAt: Date
}

// `offset 0` keeps the look-up one by one: otherwise the planner reads every reference the merchant ever spent.
const SPENT_REFERENCES = statement<SpentReference>(
  'spent bulk references',
  `select r.reference, p.id as "payoutId", p.status, p.amount, p.channel, p.recipient_phone as "recipientPhone",
     p.created_at as "acceptedAt"
   from unnest($3::text[]) as n (reference) cross join lateral (
     select * from bulk_references b where b.merchant_id = $1 and b.mode = $2 and b.reference = n.reference offset 0) r
   join payouts p on p.merchant_id = r.merchant_id and p.id = r.payout_id`,
)
// The references of items without a result in earlier, unfinished batches. There are rarely any.
const WAITING_REFERENCES = statement<{ reference: string }>(
  'waiting bulk references',
  `select item.value->>'reference' as reference
   from bulk_batches b cross join lateral jsonb_array_elements(b.items) with ordinality item (value, place)
   where b.merchant_id = $1 and b.mode = $2 and b.lease_until is not null and (b.created_at, b.id) < ($3, $4)
     and item.place > b.done`,
)

/** Reads which of these references are spent, with their payouts. Must be sent after the head is locked. */
export const spentReferences = (batch: BulkBatch, references: readonly string[]): Call<SpentReference> =>
  call(SPENT_REFERENCES, batch.merchantId, batch.mode, references)
export const waitingReferences = (batch: BulkBatch): Call<{ reference: string }> =>
  call(WAITING_REFERENCES, batch.merchantId, batch.mode, batch.createdAt.toISOString(), batch.id)
