import { formatSqlTime } from '../../../platform/db/sql-time.ts'
import { type Statement, statement } from '../../../platform/db/statement.ts'
import type { App } from '../../../program/app.ts'
import {
  EACH_PAYMENT_NOUN,
  filterSql,
  filterValues,
  hasMoreFilters,
  type ListedPayment,
  PAYMENT_NOUNS,
  type PaymentFilter,
  type PaymentNoun,
  paymentColumnsSql,
  SHOWN_COLUMNS,
} from './listed-payment.ts'

/** A position in the list, newest first. */
export type ListPosition = { at: Date; id: string }
/** A part of the list, in order. `bound`: how far was read, where that was not the end. */
type WalkedPart = { rows: ListedPayment[]; bound: ListPosition | null }

// With filters that may match nothing, one page reads so many payments; then it says how far that was.
const MAX_WALKED = 2000

type WalkRow = { [K in keyof ListedPayment]: ListedPayment[K] | null } & {
  boundAt: Date | null
  boundId: string | null
}

// Indexes: charges_of_all, payouts_of_all, top_ups_of_all. The rows that were read are kept, so that the bound is one of them however few
// match.
const walkStatement = (noun: PaymentNoun) =>
  statement<WalkRow>(
    `walk ${noun} of all`,
    `with looked as materialized (
       select ${paymentColumnsSql(noun)} from ${noun} p where ${PAYMENT_NOUNS[noun].mode} and p.published and (p.created_at, p.id) < ($1::timestamptz, $2)
         and p.created_at >= $4::timestamptz order by p.created_at desc, p.id desc limit $3)
     select ${SHOWN_COLUMNS}, b.created_at as "boundAt", b.id as "boundId"
     from (select 1) one
       left join lateral (select created_at, id from looked where (select count(*) from looked) = $3 order by created_at, id limit 1) b on true
       left join lateral (select * from looked p where ${filterSql(6)} order by p.created_at desc, p.id desc limit $5) p on true
       left join merchants m on m.id = p.merchant_id
     order by p.created_at desc, p.id desc`,
  )
const WALKS = Object.fromEntries(EACH_PAYMENT_NOUN.map((noun) => [noun, walkStatement(noun)])) as Record<
  PaymentNoun,
  Statement<WalkRow>
>

/** Reads the newest payments of each noun of a cell that match and are older than a position. */
export const walkCell = (
  app: Pick<App, 'db'>,
  filter: PaymentFilter,
  { after, limit }: { after: ListPosition; limit: number },
): Promise<WalkedPart[]> =>
  Promise.all(
    EACH_PAYMENT_NOUN.map(async (noun) => {
      const most = hasMoreFilters(filter) ? MAX_WALKED : limit
      const values = [formatSqlTime(after.at), after.id, most, filter.from ?? '-infinity', limit]
      const walked = await app.db.query(WALKS[noun], [...values, ...filterValues(filter)])
      const rows = walked.filter((row): row is WalkRow & ListedPayment => row.id !== null)
      const last = rows.at(-1)
      return { rows, bound: rows.length === limit && last ? positionOf(last) : readBound(walked) }
    }),
  )

function readBound([first]: readonly WalkRow[]): ListPosition | null {
  const { boundAt = null, boundId = null } = first ?? {}
  return boundAt === null || boundId === null ? null : { at: boundAt, id: boundId }
}

/** Whether a position comes before another. */
const isNewer = (mark: ListPosition, other: ListPosition): boolean =>
  mark.at.getTime() - other.at.getTime() > 0 || (mark.at.getTime() === other.at.getTime() && mark.id > other.id)

/** Merges several parts, as far as all of them were read. `next`: where the list continues; null at its end. */
export function mergeParts(
  parts: readonly WalkedPart[],
  limit: number,
): { rows: ListedPayment[]; next: ListPosition | null } {
  const bounds = parts.flatMap(({ bound }) => (bound === null ? [] : [bound]))
  const barrier = bounds.reduce<ListPosition | null>(
    (newest, bound) => (newest === null || isNewer(bound, newest) ? bound : newest),
    null,
  )
  const inOrder = parts.flatMap(({ rows }) => rows).sort((a, b) => (isNewer(positionOf(a), positionOf(b)) ? -1 : 1))
  const seen = barrier === null ? inOrder : inOrder.filter((row) => !isNewer(barrier, positionOf(row)))
  const rows = seen.slice(0, limit)
  const last = rows.at(-1)
  if (last !== undefined && rows.length < seen.length) return { rows, next: positionOf(last) }
  return { rows, next: barrier }
}

export const positionOf = ({ createdAt: at, id }: ListedPayment): ListPosition => ({ at, id })
