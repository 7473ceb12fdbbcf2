import { statement } from '../../../platform/db/statement.ts'
import { COLUMNS_BYTES, endOfRow, LENGTH_BYTES, lengthAt } from '../../../platform/db/wire/binary-rows.ts'
import { groupBy } from '../../../platform/group-by.ts'
import type { App } from '../../../program/app.ts'
import { intersectLists } from './positions.ts'

/** The positions of a segment that all lists of some tokens contain; null: all positions, because no list is short enough. */
export type PositionList = readonly number[] | null
type PostingRow = { token: number; segment: number | null; positions: Buffer | null }

// A token that more than one in eight payments has selects little, and its list is long: payments are compared instead.
const MAX_LIST_BYTES = 16_384
// Grams that overlap select little together, so three lists may leave twenty candidates of a segment where four leave one.
const MAX_LISTS = 4
// A list so many times as long as the shortest takes longer to read than it saves, unless it is short.
const MAX_LENGTH_RATIO = 4
const SHORT_LIST_BYTES = 4096
const INTEGER_BYTES = 4

// The shortest lists select nearly everything. Which those are is seen in the newest of the segments, and they are read in all. A token
// that is read has a row even if no segment has a list of it.
const POSTINGS = statement(
  'positions of tokens',
  `with tokens as materialized (
     select token, bytes, row_number() over (order by bytes, token) as nth, min(bytes) over () as least
     from (select t.token, coalesce(octet_length(p.positions), 0) as bytes
       from unnest($1::int[]) t (token) left join search_postings p on p.token = t.token and p.segment = ($2::int[])[1]) x)
   select t.token, p.segment, case when octet_length(p.positions) <= ${MAX_LIST_BYTES} then p.positions end as positions
   from tokens t left join search_postings p on p.token = t.token and p.segment = any($2::int[])
   where t.nth = 1 or (t.nth <= ${MAX_LISTS} and t.bytes <= greatest(${SHORT_LIST_BYTES}, ${MAX_LENGTH_RATIO} * t.least))`,
)

/** Reads the lists of tokens in segments, the newest first. Whole numbers read a megabyte, so it comes in binary. */
export async function readLists(db: App['db'], tokens: readonly number[], segments: readonly { segment: number }[]) {
  const values = [tokens, segments.map(({ segment }) => segment)]
  const postings = tokens.length === 0 ? [] : (await db.copy(POSTINGS, values)).flatMap(readPostings)
  const tokensRead = new Set(postings.map(({ token }) => token)).size
  const bySegment = groupBy(postings, ({ segment }) => segment)
  return {
    bytes: postings.reduce((sum, { positions }) => sum + (positions?.length ?? 0), 0),
    intersect(segment: number): PositionList {
      const own = bySegment.get(segment) ?? []
      if (tokensRead === 0 || own.length < tokensRead) return []
      const short = own.flatMap(({ positions }) => positions ?? [])
      return short.length === 0 ? null : intersectLists(short)
    },
  }
}

function readPostings(rows: Buffer): PostingRow[] {
  const postings: PostingRow[] = []
  for (let at = 0; at < rows.length; at = endOfRow(rows, at)) {
    const token = at + COLUMNS_BYTES + LENGTH_BYTES
    const segment = token + INTEGER_BYTES + LENGTH_BYTES
    const hasSegment = lengthAt(rows, segment - LENGTH_BYTES) === INTEGER_BYTES
    const positions = segment + (hasSegment ? INTEGER_BYTES : 0) + LENGTH_BYTES
    const bytes = lengthAt(rows, positions - LENGTH_BYTES)
    postings.push({
      token: rows.readInt32BE(token),
      segment: hasSegment ? rows.readInt32BE(segment) : null,
      positions: bytes < 0 ? null : rows.subarray(positions, positions + bytes),
    })
  }
  return postings
}
