import assert from 'node:assert/strict'
import { made, opened, openedAndVerified } from '../../../helpers/service/opened.ts'
import { longTest, test } from '../../../helpers/service/parts.ts'
import { type Reply, startService, type TestService } from '../../../helpers/service/test-service.ts'
import { DISPENSE, dispenseBody, paidCharge } from '../../../helpers/vending/direct-dispenses.ts'
import { commandsOf } from '../../../helpers/vending/dispense-claims.ts'
import {
  failedOrder,
  makeOrder,
  ORDERS,
  payOrder,
  readOrder,
  submitPayment,
  type VendingShop,
  vendingShop,
} from '../../../helpers/vending/vending.ts'

// Two processes on one database, which share nothing in memory.
const service = openedAndVerified(() => startService())
const second = opened(() => startService({ database: service.database, clock: service.clock }))
const shop = made(() => vendingShop(service))

const apis = () => [shop.api, second.client(shop.merchant.keys.test_collections)] as const
const apiOf = (nth: number) => apis()[nth % 2] as VendingShop['api']
const times = <T>(count: number, work: (nth: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, nth) => work(nth)))
const retryAt = (nth: number, id: string) => apiOf(nth).post(`${ORDERS}/${id}/dispense`)

const IN_PROGRESS = 'a dispense attempt is already in progress - wait for it to finish'
const SPENT = 'this charge has already paid for a dispense'
/** Too busy to wait for a row that a hundred others want: nothing was written, and the same request is safe to repeat. */
const isBusy = ({ status }: Reply) => status === 503

/** Runs the background task; if no connection is free it tries again next time, as the program does. */
const work = (at: TestService) =>
  at.run('dispense').catch((error) => assert.match(error.message, /the database is away/))

/**
 * At once, or after the lease of a request that found no connection to continue with. When all were told to come again, because the machine
 * stood still for a second, the one that does is commanded.
 */
async function expectOneCommand(
  charge: string,
  { replies, again }: { replies: readonly Reply[]; again: () => Promise<Reply> },
): Promise<void> {
  assert.ok((await commandsOf(service, charge)) <= 1)
  service.pass(61_000)
  await service.run('dispense')
  if ((await commandsOf(service, charge)) === 0) {
    assert.ok(replies.every(isBusy))
    assert.equal((await again()).status, 200)
  }
  assert.equal(await commandsOf(service, charge), 1)
}

test('a hundred dispenses of one paid order, over both endpoints and the background task, are one command', async () => {
  for (let round = 0; round < 3; round += 1) {
    const { order_id, charge_id } = await failedOrder(service, shop)
    const [replies] = await Promise.all([
      times(100, (nth) =>
        nth % 4 === 0
          ? apiOf(nth / 4).post(DISPENSE, dispenseBody(charge_id, { order_id: `own-${nth}` }))
          : retryAt(nth, order_id),
      ),
      work(service),
      work(second),
    ])
    const told = replies.filter(({ status }) => status === 200)
    assert.ok(told.length <= 1)
    for (const reply of replies)
      if (reply.status !== 200 && !isBusy(reply))
        assert.ok(reply.status === 409 && [IN_PROGRESS, SPENT].includes(reply.body.error), reply.text)
    await expectOneCommand(charge_id, { replies, again: () => retryAt(0, order_id) })
  }
})

longTest('a hundred direct dispenses of one charge are one command', async () => {
  for (let round = 0; round < 3; round += 1) {
    const charge = await paidCharge(service, shop)
    const body = (nth: number) => dispenseBody(charge, { order_id: `own-${nth}` })
    const replies = await times(100, (nth) => apiOf(nth).post(DISPENSE, body(nth)))
    assert.ok(replies.filter(({ status }) => status === 200).length <= 1)
    for (const reply of replies)
      if (reply.status !== 200 && !isBusy(reply)) assert.deepEqual([reply.status, reply.body.error], [409, SPENT])
    await expectOneCommand(charge, { replies, again: () => apiOf(0).post(DISPENSE, body(100)) })
  }
})

test('of direct dispenses with one key at the same time, through two processes, one is sent', async () => {
  for (let round = 0; round < 8; round += 1) {
    const charge = await paidCharge(service, shop)
    const key = { 'idempotency-key': `round ${round}` }
    const replies = await times(8, (nth) => apiOf(nth).post(DISPENSE, dispenseBody(charge), key))
    const good = replies.filter(({ status }) => status === 200)
    assert.equal(new Set(good.map(({ text }) => text)).size, 1)
    for (const { status, body, text } of replies) if (status !== 200) assert.match(body.error, /still in flight/, text)
    assert.equal(await commandsOf(service, charge), 1)
  }
})

test('a paid order is commanded once, however many workers look for it', async () => {
  const charges: string[] = []
  for (let count = 0; count < 10; count += 1) charges.push(await payOrder(service, (await makeOrder(shop)).order_id))
  await Promise.all([service, second, service, second].map((worker) => worker.run('dispense')))
  for (const charge of charges) assert.equal(await commandsOf(service, charge), 1)
})

/** Starts this much later, in requests that change nothing; the loser starts earlier the next time, so that both sides win. */
async function startAfter<T>(lead: number, begin: () => Promise<T>): Promise<T> {
  for (let wait = 0; wait < lead; wait += 1) await shop.api.get('/v1/me')
  return begin()
}

longTest('an order is either invalidated or paid, never both', async () => {
  let [taken, paid] = [0, 0]
  for (let round = 0; round < 30; round += 1) {
    const { order_id } = await makeOrder(shop)
    const lead = taken - paid
    const takeBack = (nth: number) => startAfter(lead, () => apiOf(nth).post(`${ORDERS}/${order_id}/invalidate`))
    const [reply, sent] = await Promise.all([
      takeBack(round),
      startAfter(-lead, () => submitPayment(round % 3 === 0 ? second : service, order_id)),
      takeBack(round + 1),
    ])
    const order = await readOrder(shop, order_id)
    const invalidated = order.invalidated_at !== null
    assert.equal(order.charge_id === null, invalidated, JSON.stringify(order))
    if (invalidated) taken += 1
    else paid += 1
    assert.equal(reply.status, invalidated ? 200 : 409, reply.text)
    assert.equal(sent.status, invalidated ? 410 : 302)
  }
  assert.ok(taken > 0 && paid > 0, `both come about: ${taken} taken back, ${paid} paid`)
})

longTest(
  'a retry against a refund: either the refund first and no command, or one command and the refund after it',
  async () => {
    let [refundFirst, dispenseFirst] = [0, 0]
    for (let round = 0; round < 20; round += 1) {
      const { order_id, charge_id } = await failedOrder(service, shop)
      const lead = refundFirst - dispenseFirst
      const [refunded, replies] = await Promise.all([
        startAfter(lead, () => shop.api.post(`/v1/charges/${charge_id}/refund`)),
        startAfter(-lead, () => times(3, (nth) => retryAt(round + nth, order_id))),
      ])
      assert.equal(refunded.status, 202, refunded.text)
      const commands = await commandsOf(service, charge_id)
      const told = replies.filter(({ status, body }) => status === 200 && body.ok)
      assert.ok(commands <= 1)
      assert.equal(told.length, commands)
      for (const { status, body, text } of replies) {
        if (status === 200 && !body.ok)
          assert.equal(body.vending_error, 'the payment was refunded before the machine was told', text)
        else if (status === 400) assert.equal(body.error, 'cannot dispense: charge status is refunded, not succeeded')
        else if (status !== 200) assert.deepEqual([status, body.error], [409, IN_PROGRESS])
      }
      if (commands === 0) refundFirst += 1
      else dispenseFirst += 1
      const after = await readOrder(shop, order_id)
      assert.deepEqual([after.refunded, after.vending_status], [true, commands === 0 ? 'failed' : 'dispensing'])
    }
    assert.ok(refundFirst > 0 && dispenseFirst > 0, `both come about: ${refundFirst} and ${dispenseFirst}`)
  },
)
