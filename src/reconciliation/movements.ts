import type { App } from '../app.ts'
import { statement } from '../platform/db/statement.ts'
import { tagOf } from '../platform/ids.ts'
import type { EndedAttempt } from '../rails/review-attempts.ts'

/** What we say of a movement that went to an operator. A refunded charge counts as succeeded. */
export type OurWord = {
  merchantId: number
  id: string
  says: 'succeeded' | 'failed' | 'void' | 'open'
  amount: number
  phone: string
  createdAt: Date
  completedAt: Date | null
}

const SAYS = `case when voided_at is not null then 'void' when status in ('succeeded', 'refunded') then 'succeeded'
  when status = 'failed' then 'failed' else 'open' end as says`
/** Every live movement that travels, of all nouns: the list that the legs compare. */
export const LIVE_MOVEMENTS = `
  select merchant_id, id, amount - gift_card_amount as amount, phone, status, voided_at, created_at, completed_at,
    rail_reference, rail_transaction_id, 'collect' as side from charges where mode = 'live' and rail_reference is not null
  union all
  select merchant_id, id, amount, phone, status, voided_at, created_at, completed_at, rail_reference, rail_transaction_id,
    'collect' from top_ups
  union all
  select merchant_id, id, amount, recipient_phone, status, voided_at, created_at, completed_at, rail_reference,
    rail_transaction_id, 'disburse' from payouts where mode = 'live'`
const OURS = statement<OurWord>(
  'movements to review',
  `select m.merchant_id as "merchantId", m.id, ${SAYS}, m.amount::float8 as amount, m.phone, m.created_at as "createdAt",
     m.completed_at as "completedAt"
   from (${LIVE_MOVEMENTS}) m join unnest($1::bigint[], $2::text[]) as n (merchant_id, id)
     on n.merchant_id = m.merchant_id and n.id = m.id`,
)

/** What we say of these, by the id of the movement. */
export async function ourWords(
  { db }: Pick<App, 'db'>,
  attempts: readonly EndedAttempt[],
): Promise<Map<string, OurWord>> {
  const rows = await db.query(OURS, [
    attempts.map(({ merchantId }) => merchantId),
    attempts.map(({ subject }) => subject),
  ])
  return new Map(rows.map((row) => [row.id, row]))
}

const PREFIXES = ['txn_', 'pout_', 'top_']

/** The tag of the merchant in the id of a movement, or null for a text that is none. */
export const tagOfMovement = (id: string): string | null =>
  PREFIXES.map((prefix) => tagOf(prefix, id)).find((tag) => tag !== null) ?? null
