import type { App } from '../../app.ts'
import { statement } from '../../platform/db/statement.ts'
import { groupBy } from '../../platform/group-by.ts'
import {
  columnsOf,
  EACH_NOUN,
  fits,
  type ListedPayment,
  NOUNS,
  type PaymentFilter,
  SHOWN,
  valuesOf,
} from './listed-payment.ts'
import { inAll } from './positions.ts'
import { hasPart } from './tokens.ts'

/** The position of a payment in a segment, from which a search continues towards earlier ones. */
export type Numbered = { segment: number; position: number }
/** The matches, the latest completion first. `end`: how far was searched; null at the end. */
type FoundInSegments = {
  rows: { payment: ListedPayment; position: Numbered }[]
  end: Numbered | null
  until: Date | null
}

type Segment = { segment: number; payments: number; createdFrom: Date; createdUntil: Date }
type Posting = { segment: number; known: number; positions: Buffer | null }
type Looking = {
  tokens: readonly (readonly number[])[]
  filter: PaymentFilter
  after: Numbered | null
  limit: number
}

// The cost limits of one page: bytes of position lists, and payments that are compared. A page that reaches them says how far it
// searched.
const MOST_BYTES = 3_000_000
const MOST_COMPARED = 500
const COMPARED_FIRST = 50
const COMPARED_AT_ONCE = 250
const MOST_SEGMENTS = 4000
const NEWEST_SEGMENT = 2 ** 31 - 1
// A token that more than one in eight payments has selects little, and its list is long: payments are compared instead.
const LONGEST_LIST = 16_384
const MOST_LISTS = 3
// A list so many times as long as the shortest takes longer to read than it saves.
const TELLING = 4
// The first step searches the newest segment; each further step four times as many.
const MORE_EACH_TIME = 4
const MOST_AT_ONCE = 64

const SEGMENTS = statement<Segment>(
  'segments of payments',
  `select segment, payments, created_from as "createdFrom", created_until as "createdUntil" from search_segments
   where segment <= $1 and created_from <= $3::timestamptz and created_until >= $2::timestamptz order by segment desc limit ${MOST_SEGMENTS}`,
)
// The shortest lists of a segment select nearly everything; `known` is how many of the tokens have a list.
const POSTINGS = statement<Posting>(
  'positions of tokens',
  `select segment, known, case when bytes <= ${LONGEST_LIST} then positions end as positions from (
     select p.segment, p.positions, octet_length(p.positions) as bytes, count(*) over of_segment as known,
       row_number() over (of_segment order by octet_length(p.positions), p.token) as nth, min(octet_length(p.positions)) over of_segment as least
     from unnest($1::int[]) t (token) cross join unnest($2::int[]) s (segment)
       join search_postings p on p.token = t.token and p.segment = s.segment
     window of_segment as (partition by p.segment)) x
   where nth = 1 or (nth <= ${MOST_LISTS} and bytes <= ${TELLING} * least)`,
)
const compared = EACH_NOUN.map(
  (
    noun,
  ) => `select k.segment, k.position, ${columnsOf(noun)} from unnest($1::int[], $2::int[]) k (segment, position)
     join search_payments s on s.segment = k.segment and s.position = k.position join ${noun} p on p.id = s.id and p.merchant_id = s.merchant_id where s.id like '${NOUNS[noun].ids}%'`,
).join(' union all ')
const COMPARE = statement<ListedPayment & Numbered>(
  'numbered payments',
  `select p.segment, p.position, ${SHOWN} from (${compared}) p join merchants m on m.id = p.merchant_id where ${fits(3)}
   order by p.segment desc, p.position desc`,
)

/** Finds payments that were taken up, by the tokens of their parts. The work is bounded: the next page continues where this one stops. */
export async function findInSegments({ db }: Pick<App, 'db'>, search: Looking): Promise<FoundInSegments> {
  const { filter, after, tokens } = search
  const times = [filter.from ?? '-infinity', filter.until ?? 'infinity']
  const segments = await db.query(SEGMENTS, [after?.segment ?? NEWEST_SEGMENT, ...times])
  const matches: FoundInSegments['rows'] = []
  const spent: Spent = { bytes: 0, compared: 0 }
  let atOnce = 1
  for (let begun = 0; begun < segments.length; atOnce = Math.min(MOST_AT_ONCE, atOnce * MORE_EACH_TIME)) {
    const batch = segments.slice(begun, begun + atOnce)
    begun += batch.length
    const lists = await Promise.all(tokens.map((list) => listsOf(db, list, batch)))
    spent.bytes += lists.reduce((sum, { bytes }) => sum + bytes, 0)
    const candidates = batch.flatMap((segment) =>
      candidatesOf(
        segment,
        lists.map(({ of }) => of(segment.segment)),
        search,
      ),
    )
    const end = await compareSome(db, { candidates, search, matches, spent })
    if (end !== null && matches.length >= search.limit) return cut(matches, search.limit)
    if (end !== null)
      return {
        rows: matches,
        end,
        until: batch.find(({ segment }) => segment === end.segment)?.createdUntil ?? null,
      }
    const last = batch.at(-1)
    if (begun < segments.length && spent.bytes >= MOST_BYTES && last !== undefined)
      return { rows: matches, end: { segment: last.segment, position: 0 }, until: last.createdFrom }
  }
  return { rows: matches, end: null, until: null }
}

type Spent = { bytes: number; compared: number }
type Comparing = {
  candidates: readonly Numbered[]
  search: Looking
  matches: FoundInSegments['rows']
  spent: Spent
}

/**
 * Compares the payments at these positions until there are enough matches, or the limit is reached. Returns the last position compared;
 * null when all were.
 */
async function compareSome(
  db: App['db'],
  { candidates, search: { filter, limit }, matches, spent }: Comparing,
): Promise<Numbered | null> {
  for (let at = 0; at < candidates.length; ) {
    const part = candidates.slice(at, at + (spent.compared === 0 ? COMPARED_FIRST : COMPARED_AT_ONCE))
    at += part.length
    spent.compared += part.length
    matches.push(...(await compare(db, part, filter)))
    if (matches.length >= limit || spent.compared >= MOST_COMPARED) return part.at(-1) ?? null
  }
  return null
}

function cut(matches: FoundInSegments['rows'], limit: number): FoundInSegments {
  const rows = matches.slice(0, limit)
  const last = rows.at(-1)
  return { rows, end: last?.position ?? null, until: last?.payment.createdAt ?? null }
}

/** The positions that all lists of these tokens contain; null: all positions, because no list is short enough. */
type Listed = readonly number[] | null

async function listsOf(db: App['db'], tokens: readonly number[], segments: readonly Segment[]) {
  const values = [tokens, segments.map(({ segment }) => segment)]
  const postings = tokens.length === 0 ? [] : await db.query(POSTINGS, values)
  const bySegment = groupBy(postings, ({ segment }) => segment)
  return {
    bytes: postings.reduce((sum, { positions }) => sum + (positions?.length ?? 0), 0),
    of(segment: number): Listed {
      const own = bySegment.get(segment) ?? []
      if (own.length === 0 || own.some(({ known }) => known < tokens.length)) return []
      const short = own.flatMap(({ positions }) => positions ?? [])
      return short.length === 0 ? null : inAll(short)
    },
  }
}

/** Lists the positions of a segment that may match, the last first, before the one where the search continues. */
function candidatesOf(
  { segment, payments }: Segment,
  lists: readonly Listed[],
  { after }: Looking,
): Numbered[] {
  const before = after?.segment === segment ? after.position : payments
  const positions = lists.includes(null)
    ? // The rest is for the next page.
      Array.from({ length: Math.min(before, MOST_COMPARED) }, (_, nth) => before - 1 - nth)
    : [...new Set(lists.flatMap((list) => list ?? []).filter((position) => position < before))]
  return positions.sort((a, b) => b - a).map((position) => ({ segment, position }))
}

/** Reads the payments at these positions that match the filter. */
async function compare(
  db: App['db'],
  positions: readonly Numbered[],
  filter: PaymentFilter,
): Promise<FoundInSegments['rows']> {
  const values = [
    positions.map(({ segment }) => segment),
    positions.map(({ position }) => position),
    ...valuesOf(filter),
  ]
  const rows = await db.query(COMPARE, values)
  return rows
    .filter((row) => filter.text === null || hasPart(row, filter.text))
    .map(({ segment, position, ...payment }) => ({ payment, position: { segment, position } }))
}
