import { statement } from '../../../platform/db/statement.ts'
import { groupBy } from '../../../platform/group-by.ts'
import type { App } from '../../../program/app.ts'
import {
  EACH_PAYMENT_NOUN,
  filterSql,
  filterValues,
  type ListedPayment,
  PAYMENT_NOUNS,
  type PaymentFilter,
  partSql,
  partValues,
  paymentColumnsSql,
  SHOWN_COLUMNS,
} from './listed-payment.ts'
import { intersectLists } from './positions.ts'
import { hasPart, plain } from './tokens.ts'

/** The position of a payment in a segment, from which a search continues towards earlier ones. */
export type SegmentPosition = { segment: number; position: number }
/** The matches, the latest completion first. `end`: how far was searched; null at the end. */
type SegmentMatches = {
  rows: { payment: ListedPayment; position: SegmentPosition }[]
  end: SegmentPosition | null
  until: Date | null
}

type Segment = { segment: number; payments: number; createdFrom: Date; createdUntil: Date }
type PostingRow = { segment: number; known: number; positions: Buffer | null }
type SegmentSearch = {
  tokens: readonly (readonly number[])[]
  filter: PaymentFilter
  after: SegmentPosition | null
  limit: number
}

// The cost limits of one page: bytes of position lists, and payments that are compared. A page that reaches them says how far it
// searched.
const MAX_POSTING_BYTES = 3_000_000
const MAX_COMPARED = 500
const COMPARED_FIRST = 50
const COMPARED_AT_ONCE = 250
const MAX_SEGMENTS = 4000
const NEWEST_SEGMENT = 2 ** 31 - 1
// A token that more than one in eight payments has selects little, and its list is long: payments are compared instead.
const MAX_LIST_BYTES = 16_384
const MAX_LISTS_PER_SEGMENT = 3
// A list so many times as long as the shortest takes longer to read than it saves.
const MAX_LENGTH_RATIO = 4
// The first step searches the newest segment; each further step four times as many.
const SEGMENT_GROWTH = 4
const MAX_SEGMENTS_AT_ONCE = 64

const SEGMENTS = statement<Segment>(
  'segments of payments',
  `select segment, payments, created_from as "createdFrom", created_until as "createdUntil" from search_segments
   where segment <= $1 and created_from <= $3::timestamptz and created_until >= $2::timestamptz order by segment desc limit ${MAX_SEGMENTS}`,
)
// The shortest lists of a segment select nearly everything; `known` is how many of the tokens have a list.
const POSTINGS = statement<PostingRow>(
  'positions of tokens',
  `select segment, known, case when bytes <= ${MAX_LIST_BYTES} then positions end as positions from (
     select p.segment, p.positions, octet_length(p.positions) as bytes, count(*) over of_segment as known,
       row_number() over (of_segment order by octet_length(p.positions), p.token) as nth, min(octet_length(p.positions)) over of_segment as least
     from unnest($1::int[]) t (token) cross join unnest($2::int[]) s (segment)
       join search_postings p on p.token = t.token and p.segment = s.segment
     window of_segment as (partition by p.segment)) x
   where nth = 1 or (nth <= ${MAX_LISTS_PER_SEGMENT} and bytes <= ${MAX_LENGTH_RATIO} * least)`,
)
const comparedSql = EACH_PAYMENT_NOUN.map(
  (noun) =>
    `select k.segment, k.position, ${paymentColumnsSql(noun)} from k join ${noun} p on p.id = k.id and p.merchant_id = k.merchant_id
     where k.id like '${PAYMENT_NOUNS[noun].ids}%'`,
).join(' union all ')
const COMPARE = statement<ListedPayment & SegmentPosition>(
  'numbered payments',
  `with k as materialized (select s.segment, s.position, s.merchant_id, s.id from unnest($1::int[], $2::int[]) k (segment, position)
     join search_payments s on s.segment = k.segment and s.position = k.position)
   select p.segment, p.position, ${SHOWN_COLUMNS} from (${comparedSql}) p join merchants m on m.id = p.merchant_id
   where ${partSql(3)} and ${filterSql(5)} order by p.segment desc, p.position desc`,
  { plannedOnce: true },
)

/** Finds payments that were taken up, by the tokens of their parts. The work is bounded: the next page continues where this one stops. */
export async function findInSegments({ db }: Pick<App, 'db'>, search: SegmentSearch): Promise<SegmentMatches> {
  const { filter, after, tokens } = search
  const times = [filter.from ?? '-infinity', filter.until ?? 'infinity']
  const segments = await db.query(SEGMENTS, [after?.segment ?? NEWEST_SEGMENT, ...times])
  const matches: SegmentMatches['rows'] = []
  const spent: SearchCost = { bytes: 0, compared: 0 }
  let atOnce = 1
  for (let begun = 0; begun < segments.length; atOnce = Math.min(MAX_SEGMENTS_AT_ONCE, atOnce * SEGMENT_GROWTH)) {
    const batch = segments.slice(begun, begun + atOnce)
    begun += batch.length
    const lists = await Promise.all(tokens.map((list) => readLists(db, list, batch)))
    spent.bytes += lists.reduce((sum, { bytes }) => sum + bytes, 0)
    const candidates = batch.flatMap((segment) =>
      listCandidates(
        segment,
        lists.map(({ of }) => of(segment.segment)),
        search,
      ),
    )
    const end = await compareUntilEnough(db, { candidates, search, matches, spent })
    if (end !== null && matches.length >= search.limit) return cutToLimit(matches, search.limit)
    if (end !== null)
      return {
        rows: matches,
        end,
        until: batch.find(({ segment }) => segment === end.segment)?.createdUntil ?? null,
      }
    const last = batch.at(-1)
    if (begun < segments.length && spent.bytes >= MAX_POSTING_BYTES && last !== undefined)
      return { rows: matches, end: { segment: last.segment, position: 0 }, until: last.createdFrom }
  }
  return { rows: matches, end: null, until: null }
}

type SearchCost = { bytes: number; compared: number }
type CompareInput = {
  candidates: readonly SegmentPosition[]
  search: SegmentSearch
  matches: SegmentMatches['rows']
  spent: SearchCost
}

/**
 * Compares the payments at these positions until there are enough matches, or the limit is reached. Returns the last position compared;
 * null when all were.
 */
async function compareUntilEnough(
  db: App['db'],
  { candidates, search: { filter, limit }, matches, spent }: CompareInput,
): Promise<SegmentPosition | null> {
  for (let at = 0; at < candidates.length; ) {
    const part = candidates.slice(at, at + (spent.compared === 0 ? COMPARED_FIRST : COMPARED_AT_ONCE))
    at += part.length
    spent.compared += part.length
    matches.push(...(await readFitting(db, part, filter)))
    if (matches.length >= limit || spent.compared >= MAX_COMPARED) return part.at(-1) ?? null
  }
  return null
}

function cutToLimit(matches: SegmentMatches['rows'], limit: number): SegmentMatches {
  const rows = matches.slice(0, limit)
  const last = rows.at(-1)
  return { rows, end: last?.position ?? null, until: last?.payment.createdAt ?? null }
}

/** The positions that all lists of these tokens contain; null: all positions, because no list is short enough. */
type PositionList = readonly number[] | null

async function readLists(db: App['db'], tokens: readonly number[], segments: readonly Segment[]) {
  const values = [tokens, segments.map(({ segment }) => segment)]
  const postings = tokens.length === 0 ? [] : await db.query(POSTINGS, values)
  const bySegment = groupBy(postings, ({ segment }) => segment)
  return {
    bytes: postings.reduce((sum, { positions }) => sum + (positions?.length ?? 0), 0),
    of(segment: number): PositionList {
      const own = bySegment.get(segment) ?? []
      if (own.length === 0 || own.some(({ known }) => known < tokens.length)) return []
      const short = own.flatMap(({ positions }) => positions ?? [])
      return short.length === 0 ? null : intersectLists(short)
    },
  }
}

/** Lists the positions of a segment that may match, the last first, before the one where the search continues. */
function listCandidates(
  { segment, payments }: Segment,
  lists: readonly PositionList[],
  { after }: SegmentSearch,
): SegmentPosition[] {
  const before = after?.segment === segment ? after.position : payments
  const positions = lists.includes(null)
    ? // The rest is for the next page.
      Array.from({ length: Math.min(before, MAX_COMPARED) }, (_, nth) => before - 1 - nth)
    : [...new Set(lists.flatMap((list) => list ?? []).filter((position) => position < before))]
  return positions.sort((a, b) => b - a).map((position) => ({ segment, position }))
}

// The server lowers ASCII letters as `hasPart` does, and single blanks matter to it. Any other text is compared here alone.
const EASILY_COMPARED = /^[\x21-\x7e]*$/
const comparablePart = (text: string | null) =>
  partValues(text !== null && EASILY_COMPARED.test(plain(text)) ? text : null)

/** Reads the payments at these positions that match the filter. */
async function readFitting(
  db: App['db'],
  positions: readonly SegmentPosition[],
  filter: PaymentFilter,
): Promise<SegmentMatches['rows']> {
  const values = [
    positions.map(({ segment }) => segment),
    positions.map(({ position }) => position),
    ...comparablePart(filter.text),
    ...filterValues(filter),
  ]
  const rows = await db.query(COMPARE, values)
  return rows
    .filter((row) => filter.text === null || hasPart(row, filter.text))
    .map(({ segment, position, ...payment }) => ({ payment, position: { segment, position } }))
}
