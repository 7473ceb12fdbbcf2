import assert from 'node:assert/strict'
import test from 'node:test'
import { freezePlatform } from '../../../src/merchants/account/payout-freeze.ts'
import { gate } from '../../helpers/database/gate.ts'
import { lookOnce, settle, submitsOf } from '../../helpers/payments/following-payouts.ts'
import { attemptOf, heardOf } from '../../helpers/payments/operator-heard.ts'
import { AMBIGUOUS, PAID, postingsOf, RESERVED } from '../../helpers/payments/payout-money.ts'
import { pay, payoutOf, queueBulk, richShop, startPayingService } from '../../helpers/payments/payouts.ts'
import { BY_HAND } from '../../helpers/service/actors.ts'
import { DAY, eventually, newPayer, type Shop, startBeside } from '../../helpers/service/live-service.ts'
import { opened, openedAndVerified } from '../../helpers/service/opened.ts'

// How long a possibly lost payout is posted again, and what happens while that is not possible (rails.md 4.5).
const FUNDS = 500_000
const MINUTE = 60_000
const HOUR = 60 * MINUTE
let shop: Shop
const service = openedAndVerified(() => startPayingService())
const other = opened(() => startBeside(service))

const dueIn = async (id: string): Promise<number> => {
  const [row] = await service.rows<{ follow_at: Date }>('select follow_at from payouts where id = $1', [id])
  return (row?.follow_at.getTime() ?? 0) - service.clock.nowMs()
}

async function lookUntil(id: string, holds: () => Promise<boolean>, looks = 40): Promise<void> {
  for (let look = 0; look < looks && !(await holds()); look += 1) await lookOnce(service, id)
  assert.ok(await holds())
}

/** A payout whose first post was lost and which is about to be posted again. */
async function aboutToBePosted(phone = newPayer()): Promise<any> {
  shop = await richShop(service, FUNDS)
  service.operator.onSubmit((nth) => (nth === 1 ? { answer: 'error', takes: false } : { answer: 'accept' }), phone)
  const { body } = await pay(shop.live, { recipient: { phone } })
  await lookUntil(body.id, async () => (await attemptOf(service, body.id)) === 'not_sent')
  assert.equal(await submitsOf(service, body.id), 1)
  return body
}

for (const held of ['a freeze', 'a worker that dies at once'] as const)
  test(`M4: a payout that waited two days is posted again after ${held}: the day counts from its first post`, async () => {
    shop = await richShop(service, FUNDS)
    const phone = newPayer()
    await freezePlatform(service.gateway, BY_HAND, 'a long review')
    const [id = ''] = await queueBulkFrozen(shop, phone)
    service.pass(2 * DAY)
    await service.run('send-payouts')
    assert.equal(await submitsOf(service, id), 0)
    await freezePlatform(service.gateway, BY_HAND, null)
    service.pass(HOUR)
    const died = gate()
    const first =
      held === 'a freeze'
        ? { answer: 'error' as const, takes: false }
        : { answer: 'garbage' as const, takes: false, until: died.opened }
    service.operator.onSubmit((nth) => (nth === 1 ? first : { answer: 'accept' }), phone)
    const running = other.run('send-payouts')
    await eventually('it has left', async () => (await submitsOf(service, id)) === 1)
    if (held === 'a freeze') await running
    const leftMs = service.clock.nowMs()
    service.pass(31_000)
    await service.run('send-payouts')
    await lookUntil(id, async () => (await submitsOf(service, id)) === 2)
    const afterMs = service.clock.nowMs() - leftMs
    assert.ok(afterMs >= MINUTE && afterMs < 15 * MINUTE, `posted again after ${afterMs} ms`)
    died.open()
    await running
    await settle(service, id)
    assert.deepEqual(await postingsOf(service, id), PAID)
  })

async function queueBulkFrozen(own: Shop, phone: string): Promise<string[]> {
  await freezePlatform(service.gateway, BY_HAND, null)
  const ids = await queueBulk(own, [phone])
  await freezePlatform(service.gateway, BY_HAND, 'a long review')
  return ids
}

test('M12: a repost that was held back until the day was over is not sent any more', async () => {
  const body = await aboutToBePosted()
  await freezePlatform(service.gateway, BY_HAND, 'a review')
  await lookOnce(service, body.id)
  service.pass(DAY)
  await freezePlatform(service.gateway, BY_HAND, null)
  for (let look = 0; look < 10; look += 1) await lookOnce(service, body.id)
  assert.equal(await submitsOf(service, body.id), 1)
  const shown = await payoutOf(shop.live, body.id)
  assert.deepEqual([shown.status, shown.failure_reason], ['authorized', AMBIGUOUS])
  assert.deepEqual(await postingsOf(service, body.id), RESERVED)
})

test('M12: a repost that was due, and whose worker comes a day later, is not sent any more', async () => {
  const body = await aboutToBePosted()
  service.pass(DAY)
  for (let look = 0; look < 10; look += 1) await lookOnce(service, body.id)
  assert.equal(await submitsOf(service, body.id), 1)
  assert.equal(await attemptOf(service, body.id), 'in_doubt')
})

for (const verdict of ['wait', 'person'] as const)
  test(`M12: a repost that finds no service ("${verdict}") does not delay the next question`, async () => {
    const body = await aboutToBePosted()
    const questions = () => heardOf(service, 'question', body.rail_reference).length
    service.rail.ready(verdict)
    try {
      await service.run('send-payouts')
      assert.equal(await submitsOf(service, body.id), 1)
      const waitMs = await dueIn(body.id)
      assert.ok(waitMs <= 2 * MINUTE, `asked again only after ${waitMs} ms`)
      const asked = questions()
      await lookOnce(service, body.id)
      assert.equal(questions(), asked + 1, 'a question, not a post')
    } finally {
      service.rail.ready('ready')
    }
    await lookUntil(body.id, async () => (await submitsOf(service, body.id)) === 2)
    await settle(service, body.id)
  })

for (const held of ['freeze', 'no service'] as const)
  test(`M12: during a ${held} a payout that is to be posted again is asked about, and ends when the operator knows it`, async () => {
    const body = await aboutToBePosted()
    if (held === 'freeze') await freezePlatform(service.gateway, BY_HAND, 'a review')
    else service.rail.ready('person')
    try {
      await service.run('send-payouts')
      service.operator.onQuestion({ answer: 'succeeded', says: entryOf(body) }, body.rail_reference)
      await lookUntil(body.id, async () => (await payoutOf(shop.live, body.id)).status === 'succeeded', 3)
      assert.deepEqual(await postingsOf(service, body.id), PAID)
      assert.equal(await submitsOf(service, body.id), 1)
    } finally {
      await freezePlatform(service.gateway, BY_HAND, null)
      service.rail.ready('ready')
    }
  })

const entryOf = ({ id, amount, rail_reference, recipient_phone }: any) => ({
  reference: rail_reference,
  external_id: id,
  amount,
  currency: 'UGX',
  phone: recipient_phone,
})
