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

/** Where a search goes on: behind this payment of a segment, towards what ended before. */
export type Numbered = { segment: number; position: number }
/** What was found, the latest end first; `end`: as far as was looked, null at the end. */
export type FoundInSegments = {
  rows: { payment: ListedPayment; place: Numbered }[]
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

// What one page may cost: lists of positions in bytes, payments that are compared. Then the page says how far it has looked.
const MOST_BYTES = 3_000_000
const MOST_COMPARED = 500
const COMPARED_FIRST = 50
const COMPARED_AT_ONCE = 250
const MOST_SEGMENTS = 4000
const NEWEST_SEGMENT = 2 ** 31 - 1
// A token that more than one in eight payments has tells little, and its list is long: payments are compared instead.
const LONGEST_LIST = 16_384
const MOST_LISTS = 3
// A list so many times as long as the shortest takes longer to read than it spares.
const TELLING = 4
// The first look is at what ended last; each further one is at four times as many segments.
const MORE_EACH_TIME = 4
const MOST_AT_ONCE = 64

const SEGMENTS = statement<Segment>(
  'segments of payments',
  `select segment, payments, created_from as "createdFrom", created_until as "createdUntil" from search_segments
   where segment <= $1 and created_from <= $3::timestamptz and created_until >= $2::timestamptz order by segment desc limit ${MOST_SEGMENTS}`,
)
// Of the lists of a segment the shortest few tell nearly everything; `known` says of how many tokens it has any.
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

/** Finds payments that were taken up, by the tokens of their parts. Work is bounded: what is not found with it is looked for on the next page. */
export async function findInSegments({ db }: Pick<App, 'db'>, looking: Looking): Promise<FoundInSegments> {
  const { filter, after, tokens } = looking
  const times = [filter.from ?? '-infinity', filter.until ?? 'infinity']
  const segments = await db.query(SEGMENTS, [after?.segment ?? NEWEST_SEGMENT, ...times])
  const found: FoundInSegments['rows'] = []
  const spent: Spent = { bytes: 0, compared: 0 }
  let atOnce = 1
  for (let begun = 0; begun < segments.length; atOnce = Math.min(MOST_AT_ONCE, atOnce * MORE_EACH_TIME)) {
    const some = segments.slice(begun, begun + atOnce)
    begun += some.length
    const lists = await Promise.all(tokens.map((wanted) => listsOf(db, wanted, some)))
    spent.bytes += lists.reduce((sum, { bytes }) => sum + bytes, 0)
    const places = some.flatMap((segment) =>
      candidatesOf(
        segment,
        lists.map(({ of }) => of(segment.segment)),
        looking,
      ),
    )
    const end = await compareSome(db, { places, looking, found, spent })
    if (end !== null && found.length >= looking.limit) return cut(found, looking.limit)
    if (end !== null)
      return {
        rows: found,
        end,
        until: some.find(({ segment }) => segment === end.segment)?.createdUntil ?? null,
      }
    const last = some.at(-1)
    if (begun < segments.length && spent.bytes >= MOST_BYTES && last !== undefined)
      return { rows: found, end: { segment: last.segment, position: 0 }, until: last.createdFrom }
  }
  return { rows: found, end: null, until: null }
}

type Spent = { bytes: number; compared: number }
type Comparing = {
  places: readonly Numbered[]
  looking: Looking
  found: FoundInSegments['rows']
  spent: Spent
}

/** Compares the payments at these places until there are enough, or enough was compared: then it answers how far it came. */
async function compareSome(
  db: App['db'],
  { places, looking: { filter, limit }, found, spent }: Comparing,
): Promise<Numbered | null> {
  for (let at = 0; at < places.length; ) {
    const some = places.slice(at, at + (spent.compared === 0 ? COMPARED_FIRST : COMPARED_AT_ONCE))
    at += some.length
    spent.compared += some.length
    found.push(...(await compare(db, some, filter)))
    if (found.length >= limit || spent.compared >= MOST_COMPARED) return some.at(-1) ?? null
  }
  return null
}

function cut(found: FoundInSegments['rows'], limit: number): FoundInSegments {
  const rows = found.slice(0, limit)
  const last = rows.at(-1)
  return { rows, end: last?.place ?? null, until: last?.payment.createdAt ?? null }
}

/** What is in all lists of these tokens; `null`: in each, as far as lists tell. */
type Listed = readonly number[] | null

async function listsOf(db: App['db'], wanted: readonly number[], segments: readonly Segment[]) {
  const asked = [wanted, segments.map(({ segment }) => segment)]
  const found = wanted.length === 0 ? [] : await db.query(POSTINGS, asked)
  const bySegment = groupBy(found, ({ segment }) => segment)
  return {
    bytes: found.reduce((sum, { positions }) => sum + (positions?.length ?? 0), 0),
    of(segment: number): Listed {
      const own = bySegment.get(segment) ?? []
      if (own.length === 0 || own.some(({ known }) => known < wanted.length)) return []
      const short = own.flatMap(({ positions }) => positions ?? [])
      return short.length === 0 ? null : inAll(short)
    },
  }
}

/** Where in a segment a payment may fit, the last first, beyond the place where the search goes on. */
function candidatesOf(
  { segment, payments }: Segment,
  lists: readonly Listed[],
  { after }: Looking,
): Numbered[] {
  const before = after?.segment === segment ? after.position : payments
  const found = lists.includes(null)
    ? // Further ones are for the next page.
      Array.from({ length: Math.min(before, MOST_COMPARED) }, (_, nth) => before - 1 - nth)
    : [...new Set(lists.flatMap((list) => list ?? []).filter((position) => position < before))]
  return found.sort((a, b) => b - a).map((position) => ({ segment, position }))
}

/** Those of these payments that fit. */
async function compare(
  db: App['db'],
  places: readonly Numbered[],
  filter: PaymentFilter,
): Promise<FoundInSegments['rows']> {
  const values = [
    places.map(({ segment }) => segment),
    places.map(({ position }) => position),
    ...valuesOf(filter),
  ]
  const rows = await db.query(COMPARE, values)
  return rows
    .filter((row) => filter.text === null || hasPart(row, filter.text))
    .map(({ segment, position, ...payment }) => ({ payment, place: { segment, position } }))
}
