import { numbers, times, words } from '../../platform/db/columns.ts'
import { type Call, call } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import { advanceBatch, type BulkBatch } from './bulk-batch.ts'

/** The result of one item. */
export type ItemResult = { index: number; reference: string } & (
  | { payoutId: string; status: string; replayed: boolean; firstAcceptedAt: Date | null }
  | { error: string; code: string; retryable: boolean }
)

export type BulkResultRow = {
  index: number
  reference: string
  payoutId: string | null
  replayed: boolean
  status: string | null
  firstAcceptedAt: Date | null
  error: string | null
  code: string | null
  retryable: boolean
  amount: number | null
  recipientPhone: string | null
}

const ADD_RESULTS = statement(
  'add bulk results',
  `insert into bulk_items (merchant_id, batch_id, item_index, reference, payout_id, replayed, status, first_accepted_at,
     error, code, retryable)
   select $1, $2, * from unnest($3::int[], $4::text[], $5::text[], $6::boolean[], $7::text[], $8::timestamptz[], $9::text[],
     $10::text[], $11::boolean[])`,
)
const RESULTS = statement<BulkResultRow>(
  'bulk results',
  `select i.item_index as index, i.reference, i.payout_id as "payoutId", i.replayed, i.status,
     i.first_accepted_at as "firstAcceptedAt", i.error, i.code, i.retryable, p.amount, p.recipient_phone as "recipientPhone"
   from bulk_items i left join payouts p on p.merchant_id = i.merchant_id and p.id = i.payout_id
   where i.merchant_id = $1 and i.batch_id = $2 order by i.item_index`,
)
const SPEND = statement(
  'spend bulk references',
  `insert into bulk_references (merchant_id, mode, reference, payout_id)
   select $1, $2, * from unnest($3::text[], $4::text[])`,
)

export const resultsOf = (merchantId: number, id: string) => call(RESULTS, merchantId, id)

/** Stores the results of the next items and the progress of the batch. */
export function addResults(batch: BulkBatch, results: readonly ItemResult[], leaseUntil: Date): Call[] {
  const paid = (result: ItemResult) => ('payoutId' in result ? result : null)
  const refused = (result: ItemResult) => ('error' in result ? result : null)
  const fresh = results.flatMap((one) => ('payoutId' in one && !one.replayed ? [one] : []))
  const accepted = batch.accepted + results.filter((one) => 'payoutId' in one).length
  return [
    ...(fresh.length === 0
      ? []
      : [
          call(
            SPEND,
            batch.merchantId,
            batch.mode,
            fresh.map((one) => one.reference),
            words(fresh.map((one) => one.payoutId)),
          ),
        ]),
    call(
      ADD_RESULTS,
      batch.merchantId,
      batch.id,
      numbers(results.map((one) => one.index)),
      results.map((one) => one.reference),
      words(results.map((one) => paid(one)?.payoutId ?? null)),
      results.map((one) => paid(one)?.replayed ?? false),
      words(results.map((one) => paid(one)?.status ?? null)),
      times(results.map((one) => paid(one)?.firstAcceptedAt ?? null)),
      results.map((one) => refused(one)?.error ?? null),
      words(results.map((one) => refused(one)?.code ?? null)),
      results.map((one) => refused(one)?.retryable ?? false),
    ),
    advanceBatch(batch, { done: batch.done + results.length, accepted, leaseUntil }),
  ]
}
