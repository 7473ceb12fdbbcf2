import type { App } from '../../app.ts'
import { sqlTime } from '../../platform/db/sql-time.ts'
import { type Statement, statement } from '../../platform/db/statement.ts'
import {
  asksMore,
  columnsOf,
  EACH_NOUN,
  fits,
  type ListedPayment,
  NOUNS,
  type Noun,
  type PaymentFilter,
  SHOWN,
  valuesOf,
} from './listed-payment.ts'

/** A position in the list, newest first. */
export type Mark = { at: Date; id: string }
/** A part of the list, in order. `bound`: how far was read, where that was not the end. */
type Walked = { rows: ListedPayment[]; bound: Mark | null }

// With filters that may match nothing, one page reads so many payments; then it says how far that was.
const MOST_LOOKED = 2000

type Row = { [K in keyof ListedPayment]: ListedPayment[K] | null } & {
  boundAt: Date | null
  boundId: string | null
}

// Indexes: charges_of_all, payouts_of_all, top_ups_of_all. The rows that were read are kept, so that the bound is one of them however few
// match.
const walk = (noun: Noun) =>
  statement<Row>(
    `walk ${noun} of all`,
    `with looked as materialized (
       select ${columnsOf(noun)} from ${noun} p where ${NOUNS[noun].mode} and p.published and (p.created_at, p.id) < ($1::timestamptz, $2)
         and p.created_at >= $4::timestamptz order by p.created_at desc, p.id desc limit $3)
     select ${SHOWN}, b.created_at as "boundAt", b.id as "boundId"
     from (select 1) one
       left join lateral (select created_at, id from looked where (select count(*) from looked) = $3 order by created_at, id limit 1) b on true
       left join lateral (select * from looked p where ${fits(6)} order by p.created_at desc, p.id desc limit $5) p on true
       left join merchants m on m.id = p.merchant_id
     order by p.created_at desc, p.id desc`,
  )
const WALKS = Object.fromEntries(EACH_NOUN.map((noun) => [noun, walk(noun)])) as Record<Noun, Statement<Row>>

/** Reads the newest payments of each noun of a cell that match and are older than a position. */
export const walkCell = (
  app: Pick<App, 'db'>,
  filter: PaymentFilter,
  { after, limit }: { after: Mark; limit: number },
): Promise<Walked[]> =>
  Promise.all(
    EACH_NOUN.map(async (noun) => {
      const most = asksMore(filter) ? MOST_LOOKED : limit
      const values = [sqlTime(after.at), after.id, most, filter.from ?? '-infinity', limit]
      const walked = await app.db.query(WALKS[noun], [...values, ...valuesOf(filter)])
      const rows = walked.filter((row): row is Row & ListedPayment => row.id !== null)
      const last = rows.at(-1)
      return { rows, bound: rows.length === limit && last ? markOf(last) : boundOf(walked) }
    }),
  )

function boundOf([first]: readonly Row[]): Mark | null {
  const { boundAt = null, boundId = null } = first ?? {}
  return boundAt === null || boundId === null ? null : { at: boundAt, id: boundId }
}

/** Whether a position comes before another. */
const isNewer = (mark: Mark, other: Mark): boolean =>
  mark.at.getTime() - other.at.getTime() > 0 ||
  (mark.at.getTime() === other.at.getTime() && mark.id > other.id)

/** Merges several parts, as far as all of them were read. `next`: where the list continues; null at its end. */
export function together(
  parts: readonly Walked[],
  limit: number,
): { rows: ListedPayment[]; next: Mark | null } {
  const bounds = parts.flatMap(({ bound }) => (bound === null ? [] : [bound]))
  const barrier = bounds.reduce<Mark | null>(
    (newest, bound) => (newest === null || isNewer(bound, newest) ? bound : newest),
    null,
  )
  const inOrder = parts.flatMap(({ rows }) => rows).sort((a, b) => (isNewer(markOf(a), markOf(b)) ? -1 : 1))
  const seen = barrier === null ? inOrder : inOrder.filter((row) => !isNewer(barrier, markOf(row)))
  const rows = seen.slice(0, limit)
  const last = rows.at(-1)
  if (last !== undefined && rows.length < seen.length) return { rows, next: markOf(last) }
  return { rows, next: barrier }
}

export const markOf = ({ createdAt: at, id }: ListedPayment): Mark => ({ at, id })
