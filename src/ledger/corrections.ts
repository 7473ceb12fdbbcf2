import { type Call, call, type Database } from '../platform/db/database.ts'
import { statement } from '../platform/db/statement.ts'
import type { Mode } from '../platform/mode.ts'
import { domainRefusal } from '../platform/refusal.ts'
import { type LedgerAccount, railAccount } from './accounts.ts'
import type { Book } from './book.ts'

/** A correction of a merchant's balance that two members of staff have agreed on. Whole UGX; `in` adds to what is available. */
type Correction = {
  merchantId: number
  mode: Mode
  id: string
  direction: 'in' | 'out'
  against: 'rail' | 'fees' | 'adjustments'
  amount: number
}
type NewAdjustment = Omit<Correction, 'against'> & {
  approval: string
  exception: string
  about: string
  told: string
  at: Date
}

// The channel whose rail account a correction is posted against: live money goes through one operator.
const LIVE_CHANNEL = 'op1_momo'
const ADD_ADJUSTMENT = statement(
  'add adjustment',
  `insert into adjustments (merchant_id, id, mode, approval_id, exception_id, about, direction, amount, told, at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
)
const ADJUSTMENT_MESSAGES = statement<{ id: string; told: string; about: string }>(
  'what adjustments tell',
  'select id, told, about from adjustments where merchant_id = $1 and id = any($2::text[])',
)

/**
 * Posts a correction on the locked head of the book. Throws Refusal (insufficient_funds) when the merchant's available balance is
 * less than what is taken, because no balance goes below zero.
 */
export function postCorrection(book: Book, { merchantId, mode, id, direction, against, amount }: Correction): void {
  const { available } = book.head(merchantId, mode)
  const contra: LedgerAccount = against === 'rail' ? railAccount(LIVE_CHANNEL) : against
  const posting = { merchantId, mode, subject: id, amount } as const
  if (direction === 'in') {
    book.post({ ...posting, kind: 'correction_in', debit: contra, credit: 'available' })
    return
  }
  if (available < amount)
    throw domainRefusal(
      'insufficient_funds',
      `the merchant has UGX ${available} available, and this takes UGX ${amount}: it waits until the money is there`,
    )
  book.post({ ...posting, kind: 'correction_out', debit: 'available', credit: contra })
}

/** Stores a correction beside its transfer, in the same commit. */
export const addAdjustment = (adjustment: NewAdjustment): Call =>
  call(
    ADD_ADJUSTMENT,
    ...[adjustment.merchantId, adjustment.id, adjustment.mode, adjustment.approval, adjustment.exception],
    ...[adjustment.about, adjustment.direction, adjustment.amount, adjustment.told],
    adjustment.at.toISOString(),
  )

/** Reads the messages to the merchant about these corrections, by the subject of their transfers. */
export async function readAdjustmentMessages(
  db: Database,
  merchantId: number,
  subjects: readonly string[],
): Promise<ReadonlyMap<string, { told: string; about: string }>> {
  const ids = subjects.filter((subject) => subject.startsWith('adj_'))
  const rows = ids.length === 0 ? [] : await db.query(ADJUSTMENT_MESSAGES, [merchantId, ids])
  return new Map(rows.map(({ id, told, about }) => [id, { told, about }]))
}
