import assert from 'node:assert/strict'
import test, { after } from 'node:test'
import { freezeAccount } from '../../../../src/merchants/account/payout-freeze.ts'
import { getMerchantNamed } from '../../../../src/merchants/account/set-merchant.ts'
import { claimOrder } from '../../../../src/selling/vending/dispensing/claim-order.ts'
import { BY_HAND } from '../../../helpers/service/actors.ts'
import { oneJson, runInside } from '../../../helpers/service/command-line.ts'
import { startJamRefunds } from '../../../helpers/vending/jam-refunds.ts'
import { DELIVERED, JAM, jammed, say, told, vendingEventNames } from '../../../helpers/vending/machine-words.ts'
import { fundTest, PRICE, paidOrder } from '../../../helpers/vending/paid-orders.ts'

const HOUR = 3_600_000
const MINUTE = 60_000
const jams = await startJamRefunds()
const { service, owner, fundLive, live: LIVE, refundJams, dueOf, view } = jams
const { assertRefundedOnce, assertNotRefunded } = jams
after(jams.end)

for (const wanted of [{ mode: 'test' as const }, LIVE])
  test(`a jam of a ${wanted.mode} order is refunded once, however often the machine reports it`, async () => {
    const own = await owner(wanted.mode, 50_000)
    await fundLive(own)
    const order = await jammed(service, own, wanted)
    await assertNotRefunded(order)
    await refundJams()
    await assertRefundedOnce(order)
    for (let again = 0; again < 3; again += 1) {
      assert.equal(await say(service, order, JAM), 'same')
      service.pass(HOUR)
      assert.equal(await refundJams(), 0)
    }
    await assertRefundedOnce(order)
    const { refunded, vending_status, vending_error, payment_status } = await view(order)
    assert.deepEqual(
      [refunded, vending_status, vending_error, payment_status],
      [true, 'failed', 'the machine reported a jam', 'succeeded'],
    )
    assert.equal(await say(service, order, DELIVERED), 'refunded')
    assert.equal((await claimOrder(service.app, order)).kind, 'unpaid')
    assert.deepEqual(await vendingEventNames(service, order), ['vending.dispense_failed 1'])
  })

test('without enough balance it is tried every hour, and refunded within an hour after money has come', async () => {
  const own = await owner('test')
  const order = await jammed(service, own)
  for (let hour = 0; hour < 3; hour += 1) {
    assert.equal(await refundJams(), 1)
    assert.equal(await refundJams(), 0, 'not again within the hour')
    service.pass(HOUR - 1)
    assert.equal(await refundJams(), 0)
    service.pass(1)
    await assertNotRefunded(order)
  }
  assert.equal((await view(order)).vending_error, 'the machine reported a jam')
  await fundTest(service, own, PRICE)
  assert.equal(await refundJams(), 1)
  await assertRefundedOnce(order)
})

type Owner = Awaited<ReturnType<typeof owner>>
const freeze = (reason: string | null) => (own: Owner) =>
  freezeAccount(service.app, BY_HAND, { merchantId: own.merchantId, reason })
const STOPS: [string, 'live' | 'both', (own: Owner) => unknown, (own: Owner) => unknown][] = [
  ['frozen money waits, and is refunded after the freeze', 'live', freeze('a look at it'), freeze(null)],
  [
    'a rail that is away is asked again an hour later',
    'both',
    () => service.rail.ready('wait'),
    () => service.rail.ready('ready'),
  ],
]
for (const [what, mode, stop, end] of STOPS)
  test(what, async () => {
    const own = await owner(mode)
    await fundLive(own)
    const order = await jammed(service, own, LIVE)
    await stop(own)
    assert.equal(await refundJams(), 1)
    await assertNotRefunded(order)
    await end(own)
    assert.equal(await refundJams(), 0)
    service.pass(HOUR)
    assert.equal(await refundJams(), 1)
    await assertRefundedOnce(order)
  })

test('after 72 hours it is left to the merchant, with a plain explanation', async () => {
  const own = await owner('test')
  const order = await jammed(service, own)
  let tries = 0
  for (let hour = 0; hour < 80; hour += 1) {
    tries += await refundJams()
    service.pass(HOUR)
  }
  assert.equal(tries, 73, 'at once and after each of 72 hours')
  assert.equal(await dueOf(order), null)
  assert.equal(
    (await view(order)).vending_error,
    'the machine reported a jam - the automatic refund did not succeed (insufficient available balance: have 4800, need 5200 (amount 5000 + fee 200)) - please refund the customer',
  )
  await fundTest(service, own, 50_000)
  assert.equal(await refundJams(), 0)
  await assertNotRefunded(order)
  assert.equal((await own.test.post(`/v1/charges/${order.chargeId}/refund`)).status, 202, 'by hand it is')
})

test('a worker that comes back after the 72 hours does not refund any more', async () => {
  const own = await owner('test', 50_000)
  const order = await jammed(service, own)
  service.pass(72 * HOUR + 1)
  assert.equal(await refundJams(), 1)
  await assertNotRefunded(order)
  assert.match((await view(order)).vending_error ?? '', /not possible within 72 hours/)
  assert.equal(await dueOf(order), null)
})

const SETTINGS = (['off', 'live', 'test', 'both'] as const).flatMap((set) =>
  (['test', 'live'] as const).map((mode) => [set, mode, set === mode || set === 'both'] as const),
)
for (const [set, mode, refunds] of SETTINGS)
  test(`set to ${set} by the command, a ${mode} jam is ${refunds ? '' : 'not '}refunded`, async () => {
    const own = await owner('off', 50_000)
    await fundLive(own)
    const settings = {
      DATABASE_URL: service.database.url,
      MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
    }
    const args = ['merchants', 'set', own.merchant.id, '--auto-refund-on-jam', set, '--json']
    if (set !== 'off') assert.equal(oneJson(await runInside(args, settings)).auto_refund_on_jam, set)
    const order = await jammed(service, own, mode === 'live' ? LIVE : {})
    assert.equal(await refundJams(), refunds ? 1 : 0)
    await (refunds ? assertRefundedOnce : assertNotRefunded)(order)
  })

test('a new merchant has it switched off; switching it off after the jam stops the refund as well', async () => {
  const merchant = await service.merchant()
  const { autoRefundOnJam } = (await getMerchantNamed(service.gateway, merchant.id)).merchant
  assert.equal(autoRefundOnJam, 'off')
  const own = await owner('test')
  const order = await jammed(service, own)
  assert.equal(await refundJams(), 1)
  await service.set(own.merchant, { autoRefundOnJam: 'live' })
  await fundTest(service, own, 50_000)
  service.pass(HOUR)
  await refundJams()
  await assertNotRefunded(order)
  assert.equal(await dueOf(order), null)
  assert.match((await view(order)).vending_error ?? '', /jam - automatic refunds were switched off before/)
})

test('only a report within 60 minutes of a command causes a refund', async () => {
  const own = await owner('test', 100_000)
  for (const [ms, refunds] of [
    [60 * MINUTE, true],
    [60 * MINUTE + 1, false],
  ] as const) {
    const order = await paidOrder(service, own)
    await told(service, order)
    service.pass(ms)
    assert.equal(await say(service, order, JAM), 'moved')
    assert.equal(await refundJams(), refunds ? 1 : 0)
    await (refunds ? assertRefundedOnce : assertNotRefunded)(order)
    const why = refunds ? /^the machine reported a jam$/ : /jam - reported too late for the automatic refund/
    assert.match((await view(order)).vending_error ?? '', why)
  }
})

test("a refused command, a person's decision and vending that is off cause no refund", async () => {
  const own = await owner('test', 100_000)
  const refused = await paidOrder(service, own, { machine: 'M-REFUSE' })
  await service.run('dispense')
  const byHand = await paidOrder(service, own)
  await told(service, byHand)
  assert.equal(await say(service, byHand, JAM, 'manual'), 'moved')
  const off = await paidOrder(service, own)
  await service.set(own.merchant, { vendingEnabled: false })
  await service.run('dispense')
  assert.equal(await refundJams(), 0)
  for (const order of [refused, byHand, off]) {
    assert.equal((await view(order)).vending_status, 'failed')
    await assertNotRefunded(order)
  }
})

test('a retry cancels the refund, and so does a late report of delivery', async () => {
  const own = await owner('test')
  const [retried, late] = [await jammed(service, own), await jammed(service, await owner('test'))]
  assert.equal(await refundJams(), 2, 'both lack the payout fee')
  await told(service, retried)
  assert.equal(await say(service, late, DELIVERED), 'moved')
  await fundTest(service, own, 50_000)
  await fundTest(service, { merchantId: late.merchantId, tag: late.id.slice(4, 9) }, 50_000)
  service.pass(59 * MINUTE)
  assert.equal(await refundJams(), 0)
  service.pass(MINUTE)
  assert.equal(await refundJams(), 0)
  for (const order of [retried, late]) await assertNotRefunded(order)
  assert.equal(await say(service, retried, JAM), 'moved')
  assert.equal(await refundJams(), 1, 'the machine has jammed again')
  await assertRefundedOnce(retried)
})

test('an order that can never be refunded is left to the merchant at once', async () => {
  const own = await owner('test', 50_000)
  const order = await jammed(service, own)
  await service.rows('update charges set phone = null, phone9 = null, phone_digest = null where id = $1', [
    order.chargeId,
  ])
  assert.equal(await refundJams(), 1)
  assert.equal(await dueOf(order), null)
  assert.match((await view(order)).vending_error ?? '', /\(no_customer_phone_on_record_to_refund_to\)/)
})
