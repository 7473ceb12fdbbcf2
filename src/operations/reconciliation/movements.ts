import { statement } from '../../platform/db/statement.ts'
import { parseTag } from '../../platform/text/ids.ts'
import type { App } from '../../program/app.ts'
import type { FinishedAttempt } from '../../rails/following/review-attempts.ts'

/** The state in our books of a movement that went to an operator. A refunded charge counts as succeeded. */
export type OurMovement = {
  merchantId: number
  id: string
  says: 'succeeded' | 'failed' | 'void' | 'open'
  amount: number
  phone: string
  createdAt: Date
  completedAt: Date | null
}

const STATE_COLUMN = `case when m.voided_at is not null then 'void' when m.status in ('succeeded', 'refunded') then 'succeeded'
  when m.status = 'failed' then 'failed' else 'open' end as says`
const COLUMNS = `m.phone, m.status, m.voided_at, m.created_at, m.completed_at, m.rail_reference, m.rail_transaction_id`
/**
 * The SQL of live movements that go to an operator, of all three nouns, for which `where` holds; it calls each `m`. The condition stands
 * within each of the three, so that each finds its rows by its own index, whatever version of the server plans it.
 */
export const liveMovements = (where: string) => `
  select m.merchant_id, m.id, m.amount - m.gift_card_amount as amount, ${COLUMNS}, 'collect' as side
    from charges m where m.mode = 'live' and m.rail_reference is not null and ${where}
  union all
  select m.merchant_id, m.id, m.amount, ${COLUMNS}, 'collect' from top_ups m where ${where}
  union all
  select m.merchant_id, m.id, m.amount, ${COLUMNS.replace('m.phone', 'm.recipient_phone')}, 'disburse'
    from payouts m where m.mode = 'live' and ${where}`
const OURS = statement<OurMovement>(
  'movements to review',
  `select m.merchant_id as "merchantId", m.id, ${STATE_COLUMN}, m.amount::float8 as amount, m.phone, m.created_at as "createdAt",
     m.completed_at as "completedAt"
   from unnest($1::bigint[], $2::text[]) as n (merchant_id, id)
     cross join lateral (${liveMovements('m.merchant_id = n.merchant_id and m.id = n.id')}) m`,
)

/** Reads the states of these movements in our books, by the id of the movement. */
export async function readOurMovements(
  { db }: Pick<App, 'db'>,
  attempts: readonly FinishedAttempt[],
): Promise<Map<string, OurMovement>> {
  const rows = await db.query(OURS, [
    attempts.map(({ merchantId }) => merchantId),
    attempts.map(({ subject }) => subject),
  ])
  return new Map(rows.map((row) => [row.id, row]))
}

const PREFIXES = ['txn_', 'pout_', 'top_']

/** The tag of the merchant in the id of a movement, or null for a text that is no such id. */
export const tagOfMovement = (id: string): string | null =>
  PREFIXES.map((prefix) => parseTag(prefix, id)).find((tag) => tag !== null) ?? null

/** Normalizes an id or reference of an operator's statement: some write capitals. */
export const normalizeSpelling = (text: string): string => text.trim().toLowerCase()
