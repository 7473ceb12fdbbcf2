import { call, type Tx } from '../../../platform/db/database.ts'
import { statement } from '../../../platform/db/statement.ts'
import { onUniqueViolation } from '../../../platform/db/unique-violation.ts'
import { crashPoint } from '../../../platform/processes/crash-point.ts'
import { makeFirstId } from '../../../platform/text/ids.ts'
import { addMs } from '../../../platform/time/clock.ts'
import type { App } from '../../../program/app.ts'
import { wakeReaders } from './waiting-readers.ts'

type Mark = { server: string; snapshot: string; markedAt: Date }
/** Which transactions had ended: those below `end` that are not `open`. Their numbers are more than a safe integer holds. */
type EndedTransactions = { end: bigint; open: readonly bigint[] }
/**
 * How many events got a number, how many of them were found in the order of their transactions, the last transaction of these, and whether
 * further addresses get some of them.
 */
type Sealed = { count: number; inOrder: number; last: string | null; addressed: boolean }

export const EVENTS_SEALED_AT_ONCE = 5000
// On another server transactions have other numbers. What had none when the schema came from there was committed shortly before.
const LOOK_BACK_MS = 5 * 60_000
// After a pause the work is done in parts that one statement can do in its time.
const TRANSACTIONS_AT_ONCE = 100_000n

const SERVER = '(select system_identifier::text from pg_control_system())'
/**
 * The sources of rows that exist when an event may have no number yet. Each is one step into an index, whatever the planner expects: a join with
 * `events` would be read from the front, over the whole history.
 */
export const UNSEALED_EVENTS = [
  `event_seal_mark m where pg_snapshot_xmax(m.snapshot) <=
     (select e.written_in from events e where e.written_in is not null order by e.written_in desc limit 1)`,
  'event_seal_mark m cross join lateral pg_snapshot_xip(m.snapshot)',
  `event_seal_mark m where m.server <> ${SERVER}`,
]

// One process at a time gives numbers in a cell; the others skip their turn. Nothing else takes this lock, and it ends with the transaction.
const TAKE_TURN = statement<{ taken: boolean }>(
  'take turn to seal events',
  `select pg_try_advisory_xact_lock(hashtext('seal events'), hashtext(current_schema())) as taken`,
)
const READ_MARK = statement<Mark>(
  'how far events are sealed',
  `select server, snapshot::text as snapshot, marked_at as "markedAt" from event_seal_mark`,
)
const READ_ENDED = statement<{ server: string; snapshot: string }>(
  'transactions that have ended',
  `select ${SERVER} as server, pg_current_snapshot()::text as snapshot`,
)
const EVENTS = 'select e.id, e.merchant_id, e.mode, e.type, e.created_at, e.written_in from events e'
const HAS_NONE = 'not exists (select 1 from event_seals s where s.event_id = e.id and s.merchant_id = e.merchant_id)'
const IN_ORDER = 'order by written_in, created_at, id'
const ONE_BATCH = `order by e.written_in fetch first ${EVENTS_SEALED_AT_ONCE} rows with ties`

// In the order of the transactions: one that follows from what another has committed began to write later. $1 is the time, $2 the transactions
// that are open now: what they write is left to the look after their end, although it may be seen already. The last number of a merchant and mode
// is read once, and not joined: the planner takes a batch for one row, and a join of thousands with thousands looked at every pair.
// An event that has its number has its deliveries to further addresses too. Tests of a receiver go only where they were sent. Those addresses are
// read once ("is true" keeps the planner from a join) and joined in full, which is always done by a hash or in order: each with each, thousands
// of them outlasted the statement time-out.
const sealStatement = (name: string, found: string, first: string) =>
  statement<Sealed>(
    name,
    `with found as materialized (${found}),
     sealed as (
       insert into event_seals (merchant_id, mode, sequence, event_id, event, sealed_at)
       select f.merchant_id, f.mode, l.sequence + n.nth, n.id, n.type, $1::timestamptz
       from (select merchant_id, mode, array_agg(id ${IN_ORDER}) as ids, array_agg(type ${IN_ORDER}) as types from found
         group by merchant_id, mode) f
       cross join lateral (select coalesce((select s.sequence from event_seals s where s.merchant_id = f.merchant_id and s.mode = f.mode
         order by s.sequence desc limit 1), 0) as sequence offset 0) l
       cross join lateral unnest(f.ids, f.types) with ordinality n (id, type, nth)
       returning merchant_id, mode, sequence, event_id, event),
     further as materialized (
       select a.merchant_id, a.mode, a.id, a.events, a.state from webhook_addresses a
       where a.removed_at is null and (a.merchant_id in (select f.merchant_id from found f)) is true),
     addressed as (
       insert into address_deliveries (merchant_id, address_id, event_id, mode, event, sequence, next_attempt_at, created_at)
       select p.merchant_id, p.id, p.event_id, p.mode, p.event, p.sequence, case p.state when 'active' then $1::timestamptz end, $1::timestamptz
       from (select s.*, a.id, a.events, a.state from sealed s
         full join further a on a.merchant_id = s.merchant_id and a.mode = s.mode offset 0) p
       where p.event_id is not null and p.id is not null and p.event <> 'test.ping' and (p.events is null or p.event = any(p.events))
       returning event_id)
     select count(*)::int as count, count(*) filter (where ${first})::int as "inOrder", (max(written_in) filter (where ${first}))::text as last,
       exists (select from addressed) as addressed
     from found`,
  )
// $3: transactions that were open at the last look and have ended. $4 and $5: those that have begun since.
const sinceMark = (name: string, filter: string) =>
  sealStatement(
    name,
    `(${EVENTS} where e.written_in = any($3::xid8[]) ${filter}) union all
     (${EVENTS} where e.written_in >= $4::xid8 and e.written_in < $5::xid8 and not e.written_in = any($2::xid8[]) ${filter} ${ONE_BATCH})`,
    'written_in >= $4::xid8',
  )
const SEAL = sinceMark('seal events', '')
// Where a cell came from another server, numbers of transactions come twice.
const SEAL_THE_REST = sinceMark('seal events that have no number', `and ${HAS_NONE}`)
// $3: an id of shortly before the last look there.
const SEAL_AFTER_MOVE = sealStatement(
  'seal events after a move',
  `${EVENTS} where e.id >= $3 and e.written_in is not null and not e.written_in = any($2::xid8[]) and ${HAS_NONE}
     order by e.id limit ${EVENTS_SEALED_AT_ONCE}`,
  'true',
)
const SET_MARK = statement(
  'events are sealed so far',
  'update event_seal_mark set server = $1, snapshot = $2::pg_snapshot, marked_at = $3',
)

/**
 * Gives the next numbers to committed events, of every merchant in one batch, and returns how many. It reads what is committed and waits for
 * no lock of a payment, and no payment waits for it. An event whose transaction was open at the last look is found by that transaction,
 * however late it commits.
 */
export async function sealEvents(app: App): Promise<number> {
  const { count: sealed, addressed } = await onUniqueViolation(
    () => sealOneBatch(app, SEAL),
    () => sealOneBatch(app, SEAL_THE_REST),
  )
  if (sealed > 0) wakeReaders(app)
  if (addressed) app.nudge('send-deliveries')
  return sealed
}

const sealOneBatch = (app: App, seal: typeof SEAL): Promise<Pick<Sealed, 'count' | 'addressed'>> =>
  app.db.transaction(async (tx) => {
    const at = app.clock.now().toISOString()
    const [[turn], [mark], [here]] = await tx.send(call(TAKE_TURN), call(READ_MARK), call(READ_ENDED))
    if (!turn?.taken || !mark || !here) return { value: NOTHING }
    const before = mark.server === here.server ? parseSnapshot(mark.snapshot) : null
    const now = cutAhead(parseSnapshot(here.snapshot), before)
    const sealed = await (before === null
      ? sealAfterMove(tx, { at, mark, now })
      : sealSince(tx, { at, before, now, seal }))
    if (sealed.count > 0) crashPoint('event.sealing')
    const mayBeMore = sealed.inOrder >= EVENTS_SEALED_AT_ONCE
    // After a move the look goes back behind the old mark until nothing is left.
    if (mayBeMore && before === null) return { value: sealed }
    const next = mayBeMore ? cutBehind(now, BigInt(sealed.last ?? 0) + 1n) : now
    const hasMoved =
      sealed.count > 0 || before === null || before.open.length > 0 || now.end - before.end >= TRANSACTIONS_AT_ONCE
    return { value: sealed, last: hasMoved ? [call(SET_MARK, here.server, writeSnapshot(next), at)] : [] }
  })

type Look = { at: string; now: EndedTransactions }

async function sealSince(
  tx: Tx,
  { at, before, now, seal }: Look & { before: EndedTransactions; seal: typeof SEAL },
): Promise<Sealed> {
  const ended = before.open.filter((transaction) => !now.open.includes(transaction))
  const bounds = [writeList(now.open), writeList(ended), String(before.end), String(now.end)]
  const [[sealed]] = await tx.send(call(seal, at, ...bounds))
  return sealed ?? NOTHING
}

async function sealAfterMove(tx: Tx, { at, mark, now }: Look & { mark: Mark }): Promise<Sealed> {
  const from = makeFirstId('evt_', addMs(mark.markedAt, -LOOK_BACK_MS))
  const [[sealed]] = await tx.send(call(SEAL_AFTER_MOVE, at, writeList(now.open), from))
  return sealed ?? NOTHING
}

const NOTHING: Sealed = { count: 0, inOrder: 0, last: null, addressed: false }

const cutAhead = (now: EndedTransactions, before: EndedTransactions | null): EndedTransactions =>
  before === null || now.end - before.end <= TRANSACTIONS_AT_ONCE
    ? now
    : cutBehind(now, before.end + TRANSACTIONS_AT_ONCE)

/** The same up to this transaction. Where a batch was full its last transaction came whole, so the next look begins behind it. */
const cutBehind = ({ open }: EndedTransactions, end: bigint): EndedTransactions => ({
  end,
  open: open.filter((transaction) => transaction < end),
})

/** Reads the text of a pg_snapshot: `xmin:xmax:open,open`. */
function parseSnapshot(text: string): EndedTransactions {
  const [, end = '0', open = ''] = text.split(':')
  return { end: BigInt(end), open: open === '' ? [] : open.split(',').map(BigInt) }
}

const writeSnapshot = ({ end, open }: EndedTransactions) => `${open[0] ?? end}:${end}:${open.join(',')}`
const writeList = (transactions: readonly bigint[]) => `{${transactions.join(',')}}`
