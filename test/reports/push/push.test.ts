import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newPushSender } from '../../../src/reports/push/send-pushes.ts'
import { followUntilEnded } from '../../helpers/payments/following-charges.ts'
import { sendUntilEnded } from '../../helpers/payments/following-payouts.ts'
import { payNew } from '../../helpers/payments/payouts.ts'
import { newPayer } from '../../helpers/service/live-service.ts'
import { signedInAs } from '../../helpers/web/dashboard.ts'
import { pushWorld } from './world.ts'

const { live, hearing, paid, heard, tell, switchOn, rowsOf } = pushWorld()

test('a device shows a payment once, with a part of the number, signed and encrypted for it alone', async () => {
  const { live: client, device, merchant } = await hearing()
  const id = await paid(client, 25_000, '256772123456')
  const other = newPushSender(live.app)
  await Promise.all([tell(), other.start(), tell(), other.start()])
  await other.stop()
  assert.deepEqual(await heard(device), ['Paid UGX 25,000 from 0772 xxx ..56'])
  const [pushed] = device.received
  assert.equal(pushed?.message.path, `/dashboard/charges/${id}`)
  assert.ok(pushed?.message.title)
  assert.doesNotMatch(JSON.stringify(pushed.message), /772123456|sk_|whsec_/)
  assert.equal(pushed.headers.urgency, 'high')
  assert.match(pushed.claims.sub, /^mailto:.+@/)
  const owner = await signedInAs(live, merchant)
  assert.match((await owner.get('/dashboard/device')).text, new RegExp(`data-push="${pushed.signer}"`))
  const [row] = await live.rows<{ sealed: Buffer }>(
    `select sealed from push_devices where sent_at is not null and due_at is null and lease_token is null
       and origin = $1 order by created_at desc limit 1`,
    [new URL(device.fields.endpoint).origin],
  )
  assert.ok(row && !row.sealed.includes(device.fields.endpoint), 'the address is sealed')
})

test('what was paid before the device came is not shown, and test payments never', async () => {
  const shop = await live.shop()
  await paid(shop.live, 7000)
  live.pass(1000)
  const device = await switchOn(await signedInAs(live, shop.merchant))
  const { body } = await shop.test.charge({ amount: 9000 })
  await followUntilEnded(live, body.id)
  assert.deepEqual(await heard(device), [])
  live.pass(1000)
  await paid(shop.live, 8000)
  assert.equal((await heard(device)).length, 1)
})

test('a burst is one message, and a minute has six at most', async () => {
  const { live: client, device } = await hearing()
  for (let nth = 0; nth < 12; nth += 1) await paid(client, 25_000)
  assert.deepEqual(await heard(device), ['12 payments, UGX 300,000'])
  live.pass(60_000)
  const began = live.clock.nowMs()
  for (let nth = 0; nth < 8; nth += 1) {
    await paid(client, 1000 + nth)
    await tell()
  }
  assert.ok(live.clock.nowMs() - began < 60_000, 'it is the same minute')
  assert.equal(device.received.length, 7)
  live.pass(61_000)
  assert.equal((await heard(device)).at(-1), '2 payments, UGX 2,013')
})

test('failures are shown to who has chosen them, and payouts only to a role that sees them', async () => {
  const { live: client, merchant, device: quiet } = await hearing()
  const owner = await switchOn(await signedInAs(live, merchant), { payments: 'yes', failures: 'yes' })
  const cashier = await switchOn(await signedInAs(live, merchant, { role: 'cashier' }), { failures: 'yes' })
  const { body } = await client.charge({ amount: 4000, customer: { phone: '256772000111' } })
  live.operator.refuses(body.id)
  await followUntilEnded(live, body.id)
  await tell()
  const says = 'Not paid: UGX 4,000 from 0772 xxx ..11, too little money'
  assert.deepEqual([await heard(quiet), await heard(owner), await heard(cashier)], [[], [says], [says]])
  await paid(client, 50_000)
  const { body: payout } = await payNew(client, { amount: 3000 })
  live.operator.refuses(payout.id, 'PAYEE_LOCKED')
  await sendUntilEnded(live, payout.id)
  await tell()
  assert.match((await heard(owner)).at(-1) ?? '', /^1 payment, UGX 50,000; 1 payout came back$/)
  assert.deepEqual(await heard(cashier), [says])
  const { body: next } = await payNew(client, { amount: 3000 })
  live.operator.refuses(next.id, 'PAYEE_LOCKED')
  await sendUntilEnded(live, next.id)
  assert.equal((await heard(owner)).at(-1), 'A payout of UGX 3,000 came back: wallet locked or full')
  assert.equal(owner.received.at(-1)?.message.path, `/dashboard/payouts/${next.id}`)
  assert.deepEqual(await heard(cashier), [says])
})

test('a device that is gone at its service is forgotten, others are tried again when the service wants it', async () => {
  for (const status of [404, 410]) {
    const { live: client, browser, device } = await hearing()
    device.behave((response) => void response.writeHead(status).end())
    await paid(client, 2000)
    await tell()
    assert.deepEqual(await rowsOf(browser), [])
  }
  const { live: client, browser, device } = await hearing()
  device.behave((response) => void response.writeHead(429, { 'Retry-After': '300' }).end())
  await paid(client, 2000)
  await tell()
  assert.equal(device.asked(), 1)
  device.behave((response) => void response.writeHead(201).end())
  live.pass(299_000)
  await tell()
  assert.equal(device.asked(), 1)
  live.pass(2000)
  assert.equal((await heard(device)).length, 1)
  assert.equal((await rowsOf(browser))[0]?.misses, 0)
})

test('a device that nobody takes messages for is given up after a day', async () => {
  const { live: client, browser, device } = await hearing()
  device.behave((response) => void response.writeHead(500).end())
  await paid(client, 2000)
  for (let nth = 0; nth < 8; nth += 1) {
    await tell()
    live.pass(65_000_000)
  }
  assert.equal(device.asked(), 8)
  assert.deepEqual(await rowsOf(browser), [])
})

test('a service that hangs delays nobody else', async () => {
  const slow = await hearing()
  slow.device.behave(() => {})
  const quick = await hearing()
  await Promise.all([paid(slow.live, 2000), paid(quick.live, 3000)])
  const ended = tell()
  const started = performance.now()
  while (quick.device.received.length === 0) {
    assert.ok(performance.now() - started < 4000, 'it was told while the other one hangs')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  assert.equal(slow.device.asked(), 1)
  await ended
  assert.equal((await rowsOf(slow.browser))[0]?.misses, 1)
})

test('many devices of one business hear side by side, each once', async () => {
  const { live: client, merchant, device } = await hearing()
  const devices = [device]
  for (let nth = 0; nth < 19; nth += 1)
    devices.push(await switchOn(await signedInAs(live, merchant, { role: 'cashier' })))
  await paid(client, 6000, newPayer())
  for (let looks = 0; looks < 4; looks += 1) await tell()
  assert.deepEqual(
    devices.map(({ received }) => received.length),
    devices.map(() => 1),
  )
})
