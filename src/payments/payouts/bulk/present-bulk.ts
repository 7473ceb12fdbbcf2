import { Type } from 'typebox'
import { MetadataShape, presentMetadata } from '../../../api/http/bodies/metadata.ts'
import { PayoutStatusShape } from '../payout.ts'
import type { BulkResultRow } from './bulk-results.ts'

const BulkItemResultShape = Type.Object(
  {
    index: Type.Integer({ minimum: 0 }),
    ok: Type.Boolean(),
    id: Type.Optional(Type.String({ description: 'the payout, where ok' })),
    status: Type.Optional(PayoutStatusShape),
    amount: Type.Optional(Type.Integer({ minimum: 1 })),
    recipient_phone: Type.Optional(Type.String()),
    error: Type.Optional(Type.String({ description: 'why not, where not ok' })),
    code: Type.Optional(Type.String()),
    reference: Type.String({ description: 'yours, or `<Idempotency-Key>-<index>`' }),
    replayed: Type.Boolean({ description: 'this reference was accepted before; nothing was paid again' }),
    retryable: Type.Boolean({
      description: 'may be sent again, with a new Idempotency-Key and the same reference',
    }),
    first_accepted_at: Type.Optional(Type.String({ format: 'date-time' })),
    metadata: MetadataShape,
  },
  { $id: 'BulkItemResult' },
)

/** The result of a bulk call (spec 2.6; contract.md G13). */
export const BulkResultShape = Type.Object(
  {
    batch_id: Type.String({ description: 'starts with `batch_`' }),
    total: Type.Integer({ minimum: 0 }),
    accepted: Type.Integer({ minimum: 0 }),
    failed: Type.Integer({ minimum: 0 }),
    results: Type.Array(BulkItemResultShape),
  },
  { $id: 'BulkResult' },
)

/** Presents the answer to a bulk call. For a repeat with the same key (`isReplay`) every item is replayed (G13e). */
export function presentBatch(id: string, rows: readonly BulkResultRow[], isReplay: boolean) {
  const accepted = rows.filter((row) => row.payoutId !== null).length
  return {
    batch_id: id,
    total: rows.length,
    accepted,
    failed: rows.length - accepted,
    results: rows.map((row) => presentItem(row, isReplay)),
  }
}

function presentItem(row: BulkResultRow, isReplay: boolean) {
  const { index, reference } = row
  const replayed = isReplay || row.replayed
  if (row.payoutId === null)
    return {
      index,
      ok: false,
      error: row.error,
      code: row.code,
      reference,
      replayed,
      retryable: row.retryable,
      metadata: presentMetadata(row.metadata),
    }
  return {
    index,
    ok: true,
    id: row.payoutId,
    status: row.status,
    amount: row.amount,
    recipient_phone: row.recipientPhone,
    reference,
    replayed,
    retryable: false,
    ...(row.firstAcceptedAt === null ? {} : { first_accepted_at: row.firstAcceptedAt.toISOString() }),
    metadata: presentMetadata(row.metadata),
  }
}
