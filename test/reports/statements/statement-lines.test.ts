import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import test from 'node:test'
import fc from 'fast-check'
import { newId } from '../../../src/platform/text/ids.ts'
import { readFigures } from '../../../src/reports/statement/figures.ts'
import { readSectionLines, SECTIONS } from '../../../src/reports/statement/lines.ts'
import { parsePeriod } from '../../../src/reports/statement/period.ts'
import { withSnapshot } from '../../../src/reports/statement/snapshot.ts'
import { payer } from '../../helpers/payments/schedules.ts'
import { opened } from '../../helpers/service/opened.ts'
import { sized } from '../../helpers/service/parts.ts'
import { startService } from '../../helpers/service/test-service.ts'
import { listsAsWrittenBefore } from './statement-text.ts'

// Rows planted by SQL for what stands in them are no complete history.
const service = opened(() => startService())
const { period } = parsePeriod('2026-03')
const { start, end, name: MONTH } = period
const HOUR_MS = 3_600_000

const orNull = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: null })
const AWKWARD = [
  ...['', '"', '\\', '\\"', '\\u0041', '/', "'", '$1', '</script>', 'null', ' INV 1 ', 'INV-1\r\n', '\b\f\t'],
  ...['\u0001\u001e\u001f', '\u007f\u0080\u009f', '\u2028\u2029', '\ufeff', '\ufffd\uffff', '👩‍👩‍👧', 'ሰላም', 'عربى'],
  ...['e\u0301', 'x'.repeat(64), 'y'.repeat(65), '"'.repeat(300), 'ж'.repeat(40_000)],
]
const reference = orNull(
  fc.oneof(
    fc.constantFrom(...AWKWARD),
    fc.array(fc.constantFrom(...AWKWARD.slice(0, -1)), { maxLength: 5 }).map((parts) => parts.join('')),
    // The server stores no zero character.
    fc.string({ unit: 'binary', maxLength: 80 }).map((words) => words.replaceAll('\0', '')),
    fc.nat().map((number) => `INV-${number}`),
  ),
)
const length = end.getTime() - start.getTime()
const at = fc.oneof(
  fc.nat(length - 1),
  fc.constantFrom(0, 1, length - 1),
  // At the edges of hours, of which every 24th is the edge of a day.
  fc
    .tuple(fc.integer({ min: 1, max: length / HOUR_MS - 1 }), fc.integer({ min: -2, max: 2 }))
    .map(([hour, ms]) => hour * HOUR_MS + ms),
)
const item = fc.record({
  what: fc.constantFrom('charge', 'charge', 'covered', 'payout', 'hidden payout'),
  ...{
    reference,
    at,
    phone: orNull(fc.constantFrom('256772000111', '256700000001')),
    rail: orNull(fc.uuid()),
  },
  own: fc.oneof(fc.integer({ min: 1000, max: 9_999_999 }), fc.constantFrom(1000, 2 ** 31, 2 ** 32 + 1, 2 ** 52)),
  card: fc.oneof(fc.constant(0), fc.nat(2_000_000)),
  waited: fc.constantFrom(0, 1000, 120_001, 3 * 86_400_000),
  ending: fc.constantFrom('succeeded', 'failed', 'later', 'pending'),
})
type Item = typeof item extends fc.Arbitrary<infer T> ? T : never

const ITEMS = `unnest($2::text[], $3::text[], $4::timestamptz[], $5::text[], $6::text[], $7::bigint[], $8::bigint[], $9::int[], $10::text[], $11::text[])
  with ordinality as n (id, reference, at, phone, rail, own, card, waited, ending, what, place)`
const FEE = 'least(greatest(own / 1000 * 15 + own % 1000 * 15 / 1000, 200), 5000)'
const CHARGES = `insert into charges (merchant_id, id, mode, status, amount, gift_card_amount, fee, channel, phone, reference,
    rail_reference, created_at, completed_at, hold_until, settled_at)
  select $1::bigint, id, 'live'::mode, 'succeeded', card + own, card, ${FEE}, case place % 3 when 0 then 'op2_money' else 'op1_momo' end, phone, reference,
    rail, at - waited * interval '1 millisecond', at, at, at from ${ITEMS} where what = 'charge'
  union all select $1::bigint, id, 'live'::mode, 'succeeded', card + 1, card + 1, 0, 'op1_momo', phone, reference, null, at, at, at, at
  from ${ITEMS} where what = 'covered'`
const PAYOUTS = `insert into payouts (merchant_id, id, mode, kind, status, amount, fee, channel, recipient_phone, reference,
    rail_reference, failure_reason, published, voided_at, created_at, completed_at, follow_at)
  select $1::bigint, id, 'live', case place % 2 when 0 then 'withdrawal' else 'payout' end,
    case when what <> 'payout' then 'pending' else replace(ending, 'later', 'succeeded') end, own, ${FEE}, 'op1_momo', coalesce(phone, '256'), reference,
    coalesce(rail, id), case when what = 'payout' and ending = 'failed' then 'timeout' end, what = 'payout',
    case when what <> 'payout' then at end, at, case when what = 'payout' and ending <> 'pending' then case ending when 'later' then $12 else at end end,
    case when what = 'payout' and ending = 'pending' then at end
  from ${ITEMS} where what like '%payout' and $12::timestamptz is not null`
const TRANSFERS = `insert into transfers (merchant_id, mode, seq, kind, subject, debit, credit, amount, at)
  select $1::bigint, 'live'::mode, row_number() over (order by place, kind desc), kind, id, debit, credit,
    case kind when 'charge_net' then own - ${FEE} when 'charge_fee' then ${FEE} else own + ${FEE} end, at
  from ${ITEMS} join (values ('charge', 'charge_net', 'rail:op1_momo', 'available'), ('charge', 'charge_fee', 'rail:op1_momo', 'fees'),
    ('payout', 'payout_reserve', 'available', 'in_flight'), ('hidden payout', 'payout_reserve', 'available', 'in_flight'))
    k (of, kind, debit, credit) on k.of = what`
const HEAD = `update ledger_heads set seq = (select count(*) from transfers where merchant_id = $1) where merchant_id = $1 and mode = 'live'`

async function plant(items: readonly Item[]) {
  const { merchantId, tag, merchant } = await payer(service)
  const column = <Key extends keyof Item>(key: Key) => items.map((item) => item[key])
  const ids = items.map(({ what }) => newId(what.endsWith('payout') ? 'pout_' : 'txn_', tag))
  const times = items.map((item) => new Date(start.getTime() + item.at))
  const values = [
    ...[merchantId, ids, column('reference'), times, column('phone'), column('rail')],
    ...[column('own'), column('card'), column('waited'), column('ending'), column('what')],
  ]
  await service.rows(CHARGES, values)
  await service.rows(PAYOUTS, [...values, end])
  await service.rows(TRANSFERS, values)
  await service.rows(HEAD, [merchantId])
  return { merchantId, live: service.client(merchant.keys.live) }
}

async function compare(items: readonly Item[]): Promise<void> {
  const { merchantId, live } = await plant(items)
  const { status, text, body } = await live.get(`/v1/statements/${MONTH}`)
  assert.equal(status, 200, text.slice(0, 300))
  const before = await listsAsWrittenBefore(service, { merchantId, start, end })
  const from = text.indexOf(',"money_in":[')
  assert.equal(text.slice(from, from + before.length), before)
  const cards = items.reduce(
    (sum, { what, card }) => sum + (what === 'charge' ? card : what === 'covered' ? card + 1 : 0),
    0,
  )
  assert.equal(body.totals.gift_cards, cards)
  assert.equal(
    body.money_in.length + body.money_out.length,
    items.filter(({ what }) => what !== 'hidden payout').length,
  )
}

test('a line has the bytes that the database wrote before, whatever stands in it', async (context) => {
  const seed = randomInt(2 ** 31)
  context.diagnostic(`seed ${seed}`)
  const items = fc.array(item, { minLength: 1, maxLength: 60 })
  await fc.assert(fc.asyncProperty(items, compare), {
    seed,
    numRuns: sized(5, 30),
    endOnFailure: true,
    includeErrorInReport: true,
  })
})

test('so have thousands of lines, which are written in pieces', async (context) => {
  const seed = randomInt(2 ** 31)
  context.diagnostic(`seed ${seed}`)
  await compare(fc.sample(item, { seed, numRuns: sized(2500, 6000) }))
})

/** The lists of a month. `heldSeqs`: of how many transfers the numbers are held. */
const listsWith = (merchantId: number, heldSeqs: number) =>
  withSnapshot(service.app.db, async (snapshot) => {
    const ledger = { merchantId, mode: 'live' } as const
    const figures = await readFigures(snapshot, ledger, { period, complete: true })
    const month = { ledger, period, complete: true, figures, heldSeqs }
    const lists: string[] = []
    for (const section of SECTIONS)
      for await (const { lines } of readSectionLines(snapshot, month, section))
        if (lines.length > 0) lists.push(lines.toString())
    return lists.join()
  })

test('payouts of which there are too many to hold their numbers are found in windows', async (context) => {
  const seed = randomInt(2 ** 31)
  context.diagnostic(`seed ${seed}`)
  const { merchantId } = await plant(fc.sample(item, { seed, numRuns: sized(2500, 6000) }))
  const held = await listsWith(merchantId, 100_000)
  for (const most of [1000, 0]) assert.equal(await listsWith(merchantId, most), held)
  assert.match(held, /"kind":"withdrawal".*"kind":"released_reservation"/s)
})
