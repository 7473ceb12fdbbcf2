import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import fc from 'fast-check'
import { moveCharge } from '../../../src/payments/charges/move-charge.ts'
import { RowsAsJson } from '../../../src/platform/db/wire/rows-as-json.ts'
import { newId } from '../../../src/platform/text/ids.ts'
import { withCovered } from '../../../src/reports/statement/covered.ts'
import { readFigures } from '../../../src/reports/statement/figures.ts'
import { MONEY_IN, MONEY_IN_KINDS } from '../../../src/reports/statement/money-in.ts'
import { parsePeriod } from '../../../src/reports/statement/period.ts'
import { splitRange } from '../../../src/reports/statement/read-ahead.ts'
import { withSnapshot } from '../../../src/reports/statement/snapshot.ts'
import { windowValues } from '../../../src/reports/statement/window.ts'
import { newCard, payByCard } from '../../helpers/payments/gift-cards.ts'
import { type Payer, payer } from '../../helpers/payments/schedules.ts'
import { boundsOf, monthNow, passMonth, statementOf, totalOf } from '../../helpers/payments/statements.ts'
import { opened, openedAndVerified } from '../../helpers/service/opened.ts'
import { longTest, test } from '../../helpers/service/parts.ts'
import { type Client, startService } from '../../helpers/service/test-service.ts'
import { readPdf, textOf } from '../../helpers/web/pdf-text.ts'
import { wordOf } from '../../operations/verify/world-charges.ts'

// Rows planted by SQL for their order are no complete history, so that test has a service of its own.
const service = openedAndVerified(() => startService({ env: { LIVE_HOLD_HOURS: '0' } }))
const planted = opened(() => startService())

type Shop = Payer & { live: Client; cardId: string }
async function shop(): Promise<Shop> {
  const own = await payer(service)
  const { id: cardId } = await newCard(service, own, 10_000_000)
  return { ...own, live: service.client(own.merchant.keys.live), cardId }
}
/** A charge of 10,000 that the card covers in full, and one of which it pays 4,000. */
const covered = (own: Shop, at?: Date) =>
  payByCard(service, own, { cardId: own.cardId, amount: 10_000, applied: 10_000, ...(at ? { at } : {}) })
async function inPart(own: Shop) {
  const charge = await payByCard(service, own, { cardId: own.cardId, amount: 10_000, applied: 4000 })
  service.pass(1000)
  await moveCharge(service.app, {
    charge,
    to: { status: 'succeeded', railTransactionId: `number of ${charge.id}` },
    alongside: wordOf(charge, 'succeeded'),
  })
  return charge
}
const idsOf = (statement: any) => statement.money_in.map(({ id }: any) => id)

test('a charge that a gift card covers in full has its line among the others: only a gross amount', async () => {
  const own = await shop()
  const ids: string[] = []
  for (let round = 0; round < 3; round += 1)
    for (const pay of [covered, inPart, covered]) {
      ids.push((await pay(own)).id)
      service.pass(1000)
    }
  const statement = await statementOf(own.live, monthNow(service))
  assert.deepEqual(idsOf(statement), ids)
  const { date, ...line } = statement.money_in[0]
  assert.deepEqual(line, {
    reference: 'by card 10000',
    id: ids[0],
    rail_reference: null,
    party: null,
    channel: 'op1_momo',
    gross: 10_000,
    gift_card: 10_000,
    fee: 0,
    net: 0,
  })
  assert.equal(new Date(date).toISOString(), (await own.live.get(`/v1/charges/${ids[0]}`)).body.completed_at)
  const { count_in, gross_in, gift_cards, collected_net } = statement.totals
  assert.deepEqual([count_in, gross_in, gift_cards, collected_net], [9, 90_000, 6 * 10_000 + 3 * 4000, 3 * 5800])
  assert.equal(statement.closing_balance, await totalOf(own.live))
  const pdf = await fetch(`${service.url}/v1/statements/${monthNow(service)}.pdf`, {
    headers: { authorization: `Bearer ${own.merchant.keys.live}` },
  })
  const lines = textOf(readPdf(Buffer.from(await pdf.arrayBuffer()))).split('\n')
  const shown = [date.slice(0, 19).replace('T', ' '), 'by card 10000', ids[0], 'op1_momo', '10,000', '10,000', '0', '0']
  assert.ok(lines.includes(shown.join('   ')), lines.join('\n'))
  assert.ok(lines.includes(['Total', '90,000', '72,000', '600', '17,400'].join('   ')), lines.join('\n'))
  assert.ok(lines.some((text) => text.includes('9 charges')))
})

test('a month in which gift cards covered everything has its lines and moves no balance', async () => {
  const own = await shop()
  const ids = [(await covered(own)).id]
  service.pass(1)
  ids.push((await covered(own)).id)
  const statement = await statementOf(own.live, monthNow(service))
  assert.deepEqual(idsOf(statement), ids)
  assert.deepEqual([statement.opening_balance, statement.closing_balance], [0, 0])
  assert.deepEqual((await statementOf(own.api, monthNow(service))).money_in, [], 'none of it is in test')
})

longTest(
  'a covered charge belongs to the month in which it was paid, to the millisecond, and a past month stays as it is',
  async () => {
    const own = await shop()
    const month = monthNow(service)
    const { end } = boundsOf(month)
    passMonth(service, -1000)
    const [inside, outside] = [await covered(own, new Date(end.getTime() - 1)), await covered(own, end)]
    await inPart(own)
    passMonth(service, 2000)
    const textOfMonth = async (name: string) => (await own.live.get(`/v1/statements/${name}`)).text
    const first = await textOfMonth(month)
    assert.equal(JSON.parse(first).complete, true)
    assert.ok(idsOf(JSON.parse(first)).includes(inside.id))
    assert.ok(!idsOf(JSON.parse(first)).includes(outside.id))
    const next = await statementOf(own.live, monthNow(service, -1))
    assert.ok(idsOf(next).includes(outside.id))
    for (let round = 0; round < 3; round += 1) {
      await covered(own)
      await inPart(own)
      service.pass(7 * 3_600_000)
      assert.equal(await textOfMonth(month), first)
    }
  },
)

type Planted = { posted: Date[]; covered: Date[] }
const PERIOD = parsePeriod('2026-03').period
const TIMES = `unnest($3::text[], $4::timestamptz[]) with ordinality as n (id, at, seq)`
const charges = (giftCard: number, fee: number) =>
  `insert into charges (merchant_id, id, mode, status, amount, gift_card_amount, fee, channel, created_at, completed_at, hold_until, settled_at)
   select $1, id, $2, 'succeeded', 10000, ${giftCard}, ${fee}, 'op1_momo', at, at, at, at from ${TIMES}`
const transfers = (kind: string, credit: string, amount: number, back: number) =>
  `insert into transfers (merchant_id, mode, seq, kind, subject, debit, credit, amount, at)
   select $1, $2, 2 * seq - ${back}, '${kind}', id, 'rail:op1_momo', '${credit}', ${amount}, at from ${TIMES}`

/** A merchant with charges posted in this order, whatever their times, and covered charges. */
async function plant({ posted, covered: whole }: Planted) {
  const own = await payer(planted)
  const idsFor = (times: Date[]) => times.map(() => newId('txn_', own.tag))
  const [ids, wholeIds] = [idsFor(posted), idsFor(whole)]
  const values = [own.merchantId, 'live', ids, posted]
  await planted.rows(charges(0, 200), values)
  await planted.rows(transfers('charge_net', 'available', 9800, 1), values)
  await planted.rows(transfers('charge_fee', 'fees', 200, 0), values)
  await planted.rows(charges(10_000, 0), [own.merchantId, 'live', wholeIds, whole])
  await planted.rows(`update ledger_heads set seq = $2, available = $3 where merchant_id = $1 and mode = 'live'`, [
    own.merchantId,
    2 * posted.length,
    9800 * posted.length,
  ])
  return { own, ids, wholeIds, live: planted.client(own.merchant.keys.live) }
}

/** The expected order: charges as posted, and each covered charge before the first posted one with a later time. */
function inOrder({ posted, covered: whole }: Planted, ids: string[], wholeIds: string[]): string[] {
  const waiting = whole
    .map((at, index) => ({ at: at.getTime(), id: wholeIds[index] as string }))
    .sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1))
  const order: string[] = []
  for (const [index, at] of posted.entries()) {
    while (waiting[0] && waiting[0].at < at.getTime()) order.push(waiting.shift()?.id as string)
    order.push(ids[index] as string)
  }
  return [...order, ...waiting.map(({ id }) => id)]
}

/** The lines of incoming money, read in windows of this many transfers. */
const readInWindows = ({ merchantId }: Payer, size: number) =>
  withSnapshot(planted.app.db, async (snapshot) => {
    const ledger = { merchantId, mode: 'live' as const }
    const figures = await readFigures(snapshot, ledger, { period: PERIOD, complete: false })
    const month = { ledger, period: PERIOD }
    async function* posted() {
      for (const window of splitRange(figures.range, () => size))
        yield* await snapshot.copy(MONEY_IN, windowValues(month, window))
    }
    const json = new RowsAsJson(MONEY_IN_KINDS, null)
    for await (const rows of withCovered(snapshot, month, posted())) json.add(rows)
    return JSON.parse(`[${json.take().lines}]`).map(({ id }: { id: string }) => id)
  })

longTest('for any order of times and numbers, the lines have one order, however they are read', async (context) => {
  const seed = randomInt(2 ** 31)
  context.diagnostic(`seed ${seed}`)
  // Few moments, so that many coincide.
  const moment = fc.nat(12).map((second) => new Date(PERIOD.start.getTime() + 86_400_000 + second * 1000))
  const times = (least: number) => fc.array(moment, { minLength: least, maxLength: 14 })
  await fc.assert(
    fc.asyncProperty(times(0), times(1), async (posted, whole) => {
      const { own, ids, wholeIds, live } = await plant({ posted, covered: whole })
      const expected = inOrder({ posted, covered: whole }, ids, wholeIds)
      for (const size of [1, 2, 3, 5, 1000]) assert.deepEqual(await readInWindows(own, size), expected)
      assert.deepEqual(idsOf(await statementOf(live, PERIOD.name)), expected)
    }),
    { seed, numRuns: 40, endOnFailure: true },
  )
})

longTest('thousands of covered charges after the last posted one come in pages, each once', async () => {
  const at = (second: number) => new Date(PERIOD.start.getTime() + second * 1000)
  const whole = Array.from({ length: 9001 }, (_, index) => at(100 + Math.floor(index / 1500)))
  const { live, wholeIds, ids } = await plant({ posted: [at(50), at(60)], covered: whole })
  const statement = await statementOf(live, PERIOD.name)
  assert.deepEqual(idsOf(statement), inOrder({ posted: [at(50), at(60)], covered: whole }, ids, wholeIds))
  assert.equal(statement.totals.gift_cards, 90_010_000)
})
