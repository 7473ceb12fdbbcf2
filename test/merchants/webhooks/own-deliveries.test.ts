import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import test, { afterEach, beforeEach } from 'node:test'
import { getMerchantNamed } from '../../../src/merchants/account/set-merchant.ts'
import { serviceSignature } from '../../../src/merchants/webhooks/signature.ts'
import { moveCharge } from '../../../src/payments/charges/move-charge.ts'
import { countOpenSockets } from '../../../src/platform/log/measures.ts'
import { badRequest } from '../../../src/platform/refusal.ts'
import { type Receiver, startReceiver } from '../../fakes/receiver.ts'
import { holdTable } from '../../helpers/database/cell-server.ts'
import { somebodyWaits } from '../../helpers/database/lock-waits.ts'
import { payNew } from '../../helpers/payments/payouts.ts'
import { fund, sendAll } from '../../helpers/payments/schedules.ts'
import { assertVerified, eventually, newPayer } from '../../helpers/service/live-service.ts'
import { startService, type TestService } from '../../helpers/service/test-service.ts'
import { anotherSender, answering, deliverAll, deliveryOf, endedCharge } from '../../helpers/web/webhooks.ts'

// A service for each test: deliveries left due by one test would be claimed in the next.
let service: TestService
let receiver: Receiver
let other: Receiver
let begun: ReturnType<typeof anotherSender>[]
beforeEach(async () => {
  receiver = await startReceiver()
  other = await startReceiver()
  begun = []
  service = await startService({ env: { WEBHOOK_ALLOW_PRIVATE: `${receiver.place},${other.place}` } })
})
afterEach(async () => {
  receiver.behave(answering(200))
  for (const sender of begun) await sender.stop()
  await deliverAll(service)
  await assertVerified(service)
  await service.close()
  await receiver.close()
  await other.close()
})

function begunSender() {
  const sender = anotherSender(service)
  sender.begin()
  begun.push(sender)
  return sender
}

async function shopWithHook() {
  const merchant = await service.merchant({ verified: true })
  await service.set(merchant, { webhookUrl: receiver.url })
  const { merchant: row } = await getMerchantNamed(service.gateway, merchant.id)
  return { merchant, merchantId: row.id, tag: row.tag, api: service.client(merchant.keys.test) }
}

/** A merchant whose receiver has answered this process once, with nothing left to send. */
async function knownShop() {
  const shop = await shopWithHook()
  const sender = begunSender()
  const { eventId } = await endedCharge(service, shop.api)
  assert.equal(await isLeased(eventId), false, 'nobody knows its receiver yet')
  assert.equal(await sender.start(), 1)
  await sender.idle()
  assert.equal(await sender.start(), 0)
  return { ...shop, sender }
}

const rowOf = async (eventId: string) => {
  const [row] = await service.rows<{ token: string | null; url: string | null; attempts: number }>(
    'select lease_token as token, url, attempts from deliveries where event_id = $1',
    [eventId],
  )
  assert.ok(row)
  return row
}
const isLeased = async (eventId: string) => (await rowOf(eventId)).token !== null
const timesSent = (eventId: string, to = receiver) => to.received.filter(({ event }) => event.id === eventId).length
const leases = () => service.rows('select 1 from deliveries where lease_token is not null')

/** From now on it answers nothing until it is told to answer all. */
function hangs(): { count(): number; answer(status: number): void } {
  const answers: ServerResponse[] = []
  receiver.behave((response) => void answers.push(response))
  return {
    count: () => answers.length,
    answer: (status) => {
      receiver.behave(answering(status))
      for (const response of answers.splice(0)) response.writeHead(status).end()
    },
  }
}

test('the event of a payment is posted with no claim, signed, and recorded like any other', async () => {
  const { merchant, api, sender } = await knownShop()
  const { eventId } = await endedCharge(service, api)
  await sender.idle()
  assert.equal(timesSent(eventId), 1)
  const { status, attempts, last_response_code, url } = await deliveryOf(api, eventId)
  assert.deepEqual([status, attempts, last_response_code, url], ['sent', 1, 200, receiver.url])
  const { body, headers } = receiver.received.at(-1) ?? assert.fail()
  assert.equal(headers['x-service-signature'], serviceSignature(merchant.webhook_secret, Buffer.from(body)))
  assert.deepEqual(await leases(), [])
  assert.equal(await sender.start(), 0)
})

test('the event of a payout is posted in the same way', async () => {
  const { merchantId, tag, merchant, api, sender } = await knownShop()
  await fund(service, { merchantId, tag, merchant, api }, 100_000)
  const { body } = await payNew(api)
  await sendAll(service)
  await sender.idle()
  const [event] = await service.rows<{ id: string }>('select id from events where subject = $1', [body.id])
  assert.equal(timesSent(event?.id ?? ''), 1)
})

for (const [what, change] of [
  ['has moved to another address', ({ merchant }) => service.set(merchant, { webhookUrl: other.url })],
  ['was silent for an hour', () => service.pass(3_600_000)],
  ['belongs to a process that sends none', ({ sender }) => sender.stop()],
  [
    'has failed its last delivery',
    async ({ api, sender }) => {
      receiver.behave(answering(500))
      const { eventId } = await endedCharge(service, api)
      await sender.idle()
      assert.equal(timesSent(eventId), 1)
      receiver.behave(answering(200))
    },
  ],
] as [string, (shop: Awaited<ReturnType<typeof knownShop>>) => unknown][])
  test(`the delivery to a receiver that ${what} waits for its claim`, async () => {
    const shop = await knownShop()
    await change(shop)
    const { eventId } = await endedCharge(service, shop.api)
    assert.deepEqual(await rowOf(eventId), { token: null, url: null, attempts: 0 })
    await shop.sender.idle()
    assert.equal(timesSent(eventId) + timesSent(eventId, other), 0)
    await deliverAll(service)
    assert.equal(timesSent(eventId) + timesSent(eventId, other), 1)
  })

test('without an address the delivery is kept, and nothing is sent', async () => {
  const { merchant, api, sender } = await knownShop()
  await service.set(merchant, { webhookUrl: null })
  const { eventId } = await endedCharge(service, api)
  assert.deepEqual(await rowOf(eventId), { token: null, url: null, attempts: 0 })
  assert.deepEqual([await sender.start(), timesSent(eventId)], [0, 0])
})

const storedCharge = async (api: Awaited<ReturnType<typeof shopWithHook>>['api'], merchantId: number) => {
  const { body } = await api.charge({ customer: { phone: newPayer() } })
  return { merchantId, id: body.id as string, mode: 'test', giftCardAmount: 0 } as const
}
const SUCCEEDED = { status: 'succeeded', railTransactionId: null } as const
const eventOf = async (subject: string) =>
  (await service.rows<{ id: string }>('select id from events where subject = $1', [subject]))[0]?.id ?? ''

test('while the clock is in doubt the delivery waits for its claim', async () => {
  const { api, merchantId } = await knownShop()
  const charge = await storedCharge(api, merchantId)
  service.clock.beWrong(5000)
  assert.notEqual(service.app.witness.doubt(), null)
  await moveCharge(service.app, { charge, to: SUCCEEDED })
  assert.equal(await isLeased(await eventOf(charge.id)), false)
  service.clock.beWrong(0)
})

test('a payment that cannot be committed gives its place back', async () => {
  const { api, merchantId, sender } = await knownShop()
  const charge = await storedCharge(api, merchantId)
  const refuses = () => {
    throw badRequest('not now')
  }
  const before = countOpenSockets().get('fast')
  for (let nth = 0; nth < 5; nth += 1)
    await assert.rejects(moveCharge(service.app, { charge, to: SUCCEEDED, posts: refuses }), /not now/)
  assert.equal(countOpenSockets().get('fast'), before)
  await sender.idle()
  await moveCharge(service.app, { charge, to: SUCCEEDED })
  await sender.idle()
  assert.equal(timesSent(await eventOf(charge.id)), 1, 'four places were not lost')
})

test('no delivery overtakes one of its merchant that waits for a place', async () => {
  const { api, sender } = await knownShop()
  const hanging = hangs()
  const ids: string[] = []
  for (let nth = 0; nth < 6; nth += 1) ids.push((await endedCharge(service, api)).eventId)
  await eventually('its four places are taken', () => hanging.count() === 4)
  assert.deepEqual(await Promise.all(ids.map(isLeased)), [true, true, true, true, false, false])
  hanging.answer(200)
  await sender.idle()
  const late = (await endedCharge(service, api)).eventId
  assert.equal(await isLeased(late), false, 'it comes behind the two that wait')
  assert.equal(timesSent(late), 0)
  assert.equal(await sender.start(), 3)
  await sender.idle()
  const { eventId } = await endedCharge(service, api)
  await sender.idle()
  for (const id of [...ids, late, eventId]) assert.equal(timesSent(id), 1)
})

test('two processes never post one delivery at once, and a late answer writes nothing', async () => {
  const { api, sender } = await knownShop()
  const hanging = hangs()
  const { eventId } = await endedCharge(service, api)
  await eventually('it has arrived', () => hanging.count() === 1)
  const second = anotherSender(service)
  assert.equal(await second.start(), 0, 'the lease is held')
  service.pass(16_000)
  receiver.behave(answering(503))
  assert.equal(await second.start(), 1)
  await second.idle()
  const before = await deliveryOf(api, eventId)
  assert.deepEqual([before.attempts, before.last_response_code], [1, 503])
  hanging.answer(200)
  await sender.idle()
  assert.deepEqual(await deliveryOf(api, eventId), before)
})

test('a delivery whose lease is nearly over before it is posted is left to whoever claims it', async () => {
  const { api, sender } = await knownShop()
  const secrets = await holdTable(service, 'merchant_secrets')
  const { eventId } = await endedCharge(service, api)
  await somebodyWaits(service)
  service.pass(9000)
  await secrets.letGo()
  await sender.idle()
  assert.equal(timesSent(eventId), 0)
  assert.equal(await isLeased(eventId), true)
  service.pass(7000)
  assert.equal(await anotherSender(service).start(), 1)
  await eventually('it was sent once', async () => (await deliveryOf(api, eventId)).status === 'sent')
  assert.equal(timesSent(eventId), 1)
})

test('a stop waits for the posts under way, takes no more, and leaves no lease', async () => {
  const { api, sender } = await knownShop()
  const hanging = hangs()
  const { eventId } = await endedCharge(service, api)
  await eventually('it has arrived', () => hanging.count() === 1)
  const stopping = sender.stop().then(() => 'stopped')
  const next = await endedCharge(service, api)
  assert.equal(await isLeased(next.eventId), false)
  assert.equal(await Promise.race([stopping, 'waits']), 'waits')
  hanging.answer(200)
  await stopping
  assert.equal((await deliveryOf(api, eventId)).status, 'sent')
  assert.deepEqual(await leases(), [])
})
