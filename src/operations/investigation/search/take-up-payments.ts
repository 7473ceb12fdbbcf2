import { setImmediate as turn } from 'node:timers/promises'
import { call } from '../../../platform/db/database.ts'
import { firstRow } from '../../../platform/db/first-row.ts'
import { statement } from '../../../platform/db/statement.ts'
import { addMs } from '../../../platform/time/clock.ts'
import type { App } from '../../../program/app.ts'
import { EACH_PAYMENT_NOUN, PAYMENT_NOUNS, type PaymentNoun, paymentColumnsSql } from './listed-payment.ts'
import { encodePositions, SEGMENT_SIZE } from './positions.ts'
import { buildTokens, type Searchable } from './tokens.ts'

type EndedPayment = Searchable & { id: string; createdAt: Date; completedAt: Date; endedAt: string }
/** How many payments are taken up at once, and the size of segments; tests use other numbers. */
type TakeUpSizes = { batch: number; segment: number }
/** The last payment that was taken up. `endedAt`: when it finished, as the server writes it, to the microsecond. */
type TakeUpMark = { endedAt: string; id: string }
type LastSegment = { segment: number; payments: number; createdFrom: Date; createdUntil: Date }

/** A list of positions is rewritten when something is added, so additions are large; until then payments are read row by row. */
export const TAKEN_UP_AT_ONCE = 8192
const SIZES: TakeUpSizes = { batch: TAKEN_UP_AT_ONCE, segment: SEGMENT_SIZE }
/** Payments that finished longer ago than this are taken up, however few they are. */
const MAX_WAIT_MS = 3_600_000
// A payment may be committed later than one that finished after it, but never by so much: every transaction is over sooner.
const COMMITTED_AFTER_MS = 120_000
// After so many payments other work gets its turn.
const PAYMENTS_PER_TURN = 256
const POSTINGS_PER_STATEMENT = 4000

const MARK = statement<TakeUpMark>(
  'how far payments are taken up',
  'select ended_at::text as "endedAt", id from search_mark',
)
const endedSql = (noun: PaymentNoun) =>
  `(select ${paymentColumnsSql(noun)} from ${noun} p where ${PAYMENT_NOUNS[noun].mode} and p.completed_at is not null
     and (p.completed_at, p.id) > ($1::timestamptz, $2) and p.completed_at <= $3 order by p.completed_at, p.id limit $4)`
// Indexes: charges_ended_of_all, payouts_ended_of_all, top_ups_ended_of_all.
const ENDED = statement<EndedPayment>(
  'payments to take up',
  `select p.id, p.merchant_id as "merchantId", p.amount, p.reason, p.phone, p.name, p.reference, p.number, p.created_at as "createdAt",
     p.completed_at as "completedAt", p.completed_at::text as "endedAt"
   from (${EACH_PAYMENT_NOUN.map(endedSql).join(' union all ')}) p order by p.completed_at, p.id limit $4`,
)
const CLAIM = statement<{ done: boolean }>(
  'move mark of payments taken up',
  `update search_mark set ended_at = $3, id = $4 where ended_at = $1 and id = $2 returning true as done`,
)
const LAST = statement<LastSegment>(
  'last segment',
  `select segment, payments, created_from as "createdFrom", created_until as "createdUntil" from search_segments
   order by segment desc limit 1`,
)
const KEEP_SEGMENT = statement(
  'keep segment',
  `insert into search_segments as s (segment, payments, created_from, created_until) values ($1, $2, $3, $4)
   on conflict (segment) do update set payments = excluded.payments, created_from = least(s.created_from, excluded.created_from),
     created_until = greatest(s.created_until, excluded.created_until)`,
)
const ADD_PAYMENTS = statement(
  'number payments',
  `insert into search_payments (segment, position, merchant_id, id)
   select $1, $2 + n - 1, merchant_id, id from unnest($3::bigint[], $4::text[]) with ordinality as u (merchant_id, id, n)`,
)
const ADD_POSTINGS = statement(
  'add positions of payments',
  `insert into search_postings as s (token, segment, positions) select token, $1, positions from unnest($2::int[], $3::bytea[]) as u (token, positions)
   on conflict (token, segment) do update set positions = s.positions || excluded.positions`,
)

/**
 * Takes up finished payments into the search by parts. Returns how many; fewer than TAKEN_UP_AT_ONCE of them wait until they are more, or
 * an hour old. Of two runs at once one finds the mark moved and does nothing.
 */
export async function takeUpPayments(
  { db, clock, witness }: App,
  { batch, segment: size }: TakeUpSizes = SIZES,
): Promise<number> {
  const mark = await firstRow(db.query(MARK))
  if (mark === null || witness.doubt() !== null) return 0
  const now = clock.now()
  const until = addMs(now, -COMMITTED_AFTER_MS).toISOString()
  const last = (await firstRow(db.query(LAST))) ?? null
  const { segment, begun } = nextPosition(last, size)
  const most = Math.min(batch, size - begun)
  const ended = await db.query(ENDED, [mark.endedAt, mark.id, until, most])
  const [first] = ended
  const newest = ended.at(-1)
  if (first === undefined || newest === undefined) return 0
  if (ended.length < most && now.getTime() - first.completedAt.getTime() < MAX_WAIT_MS) return 0
  const lists = await buildPostings(ended, begun)
  const made = ended.map(({ createdAt }) => createdAt.getTime())
  await db.transaction(async (tx) => {
    const [claimed] = await tx.send(call(CLAIM, mark.endedAt, mark.id, newest.endedAt, newest.id))
    if (claimed.length === 0) return { value: null }
    for (const part of lists) await tx.send(call(ADD_POSTINGS, segment, part.tokens, part.positions))
    const ids = ended.map(({ id }) => id)
    const merchants = ended.map(({ merchantId }) => merchantId)
    const bounds = [new Date(Math.min(...made)).toISOString(), new Date(Math.max(...made)).toISOString()]
    const add = call(ADD_PAYMENTS, segment, begun, merchants, ids)
    return { value: null, last: [add, call(KEEP_SEGMENT, segment, begun + ended.length, ...bounds)] }
  })
  return ended.length
}

/** The position of the next payment. */
const nextPosition = (last: LastSegment | null, size: number): { segment: number; begun: number } =>
  last === null
    ? { segment: 0, begun: 0 }
    : last.payments < size
      ? { segment: last.segment, begun: last.payments }
      : { segment: last.segment + 1, begun: 0 }

type PostingsPart = { tokens: number[]; positions: Buffer[] }

/** Builds the positions of each token, in parts of a bounded length and in the order of tokens, so that two writers never deadlock. */
async function buildPostings(ended: readonly EndedPayment[], begun: number): Promise<PostingsPart[]> {
  const byToken = new Map<number, number[]>()
  for (const [nth, payment] of ended.entries()) {
    if (nth % PAYMENTS_PER_TURN === PAYMENTS_PER_TURN - 1) await turn()
    for (const token of buildTokens(payment)) {
      const known = byToken.get(token)
      if (known === undefined) byToken.set(token, [begun + nth])
      else known.push(begun + nth)
    }
  }
  const postings = [...byToken].sort(([a], [b]) => a - b)
  const parts: PostingsPart[] = []
  for (let at = 0; at < postings.length; at += POSTINGS_PER_STATEMENT) {
    const part = postings.slice(at, at + POSTINGS_PER_STATEMENT)
    parts.push({
      tokens: part.map(([token]) => token),
      positions: part.map(([, found]) => encodePositions(found)),
    })
    await turn()
  }
  return parts
}
