import assert from 'node:assert/strict'
import test from 'node:test'
import { pino } from 'pino'
import { openDispute } from '../../../src/selling/disputes/open-dispute.ts'
import { startReceiver } from '../../fakes/receiver.ts'
import { succeed } from '../../helpers/payments/following-charges.ts'
import { CUSTOMER } from '../../helpers/service/actors.ts'
import { DAY, newPayer, startLiveService } from '../../helpers/service/live-service.ts'
import { opened, openedAndVerified } from '../../helpers/service/opened.ts'
import { startService, type TestService } from '../../helpers/service/test-service.ts'
import { type PayShop, payShop } from '../../helpers/web/checkout-shop.ts'
import { chargesOn } from '../../helpers/web/page-charges.ts'
import { pay, sandboxDecides, visitor } from '../../helpers/web/paying-on-pages.ts'
import { deliverAll } from '../../helpers/web/webhooks.ts'

const A_DAY = 3
const REPORT = { reason: 'not_delivered', details: 'Nothing came.', contact: '' } as const
const MARGIN_MS = 60_000

const receiver = opened(() => startReceiver())
const env = () => ({
  WEBHOOK_ALLOW_PRIVATE: receiver.place,
  RATE_LIMIT_REPORTS_DAY: `${A_DAY}`,
  RATE_LIMIT_REPORTS: `${A_DAY}`,
  TRUSTED_PROXIES: '1',
})
const service = openedAndVerified(() => startLiveService({ env: env() }))
const second = opened(() => startService({ database: service.database, clock: service.clock, env: env() }))

type Paid = { link: string; charge: string }
/** This many paid links of one mode. */
async function paid(shop: PayShop, mode: 'live' | 'test', count: number): Promise<Paid[]> {
  const made: Paid[] = []
  for (let nth = 0; nth < count; nth += 1) {
    const link = mode === 'live' ? await shop.link() : await shop.testLink()
    await pay(visitor(service), link, { phone: mode === 'live' ? newPayer() : '0772123456' })
    const [charge] = await chargesOn(service, link)
    if (mode === 'live') await succeed(service, charge?.id ?? '')
    made.push({ link, charge: charge?.id ?? '' })
  }
  if (mode === 'test') await sandboxDecides(service)
  return made
}

let hosts = 0
/** A customer, at a new address unless one is given, reports a problem and is thanked. */
async function reports(link: string, { at = service, address }: { at?: TestService; address?: string } = {}) {
  hosts += 1
  const from = { 'x-forwarded-for': address ?? `10.7.${hosts >> 8}.${hosts & 255}` }
  const sent = await visitor({ ...service, url: at.url }, from).post(`/pay/${link}/report`, REPORT)
  assert.deepEqual([sent.status, sent.location.endsWith('?sent=1')], [302, true], sent.text)
}
const storedOf = async (all: readonly Paid[]) =>
  (
    await service.rows<{ charge: string }>(
      'select charge_id as charge from disputes where charge_id = any($1) order by opened_at, id',
      [all.map(({ charge }) => charge)],
    )
  ).map(({ charge }) => charge)
/** The charges whose reports were announced to the merchant, in any order. */
async function heard(): Promise<string[]> {
  await deliverAll(service)
  return receiver.received
    .filter(({ event }) => event.event === 'dispute.opened')
    .map(({ event }) => event.data.charge_id)
}

test('D4 reports of test payments do not use up the notices about live ones that a merchant gets in a day', async () => {
  const shop = await payShop(service)
  await service.set(shop.merchant, { webhookUrl: receiver.url })
  const tests = await paid(shop, 'test', A_DAY + 1)
  const live = await paid(shop, 'live', A_DAY)
  for (const { link } of tests) await reports(link)
  assert.deepEqual(
    await storedOf(tests),
    tests.slice(0, A_DAY).map(({ charge }) => charge),
  )
  for (const { link } of live) await reports(link)
  const told = await heard()
  for (const { charge } of live) assert.ok(told.includes(charge), 'a live report is told of at once')
})

test('D4 a live report beyond the daily limit is still stored, and announced when there is room again', async () => {
  const shop = await payShop(service)
  await service.set(shop.merchant, { webhookUrl: receiver.url })
  const live = await paid(shop, 'live', 2 * A_DAY + 1)
  const ids = live.map(({ charge }) => charge)
  for (const { link } of live) await reports(link)
  assert.deepEqual(await storedOf(live), ids)
  const ours = async () => (await heard()).filter((id) => ids.includes(id))
  assert.deepEqual(await ours(), ids.slice(0, A_DAY))
  await service.run('raise-alerts')
  const alerts = () =>
    service.rows<{ says: string; over: boolean }>(
      `select says, closed_at is not null as over from alerts where kind = 'reports_held' and subject like $1`,
      [`%${shop.merchant.id}`],
    )
  const [alert] = await alerts()
  assert.match(alert?.says ?? '', new RegExp(`^${A_DAY + 1} live problem reports of ${shop.merchant.id} are beyond`))
  service.pass(DAY - MARGIN_MS)
  assert.equal((await ours()).length, A_DAY)
  service.pass(2 * MARGIN_MS)
  assert.equal((await ours()).length, 2 * A_DAY)
  service.pass(DAY - 2 * MARGIN_MS)
  assert.equal((await ours()).length, 2 * A_DAY)
  service.pass(2 * MARGIN_MS)
  assert.deepEqual((await ours()).sort(), [...ids].sort())
  await service.run('raise-alerts')
  assert.deepEqual(
    (await alerts()).map(({ over }) => over),
    [true],
  )
})

test('D4 many live reports at once in two processes: all are stored, and the allowed number is announced at once', async () => {
  const shop = await payShop(service)
  const [first, ...live] = await paid(shop, 'live', 4 * A_DAY)
  assert.ok(first)
  await reports(first.link)
  service.pass(DAY + MARGIN_MS)
  await Promise.all(live.map(({ link }, nth) => reports(link, { at: nth % 2 === 0 ? service : second })))
  assert.equal((await storedOf(live)).length, live.length)
  const times = await service.rows<{ at: Date; later: boolean }>(
    `select coalesce(tell_at, opened_at) as at, tell_at is not null as later from disputes
     where charge_id = any($1) order by 1`,
    [live.map(({ charge }) => charge)],
  )
  assert.equal(times.filter(({ later }) => !later).length, A_DAY)
  for (const [nth, { at }] of times.entries()) {
    const before = times[nth - A_DAY]
    if (before) assert.ok(at.getTime() >= before.at.getTime() + DAY, 'no more than the limit in any day')
  }
})

test('D4 an address that reported test payments may still report a live one', async () => {
  const shop = await payShop(service)
  const tests = await paid(shop, 'test', A_DAY)
  const [live] = await paid(shop, 'live', 1)
  assert.ok(live)
  for (const { link } of tests) await reports(link, { address: '10.8.0.1' })
  await reports(live.link, { address: '10.8.0.1' })
  assert.deepEqual(await storedOf([live]), [live.charge])
})

test('D4 the operator is told once a day for each mode, and sees nothing that customers wrote', async () => {
  const shop = await payShop(service)
  const lines: string[] = []
  const log = pino({ level: 'warn' }, { write: (line: string) => lines.push(line) })
  const app = { ...service.app, log }
  const report = { ...REPORT, contact: null }
  for (const mode of ['test', 'live'] as const) {
    const all = await paid(shop, mode, A_DAY + 2)
    const outcomes: string[] = []
    for (const { charge: chargeId } of all)
      outcomes.push(await openDispute(app, CUSTOMER, { merchantId: shop.row.id, chargeId, report }))
    const rest = mode === 'live' ? 'opened' : 'acknowledged'
    assert.deepEqual(outcomes, [...Array(A_DAY).fill('opened'), rest, rest])
  }
  assert.deepEqual(
    lines.map((line) => JSON.parse(line).mode),
    ['test', 'live'],
  )
  assert.ok(!lines.join('').includes('Nothing came'))
})
