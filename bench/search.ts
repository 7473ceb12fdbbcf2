import { Agent } from 'node:http'
import { feeSql } from '../src/ledger/fees.ts'
import { takeUpPayments } from '../src/operations/investigation/search/take-up-payments.ts'
import { withoutIndexes } from './big-fill.ts'
import { plantOperator } from './console.ts'
import { measurePage, type Page } from './dashboard.ts'
import { rounded } from './figures.ts'
import { atMost } from './report.ts'
import { type Stage, withGateway } from './stage.ts'

const P99_MS = 50
const AT_ONCE = 500_000
const IN_TWENTY_PAYOUTS = 20

// One in five fails; merchants are of very different size; a year's payments, the newest just ended.
const ROWS = `select n, m.id as merchant_id, m.tag, 500 * (1 + floor(60 * power(random(), 3)))::bigint as amount,
    random() < 0.2 as fails, '25677' || lpad(floor(random() * 10000000)::text, 7, '0') as phone,
    case when random() < 0.5 then 'INV-' || n || '-' || substr(md5(n::text), 1, 4) else 'Booking ' || substr(md5(n::text), 5, 8) end as reference,
    lpad(floor(random() * 99999999999)::text, 11, '0') as number,
    (array['timeout', 'user_cancelled', 'insufficient_funds', 'rail_rejected'])[1 + floor(4 * power(random(), 2))::int] as reason,
    (array['Nakato', 'Okello', 'Mugisha', 'Namukasa', 'Kato', 'Achieng', 'Ssempijja'])[1 + n % 7] || ' ' || initcap(substr(md5(n || 'x'), 1, 7)) as name,
    date_trunc('milliseconds', now() - interval '5 minutes' - ($3::bigint - n) * interval '1 year' / $3::bigint) as at
  from (select n, floor($4::int * power(random(), 2))::bigint as nth from generate_series($1::bigint, $2::bigint) n) s
    join bench_merchants m on m.nth = s.nth`
const FEE = feeSql('amount')
const CHARGES = `insert into charges (merchant_id, id, mode, status, amount, fee, channel, phone, phone9, reference, rail_reference,
    rail_transaction_id, failure_reason, published, created_at, completed_at, hold_until, settled_at)
  select merchant_id, 'txn_' || lpad(to_hex(n), 6, '0') || tag || substr(md5(n::text), 1, 16), 'live', case when fails then 'failed' else 'succeeded' end,
    amount, ${FEE}, 'op1_momo', phone, right(phone, 9), reference, 'bench-' || n, case when fails then null else number end,
    case when fails then reason end, true, at, at + interval '20 seconds', case when not fails then at + interval '1 day' end,
    case when not fails then at + interval '1 day' end
  from (${ROWS}) r where n % ${IN_TWENTY_PAYOUTS} <> 0`
const PAYOUTS = `insert into payouts (merchant_id, id, mode, kind, status, amount, fee, channel, recipient_phone, recipient_name, reference, rail_reference,
    rail_transaction_id, failure_reason, published, created_at, completed_at)
  select merchant_id, 'pout_' || lpad(to_hex(n), 6, '0') || tag || substr(md5(n::text), 1, 16), 'live', 'payout',
    case when fails then 'failed' else 'succeeded' end, amount, ${FEE}, 'op1_momo', phone, name, reference, 'bench-' || n,
    case when fails then null else number end, case when fails then reason end, true, at, at + interval '20 seconds'
  from (${ROWS}) r where n % ${IN_TWENTY_PAYOUTS} = 0`

/** The console's list of payments over all merchants and its search by parts, beside so many live payments. */
export async function measureSearch(stage: Stage, payments: number) {
  const { db, say } = stage
  await stage.service.stop()
  await fillLive(stage, payments)
  const takenUp = await takeUpAll(stage, payments)
  await db.query('vacuum analyze')
  await stage.restart({ RATE_LIMIT_PAGES: '1000000' })
  const cookie = `console=${await plantOperator(stage)}`
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const pages: Record<string, Page> = {}
  for (const query of await queriesOf(stage)) {
    const address = `/console/payments?${query}`
    pages[query] = await measurePage({ port: stage.service.port, agent, cookie }, address)
    const { p50_ms, p99_ms, status } = pages[query] as Page
    say(`${address}: ${status}, p50 ${p50_ms} ms, p99 ${p99_ms} ms`)
  }
  agent.destroy()
  const worst = Math.max(...Object.values(pages).map(({ p99_ms }) => p99_ms ?? Number.POSITIVE_INFINITY))
  return {
    payments,
    taken_up: takenUp,
    scenarios: { search: pages },
    bars: [atMost('search_p99_ms', P99_MS, worst)],
  }
}

async function fillLive(stage: Stage, payments: number): Promise<void> {
  const { db, say } = stage
  await db.query(
    `create table bench_merchants as select row_number() over (order by id) - 1 as nth, id, tag from merchants`,
  )
  const merchants = (await db.query('select count(*)::int as count from bench_merchants')).rows[0].count
  await db.query(
    `set synchronous_commit = off; set maintenance_work_mem = '1GB'; set max_parallel_maintenance_workers = 2`,
  )
  await withoutIndexes(stage, ['charges', 'payouts'], async () => {
    for (let from = 1; from <= payments; from += AT_ONCE) {
      const until = Math.min(payments, from + AT_ONCE - 1)
      for (const insert of [CHARGES, PAYOUTS]) await db.query(insert, [from, until, payments, merchants])
      say(`  ${until} payments`)
    }
  })
  await db.query('drop table bench_merchants')
}

/** What it costs to take a payment up, in us of time of one process with its database. */
async function takeUpAll({ config, say }: Stage, payments: number): Promise<{ us_each: number | null }> {
  return withGateway(config, async ({ gateway }) => {
    const [app] = gateway.cells
    if (app === undefined) throw new Error('the stage has a cell')
    const begun = performance.now()
    while ((await takeUpPayments(app)) > 0);
    const each = ((performance.now() - begun) * 1000) / payments
    say(`taken up in ${Math.round((performance.now() - begun) / 1000)} s, ${each.toFixed(1)} us each`)
    return { us_each: rounded(each, 1) }
  })
}

/** What an operator types, and what finds everything, or nothing. */
async function queriesOf({ db }: Stage): Promise<string[]> {
  const { rows } = await db.query(
    `select phone9, reference, rail_transaction_id as number, to_char(created_at at time zone 'Africa/Kampala', 'YYYY-MM-DD"T"HH24:MI') as minute,
       (select handle from merchants m where m.id = c.merchant_id) as handle
     from charges c where rail_transaction_id is not null and created_at < now() - interval '200 days' order by created_at desc limit 1`,
  )
  const { phone9, reference, number, minute, handle } = rows[0]
  return [
    '',
    'state=succeeded',
    'state=failed',
    'state=refunded',
    'state=open',
    'amount=10000-10400',
    ...[
      'reason=rail_rejected',
      'amount=12500',
      'amount=12501',
      `merchant=${handle}`,
      `merchant=${handle}&state=failed`,
    ],
    ...[
      `q=${phone9}`,
      `q=0${phone9.slice(0, 6)}`,
      `q=${phone9.slice(-4)}`,
      `q=${phone9.slice(-6)}`,
      `q=${number}`,
      `q=${number.slice(2, 8)}`,
    ],
    ...[
      `q=${encodeURIComponent(reference)}`,
      `q=${encodeURIComponent(reference.slice(2, 9))}`,
      'q=nakato',
      'q=inv-',
      'q=77',
      'q=077',
      'q=256',
      'q=INV-99999999',
    ],
    ...[
      'q=zzzzzz',
      'q=nakatozzz',
      `q=${phone9.slice(-4)}&amount=500`,
      `q=inv-&amount=12501`,
      `q=nakato&state=refunded`,
    ],
    ...[
      `from=${minute}&until=${minute}`,
      `until=${minute}&state=failed`,
      `q=${phone9.slice(-5)}&from=${minute}&until=${minute}`,
    ],
  ]
}
