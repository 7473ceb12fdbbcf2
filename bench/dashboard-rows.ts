import type { BenchMerchant, Stage } from './stage.ts'

const PAYOUTS = 100_000
const REQUESTS = 1_000_000

// Beside the refunds of the history; of ten one has failed.
const SINGLES = `insert into payouts (merchant_id, id, mode, kind, status, amount, fee, channel, recipient_phone, reference,
    rail_reference, rail_transaction_id, failure_reason, created_at, completed_at)
  select $1::bigint, 'pout_' || $2::text || substr(md5('p' || n), 1, 16), 'test', 'payout',
    case when n % 10 = 0 then 'failed' else 'succeeded' end, 10000, 200, 'op1_momo', '2567' || lpad((n % 4000)::text, 8, '0'),
    'PAY-' || n, md5('p' || n)::uuid::text, case when n % 10 > 0 then (20000000000 + n)::text end,
    case when n % 10 = 0 then 'wallet_locked' end, at, at + interval '2 seconds'
  from (select n, now() - interval '1 year' * (n / $3::float8) as at from generate_series(1, $3::int) n) s`
const DELIVERIES = `insert into deliveries (merchant_id, event_id, mode, event, created_at, status, attempts, delivered_at, last_response_code)
  select merchant_id, id, mode, type, created_at, 'sent', 1, created_at, 200 from events e
  where merchant_id = $1 and not exists (
    select from deliveries d where (d.merchant_id, d.event_id) = (e.merchant_id, e.id))`
const ATTEMPTS = `insert into delivery_attempts (merchant_id, event_id, attempted_at, url, response_code, ms, answer)
  select merchant_id, event_id, created_at, 'https://shop.example/hook', 200, 80, 'ok' from deliveries where merchant_id = $1`
const LOGGED = `insert into request_log (merchant_id, mode, id, request_id, method, route, status, code, ms, key_outcome, key_last4)
  select $1::bigint, 'test', (extract(epoch from now()) * 1000)::bigint * 4194304 - n * 10000000000, 'req-' || n,
    case when n % 3 = 0 then 'POST' else 'GET' end, '/v1/charges',
    case when n % 50 = 0 then 400 when n % 3 = 0 then 201 else 200 end, case when n % 50 = 0 then 'bad_request' end, 4.2,
    case when n % 3 = 0 then 'new' end, 'abcd'
  from generate_series(1, $2::int) n`

/** Payouts, deliveries and requests of one merchant, and an id for each kind of page. */
export async function fillBeside({ db, say }: Stage, { id, tag }: BenchMerchant): Promise<Record<string, string>> {
  const startedAt = performance.now()
  await db.query(SINGLES, [id, tag, PAYOUTS])
  await db.query(DELIVERIES, [id])
  await db.query(ATTEMPTS, [id])
  await db.query(LOGGED, [id, REQUESTS])
  await db.query('vacuum analyze')
  say(`payouts, deliveries and requests written in ${Math.round((performance.now() - startedAt) / 1000)} s`)
  const first = async (sql: string) => (await db.query(sql, [id])).rows[0]?.id as string
  return {
    '/charges': await first(`select id from charges where merchant_id = $1 and status = 'succeeded' limit 1`),
    '/payouts': await first(`select id from payouts where merchant_id = $1 and kind = 'payout' limit 1`),
    '/developers/webhooks': await first('select event_id as id from deliveries where merchant_id = $1 limit 1'),
    '/developers/keys': await first(`select id from api_keys where merchant_id = $1 and kind = 'test' limit 1`),
    '/developers/requests': BigInt(
      await first(`select id::text from request_log where merchant_id = $1 order by id desc limit 1`),
    ).toString(36),
  }
}

const FORGET_MARKS = 'delete from tally_marks where merchant_id = $1'
const DAYS = 'select count(*)::int as days from day_tallies where merchant_id = $1'
const TALLY_WITHIN_MS = 120_000
const LOOK_EVERY_MS = 500
const FULL_DAYS = 30

/** The history was written after the days of the merchant had been counted: they are counted again before anything is measured. */
export async function tallied({ db, say }: Stage, { id }: BenchMerchant): Promise<void> {
  await db.query(FORGET_MARKS, [id])
  const startedAt = performance.now()
  while (performance.now() - startedAt < TALLY_WITHIN_MS) {
    const { days } = (await db.query(DAYS, [id])).rows[0]
    if (days >= FULL_DAYS) return
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
  }
  say('the days of the merchant were not counted in two minutes: Home is measured without them')
}
