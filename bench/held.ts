import { checkpointLedgers } from '../src/ledger/checkpoints.ts'
import { feeSql } from '../src/ledger/fees.ts'
import { shortDigestSql } from '../src/platform/text/short-digest.ts'
import { chunksOf, idTail, newestCharge } from './chunks.ts'
import type { BenchMerchant, Stage } from './stage.ts'
import { withGateway } from './stage.ts'

/** Paid charges of one merchant whose hold is over and that nobody has released yet. */
export type Held = { merchant: BenchMerchant; charges: number }

// All were completed within four weeks, long enough ago that their deliveries have been pruned.
const CHARGES = `insert into charges (merchant_id, id, mode, status, amount, fee, channel, phone, phone9, reference,
    rail_reference, rail_transaction_id, created_at, completed_at, hold_until, phone_digest)
  select $1::bigint, 'txn_' || ${idTail({ at: 'at', tag: '$2::text', own: 'n::text' })}, 'test', 'succeeded', amount,
    ${feeSql('amount')}, 'op1_momo', '2567' || person, '7' || person, 'INV-' || n,
    md5($2::text || n)::uuid::text, (10000000000 + n)::text, at, at + interval '2 seconds', at + interval '1 day',
    ${shortDigestSql(`'txn_' || ${idTail({ at: 'at', tag: '$2::text', own: 'n::text' })} || ' 2567' || person`)}
  from (select n, 10000 + (n % 1000) * 100 as amount, lpad((n % 50000)::text, 8, '0') as person,
      now() - interval '60 days' + interval '28 days' * (n / $5::float8) as at
    from generate_series($3::int, $4::int) n) s`
const TRANSFERS = `insert into transfers (merchant_id, mode, seq, kind, subject, debit, credit, amount, at)
  select merchant_id, mode, h.seq + row_number() over (order by c.created_at, c.id, part desc), 'charge_' || part, c.id,
    'rail:op1_momo', case part when 'net' then 'pending' else 'fees' end,
    case part when 'net' then c.amount - c.fee else c.fee end, c.completed_at
  from charges c join ledger_heads h using (merchant_id, mode) cross join (values ('net'), ('fee')) p (part)
  where merchant_id = $1 and mode = 'test' and c.created_at > $2`
const EVENTS = `insert into events (merchant_id, id, mode, type, subject, body, created_at)
  select merchant_id, 'evt_' || substr(id, 5), mode, 'charge.succeeded', id, '{}', completed_at from charges
  where merchant_id = $1 and created_at > $2`
const HEAD = `update ledger_heads h set seq = h.seq + n.transfers, pending = h.pending + n.amount
  from (select 2 * count(*) as transfers, sum(amount - fee) as amount from charges
    where merchant_id = $1 and mode = 'test' and created_at > $2) n
  where h.merchant_id = $1 and h.mode = 'test'`

/** Writes the charges as the product would have left them, with transfers, events, heads and checkpoints, in few statements. */
export async function writeHeld(stage: Stage, all: readonly Held[]): Promise<void> {
  const startedAt = performance.now()
  await withGateway(stage.config, async ({ gateway }) => {
    const [app] = gateway.cells
    if (app === undefined) throw new Error('the stage has no cell')
    for (const held of all) await writeChunks(stage, held, () => checkpointLedgers(app.db, gateway.clock.now()))
  })
  await stage.db.query('vacuum analyze')
  await stage.db.query('checkpoint')
  stage.say(`held charges written in ${Math.round((performance.now() - startedAt) / 1000)} s`)
}

async function writeChunks(
  { db }: Stage,
  { merchant: { id, tag }, charges }: Held,
  checkpoint: () => Promise<unknown>,
): Promise<void> {
  for (const { first, last } of chunksOf(charges)) {
    const until = await newestCharge(db, id)
    await db.query(CHARGES, [id, tag, first, last, charges])
    for (const sql of [TRANSFERS, EVENTS, HEAD]) await db.query(sql, [id, until])
    await checkpoint()
  }
}
