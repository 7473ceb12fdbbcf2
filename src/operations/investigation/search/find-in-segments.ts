import { statement } from '../../../platform/db/statement.ts'
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
import { type PositionList, readLists } from './posting-lists.ts'
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
// The first step searches the newest segment. As long as nothing matches, each further step searches so many times as many as all before.
const SEGMENT_GROWTH = 16
const MAX_SEGMENTS_AT_ONCE = 256
// A step searches more than the rest of the page probably needs, so that there is seldom another one.
const SEGMENT_RESERVE = 1.25

const SEGMENTS = statement<Segment>(
  'segments of payments',
  `select segment, payments, created_from as "createdFrom", created_until as "createdUntil" from search_segments
   where segment <= $1 and created_from <= $3::timestamptz and created_until >= $2::timestamptz order by segment desc limit ${MAX_SEGMENTS}`,
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
  const { filter, after } = search
  const times = [filter.from ?? '-infinity', filter.until ?? 'infinity']
  const segments = await db.query(SEGMENTS, [after?.segment ?? NEWEST_SEGMENT, ...times])
  const matches: SegmentMatches['rows'] = []
  const spent: SearchCost = { bytes: 0, compared: 0 }
  let atOnce = 1
  for (let begun = 0; begun < segments.length; ) {
    const batch = segments.slice(begun, begun + atOnce)
    begun += batch.length
    const lists = await Promise.all(search.tokens.map((tokens) => readLists(db, tokens, batch)))
    spent.bytes += lists.reduce((sum, { bytes }) => sum + bytes, 0)
    const candidates = batch.flatMap((segment) => {
      const positions = lists.map(({ intersect }) => intersect(segment.segment))
      return listCandidates(segment, positions, search)
    })
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
    atOnce = nextBatchSize({ searched: begun, found: matches.length, limit: search.limit, bytes: spent.bytes })
  }
  return { rows: matches, end: null, until: null }
}

type Progress = { searched: number; found: number; limit: number; bytes: number }

/** How many segments the rest of a page probably needs, as far as its bytes go. */
function nextBatchSize({ searched, found, limit, bytes }: Progress): number {
  const needed = found === 0 ? searched * SEGMENT_GROWTH : (SEGMENT_RESERVE * searched * (limit - found)) / found
  const affordable = (searched * (MAX_POSTING_BYTES - bytes)) / Math.max(bytes, 1)
  return Math.ceil(Math.min(MAX_SEGMENTS_AT_ONCE, needed, affordable))
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
