import assert from 'node:assert/strict'
import test from 'node:test'
import { newPayer } from '../helpers/service/live-service.ts'
import { startOp1Service } from '../helpers/service/op1-service.ts'
import { openedAndVerified } from '../helpers/service/opened.ts'
import { chargeOn } from '../helpers/web/page-charges.ts'
import { statusOf, visitor } from '../helpers/web/paying-on-pages.ts'

// Somebody looks at a payment: its operator is asked now, not when the ladder says so (rails.md 4.2, priority 3).
const service = openedAndVerified(() => startOp1Service())
const HOUR = 3_600_000

/** A charge paid on a page that its operator has not decided about, far down the ladder. */
async function waiting() {
  const shop = await service.shop()
  const link = (await shop.live.post('/v1/payment-links', { amount: 5000 })).body.id as string
  const browser = visitor(service)
  await browser.send(await browser.get(`/pay/${link}`), '/submit', { phone: newPayer() })
  const { id } = await chargeOn(service, link)
  const [row] = await service.rows<{ id: string }>('select id from rail_attempts where subject = $1', [id])
  const reference = row?.id ?? ''
  service.pass(2 * HOUR)
  await service.run('follow-charges')
  service.pass(5000)
  return { shop, link, id, reference }
}
const questionsOf = (reference: string) =>
  service.emulator.journal(reference).filter(({ method }) => method === 'GET').length

test('a page that is read brings the next question forward, at most one in two seconds', async () => {
  const { link, reference } = await waiting()
  const before = questionsOf(reference)
  await service.run('follow-charges')
  assert.equal(questionsOf(reference), before, 'the ladder has time')
  await statusOf(service, link)
  await statusOf(service, link)
  await service.run('follow-charges')
  assert.equal(questionsOf(reference), before + 1)
  await statusOf(service, link)
  await service.run('follow-charges')
  assert.equal(questionsOf(reference), before + 1, 'just asked')
  service.pass(2000)
  await service.run('follow-charges')
  assert.equal(questionsOf(reference), before + 2)
})

test('while a question that was brought forward is under way, reading brings forward no other', async () => {
  const { link, id, reference } = await waiting()
  await statusOf(service, link)
  // Claimed by a process that has not heard the answer yet.
  await service.rows(`update charges set follow_at = $2 where id = $1`, [
    id,
    new Date(service.clock.nowMs() + 30_000).toISOString(),
  ])
  const before = questionsOf(reference)
  await statusOf(service, link)
  await service.run('follow-charges')
  assert.equal(questionsOf(reference), before)
})

test('the answer shows at once to somebody who looks, and reading an ended payment writes nothing', async () => {
  const { link, reference } = await waiting()
  await service.emulator.resolve(reference, { status: 'SUCCESSFUL' })
  assert.equal((await statusOf(service, link)).status, 'authorized')
  await service.run('follow-charges')
  assert.equal((await statusOf(service, link)).status, 'succeeded')
  const before = await service.digest()
  await statusOf(service, link)
  assert.equal(await service.digest(), before)
})
