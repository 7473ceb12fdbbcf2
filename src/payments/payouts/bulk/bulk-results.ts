import { type Metadata, metadataJson } from '../../../api/http/bodies/metadata.ts'
import { type Call, call } from '../../../platform/db/database.ts'
import { statement } from '../../../platform/db/statement.ts'
import { bigint, boolean, copyInto, integer, jsonb, mode, text, time } from '../../../platform/db/wire/copy.ts'
import { advanceBatch, type BulkBatch } from './bulk-batch.ts'

/** The result of one item. */
export type ItemResult = { index: number; reference: string; metadata: Metadata | null } & (
  | { payoutId: string; status: string; replayed: boolean; firstAcceptedAt: Date | null }
  | { error: string; code: string; retryable: boolean }
)

export type BulkResultRow = {
  index: number
  reference: string
  metadata: Metadata | null
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

/** The result of one item as it is stored. */
type NewItemResult = {
  batch: BulkBatch
  result: ItemResult
  paid: Extract<ItemResult, { payoutId: string }> | null
  refused: Extract<ItemResult, { error: string }> | null
}
const ADD_RESULTS = copyInto<NewItemResult>('add bulk results', 'bulk_items', {
  merchant_id: bigint(({ batch }) => batch.merchantId),
  batch_id: text(({ batch }) => batch.id),
  item_index: integer(({ result }) => result.index),
  reference: text(({ result }) => result.reference),
  payout_id: text(({ paid }) => paid?.payoutId ?? null),
  replayed: boolean(({ paid }) => paid?.replayed ?? false),
  status: text(({ paid }) => paid?.status ?? null),
  first_accepted_at: time(({ paid }) => paid?.firstAcceptedAt ?? null),
  error: text(({ refused }) => refused?.error ?? null),
  code: text(({ refused }) => refused?.code ?? null),
  retryable: boolean(({ refused }) => refused?.retryable ?? false),
  metadata: jsonb(({ result }) => metadataJson(result.metadata)),
})
const RESULTS = statement<BulkResultRow>(
  'bulk results',
  `select i.item_index as index, i.reference, i.payout_id as "payoutId", i.replayed, i.status,
     i.first_accepted_at as "firstAcceptedAt", i.error, i.code, i.retryable, i.metadata, p.amount, p.recipient_phone as "recipientPhone"
   from bulk_items i left join payouts p on p.merchant_id = i.merchant_id and p.id = i.payout_id
   where i.merchant_id = $1 and i.batch_id = $2 order by i.item_index`,
)
const SPEND_REFERENCES = copyInto<{ batch: BulkBatch; reference: string; payoutId: string }>(
  'spend bulk references',
  'bulk_references',
  {
    merchant_id: bigint(({ batch }) => batch.merchantId),
    mode: mode(({ batch }) => batch.mode),
    reference: text(({ reference }) => reference),
    payout_id: text(({ payoutId }) => payoutId),
  },
)

export const bulkResults = (merchantId: number, id: string) => call(RESULTS, merchantId, id)

/** Stores the results of the next items and the progress of the batch. */
export function addResults(batch: BulkBatch, results: readonly ItemResult[], leaseUntil: Date): Call[] {
  const fresh = results.flatMap((result) =>
    'payoutId' in result && !result.replayed ? { batch, reference: result.reference, payoutId: result.payoutId } : [],
  )
  const accepted = batch.accepted + results.filter((result) => 'payoutId' in result).length
  const made = results.map((result) => ({
    batch,
    result,
    paid: 'payoutId' in result ? result : null,
    refused: 'error' in result ? result : null,
  }))
  return [
    ...SPEND_REFERENCES.rows(fresh),
    ...ADD_RESULTS.rows(made),
    advanceBatch(batch, { done: batch.done + results.length, accepted, leaseUntil }),
  ]
}
