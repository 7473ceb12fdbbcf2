import { checkpointLedgers } from '../src/ledger/checkpoints.ts'
import { shortDigestSql } from '../src/platform/text/short-digest.ts'
import { chunksOf, idTail, newestCharge, type Since } from './chunks.ts'
import type { BenchMerchant, Stage } from './stage.ts'
import { withGateway } from './stage.ts'

/** A merchant with this many past charges: half are paid, a few are refunded. There are about as many transfers as charges. */
export type History = { merchant: BenchMerchant; charges: number }

/** Charges of each customer. Filters by phone and email find as many rows in a short history as in a long one. */
export const OF_EACH_CUSTOMER = 25

// Charges of one year, oldest first. The newest is two days old, so that every refund lies in the past. Of a hundred, 50 are paid,
// 49 have failed and 1 is refunded. Of the newest 1,000 one in a hundred is open instead of failed, and one of these still pending:
// a long history has as many open ones as the shortest that it is compared with. Open ones are followed a day from now, so that no
// sweep touches them while a bench runs.
const MAYBE_OPEN = 1000
const CHARGES = `insert into charges (merchant_id, id, mode, status, amount, fee, channel, phone, phone9, email, reference,
    rail_reference, rail_transaction_id, failure_reason, refund_id, created_at, completed_at, refunded_at, follow_at,
    hold_until, settled_at, settlement_id, phone_digest)
  select $1::bigint, 'txn_' || own, 'test', status, 20000, 300, 'op1_momo',
    '2567' || person, '7' || person, 'customer' || (n % $5::int) || '@example.com', 'INV-' || n,
    md5($2::text || n)::uuid::text, case when paid then (10000000000 + n)::text end,
    case status when 'failed' then 'user_cancelled' end,
    case status when 'refunded' then 'pout_' || own end,
    at, case when not open then at + interval '2 seconds' end,
    case status when 'refunded' then at + interval '1 day' end, case when open then now() + interval '1 day' end,
    case when paid then at + interval '2 seconds' end, case when paid then at + interval '2 seconds' end,
    case when paid then 'setl_' || own end, ${shortDigestSql(`'txn_' || own || ' 2567' || person`)}
  from (select *, ${idTail({ at: 'at', tag: '$2::text', own: 'n::text' })} as own from (
    select n, status, status in ('pending', 'authorized') as open, status in ('succeeded', 'refunded') as paid,
        lpad((n % $5::int)::text, 8, '0') as person,
        now() - interval '2 days' - interval '1 year' * (1 - n / $6::float8) as at
    from (select n, case when n % 100 < 50 then 'succeeded' when n % 100 < 98 then 'failed'
        when n % 100 = 98 then 'refunded' when n <= $6::float8 - ${MAYBE_OPEN} then 'failed' when n % 1000 = 999 then 'pending' else 'authorized' end as status
      from generate_series($3::int, $4::int) n) s) t) c`
const SETTLEMENTS = `insert into settlements (merchant_id, id, mode, kind, amount, charge_count, created_at)
  select merchant_id, settlement_id, mode, 'instant', amount - fee, 1, settled_at from charges
  where merchant_id = $1 and settlement_id is not null and id >= 'txn_' || $3::text and created_at > $2`
const TRANSFERS = `insert into transfers (merchant_id, mode, seq, kind, subject, debit, credit, amount, at)
  select merchant_id, mode, $3::bigint + row_number() over (order by created_at, id, part desc), 'charge_' || part, id,
    'rail:op1_momo', case part when 'net' then 'available' else 'fees' end,
    case part when 'net' then amount - fee else fee end, completed_at
  from charges cross join (values ('net'), ('fee')) p (part)
  where merchant_id = $1 and settlement_id is not null and id >= 'txn_' || $4::text and created_at > $2`
// Each refund was paid within a second. Its transfers come after all transfers of the charges of its chunk.
const REFUNDS = `insert into payouts (merchant_id, id, mode, kind, status, amount, fee, channel, recipient_phone, rail_reference,
    rail_transaction_id, charge_id, fee_to_return, created_at, completed_at)
  select merchant_id, refund_id, mode, 'refund', 'succeeded', amount, 300, channel, phone, md5(refund_id)::uuid::text,
    rail_transaction_id, id, fee, refunded_at, refunded_at + interval '1 second'
  from charges where merchant_id = $1 and status = 'refunded' and id >= 'txn_' || $3::text and created_at > $2`
const REFUND_TRANSFERS = `insert into transfers (merchant_id, mode, seq, kind, subject, debit, credit, amount, at)
  select p.merchant_id, p.mode, $3::bigint + row_number() over (order by p.created_at, p.id, part), t.kind,
    case part when 4 then p.charge_id else p.id end, debit, credit,
    case part when 1 then p.amount + p.fee when 2 then p.amount when 3 then p.fee else p.fee_to_return end,
    case part when 1 then p.created_at else p.completed_at end
  from charges c join payouts p on (p.merchant_id, p.id) = (c.merchant_id, c.refund_id) cross join (values
    (1, 'payout_reserve', 'available', 'in_flight'), (2, 'payout_sent', 'in_flight', 'rail:op1_momo'),
    (3, 'payout_fee', 'in_flight', 'fees'), (4, 'charge_fee_return', 'fees', 'available')) t (part, kind, debit, credit)
  where c.merchant_id = $1 and c.id >= 'txn_' || $4::text and c.created_at > $2`
// Of before there were numbers: their transactions wrote more at once than the sealing sweep ever meets.
// Behind prefix and time.
const TAG_OF_SUBJECT = `substr(split_part(subject, '_', 2), 7, 5)`
const EVENTS = `insert into events (merchant_id, id, mode, type, subject, body, created_at, digest, written_in)
  select merchant_id, 'evt_' || ${idTail({ at: 'at', tag: TAG_OF_SUBJECT, own: 'subject || type' })}, mode, type, subject, '{}', at, ${shortDigestSql(`'{}'`)}, null from (
    select merchant_id, mode, id as subject, completed_at as at,
      case status when 'failed' then 'charge.failed' else 'charge.succeeded' end as type
    from charges where merchant_id = $1 and completed_at is not null and id >= 'txn_' || $3::text and created_at > $2
    union all
    select merchant_id, mode, id, refunded_at, 'charge.refunded' from charges
    where merchant_id = $1 and status = 'refunded' and id >= 'txn_' || $3::text and created_at > $2
    union all
    select p.merchant_id, p.mode, p.id, p.completed_at, 'payout.' || p.status
    from payouts p left join charges c on (c.merchant_id, c.id) = (p.merchant_id, p.charge_id)
    where p.merchant_id = $1 and p.id >= 'pout_' || $3::text and coalesce(c.created_at, p.created_at) > $2) e`
// Only of the last 30 days; older ones have been pruned.
const DELIVERIES = `insert into deliveries (merchant_id, event_id, mode, event, created_at)
  select merchant_id, id, mode, type, created_at from events e
  where merchant_id = $1 and id >= 'evt_' || $2::text and created_at > now() - interval '30 days'
    and not exists (select from deliveries d where (d.merchant_id, d.event_id) = (e.merchant_id, e.id))`
// As the product keeps them: of the last 30 days.
const KEYS = `insert into idempotency_keys (merchant_id, mode, key, fingerprint, object_id, status, body, created_at)
  select merchant_id, mode, 'key-' || id, sha256(id::bytea), id, 201, body::text, created_at from (
    select merchant_id, mode, id, created_at, json_build_object('id', id, 'status', 'authorized', 'amount', amount, 'fee', fee,
      'channel', channel, 'phone', phone, 'reference', reference, 'created_at', created_at) as body
    from charges where merchant_id = $1 and id >= 'txn_' || $2::text
    union all
    select merchant_id, mode, id, created_at, json_build_object('id', id, 'status', 'authorized', 'fee', fee, 'channel', channel,
      'reference', reference, 'created_at', created_at)
    from payouts where merchant_id = $1 and kind = 'payout' and id >= 'pout_' || $2::text) made
  where created_at > now() - interval '30 days' on conflict do nothing`
// Adds what is numbered above the head.
const HEAD = `update ledger_heads h set seq = s.seq, available = h.available + s.available from (
    select max(t.seq) as seq,
      sum(case when credit = 'available' then amount when debit = 'available' then -amount end)::bigint as available
    from ledger_heads o join transfers t on (t.merchant_id, t.mode) = (o.merchant_id, o.mode) and t.seq > o.seq
    where o.merchant_id = $1 and o.mode = 'test' having count(*) > 0) s
  where h.merchant_id = $1 and h.mode = 'test'`

/** Writes these histories as the product would have left them: set-based, with heads, numbers and checkpoints. */
export async function writeHistories(stage: Stage, histories: readonly History[]): Promise<void> {
  const startedAt = performance.now()
  await withGateway(stage.config, async ({ gateway }) => {
    const [app] = gateway.cells
    const checkpoint = async () => {
      if (app) await checkpointLedgers(app.db, gateway.clock.now())
    }
    for (const history of histories) await writeHistory(stage, history, checkpoint)
  })
  // Autovacuum would do this within a minute or two.
  await stage.db.query('vacuum analyze')
  stage.say(`histories written in ${Math.round((performance.now() - startedAt) / 1000)} s`)
}

async function writeHistory(
  { db }: Stage,
  { merchant, charges }: History,
  checkpoint: () => Promise<void>,
): Promise<void> {
  const { id, tag } = merchant
  const customers = charges / OF_EACH_CUSTOMER
  for (const { first, last } of chunksOf(charges)) {
    const since = await newestCharge(db, id)
    await db.query(CHARGES, [id, tag, first, last, customers, charges])
    await db.query(TRANSFERS, [id, since.until, await seqOf(db, id), since.from])
    await db.query(HEAD, [id])
    await db.query(REFUNDS, [id, since.until, since.from])
    await db.query(REFUND_TRANSFERS, [id, since.until, await seqOf(db, id), since.from])
    await db.query(HEAD, [id])
    await writeRecords(db, { merchant, since })
    await checkpoint()
  }
}

/** Writes what a charge and a payout leave beside the transfers: settlements, events, deliveries and keys. */
export async function writeRecords(
  db: Stage['db'],
  { merchant: { id }, since: { until, from } }: { merchant: BenchMerchant; since: Since },
): Promise<void> {
  await db.query(SETTLEMENTS, [id, until, from])
  await db.query(EVENTS, [id, until, from])
  await db.query(DELIVERIES, [id, from])
  await db.query(KEYS, [id, from])
}

async function seqOf(db: Stage['db'], id: number): Promise<number> {
  const { rows } = await db.query(`select seq from ledger_heads where merchant_id = $1 and mode = 'test'`, [id])
  return Number(rows[0].seq)
}
