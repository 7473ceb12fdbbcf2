import assert from 'node:assert/strict'
import { waitUntilIdle } from '../../src/platform/batches/lane.ts'
import { parseTag } from '../../src/platform/text/ids.ts'
import { freePort } from '../crash/installation.ts'
import { eventsOf, transfersOf } from '../helpers/database/money-rows.ts'
import { followUntilEnded } from '../helpers/payments/following-charges.ts'
import { pay } from '../helpers/payments/payouts.ts'
import { eventually, newPayer } from '../helpers/service/live-service.ts'
import { startOp1Service } from '../helpers/service/op1-service.ts'
import { openedAndVerified } from '../helpers/service/opened.ts'
import { longTest, test } from '../helpers/service/parts.ts'

// Callbacks of the operator: a hint to ask now, never an answer (rails.md 4.3).
const service = openedAndVerified(async () => {
  const port = String(await freePort())
  return startOp1Service({
    env: { LIVE_HOLD_HOURS: '0', PORT: port },
    entry: { callback: { base: `http://127.0.0.1:${port}/inbound/op1` } },
  })
})

const seenOf = async (id: string) => {
  const [row] = await service.rows<{
    callbacks: number
    callback_seen_at: Date | null
    follow_at: Date | null
  }>(
    `select a.callbacks, a.callback_seen_at, coalesce(c.follow_at, p.follow_at) as follow_at from rail_attempts a
     left join charges c on c.id = a.subject left join payouts p on p.id = a.subject where a.subject = $1`,
    [id],
  )
  return row
}
/** Waits until so many callbacks were noted and, in a commit of its own, the next question was brought forward. */
async function heard(id: string, times: number): Promise<void> {
  await eventually(`${times} callbacks were noted`, async () => ((await seenOf(id))?.callbacks ?? 0) >= times)
  await waitUntilIdle(service.app)
}
const questionsOf = (reference: string) =>
  service.emulator.journal(reference).filter(({ method }) => method === 'GET').length
const callbackUrlOf = (reference: string) => service.emulator.transactions({ reference })[0]?.callbackUrl ?? ''

async function charged() {
  const shop = await service.shop()
  const { body } = await shop.live.charge({ customer: { phone: newPayer() } })
  return { shop, id: body.id as string, reference: body.rail_reference as string }
}

test('a callback to the process that posted leads to the question at once, and one commit stores both', async () => {
  const { shop, id, reference } = await charged()
  await service.emulator.resolve(reference, { status: 'SUCCESSFUL' })
  await heard(id, 1)
  assert.equal((await shop.live.get(`/v1/charges/${id}`)).body.status, 'succeeded', 'no task has run')
  assert.deepEqual([(await eventsOf(service, id)).length, questionsOf(reference)], [1, 1])
  const told = await service.rows<{ operation: string; xmin: string }>(
    'select operation, xmin from rail_evidence where attempt_id = $1 order by seq',
    [reference],
  )
  assert.deepEqual(
    told.map(({ operation }) => operation),
    ['submit', 'callback', 'status'],
  )
  assert.equal(told[1]?.xmin, told[2]?.xmin)
})

test('a callback brings the next question forward where this process did not post, or no longer keeps it', async () => {
  const { shop, id, reference } = await charged()
  // The first question is due, so anybody may ask it now.
  service.pass(4000)
  await service.emulator.resolve(reference, { status: 'SUCCESSFUL' })
  await heard(id, 1)
  assert.equal(questionsOf(reference), 0)
  assert.equal(await service.run('follow-charges'), 1, 'due at once, without the clock')
  assert.equal((await shop.live.get(`/v1/charges/${id}`)).body.status, 'succeeded')
  assert.deepEqual([(await eventsOf(service, id)).length, questionsOf(reference)], [1, 1])
})

test('an address that an earlier release gave, which names only the merchant, goes on working', async () => {
  const { shop, id, reference } = await charged()
  const [kept] = await service.rows<{ digest: Buffer | null }>(
    'select callback_token_sha256 as digest from rail_attempts where subject = $1',
    [id],
  )
  assert.equal(kept?.digest, null, 'a new attempt is not in the index of tokens')
  // As that release stored it.
  await service.rows(
    `update rail_attempts set callback_token_sha256 = callback_digest, callback_digest = null where subject = $1`,
    [id],
  )
  const url = callbackUrlOf(reference).replace(`/${id}/`, `/${parseTag('txn_', id)}/`)
  assert.equal((await fetch(url, { method: 'POST', body: '{}' })).status, 200)
  await heard(id, 1)
  // Posted again by this release, it has both addresses.
  service.pass(6000)
  await service.emulator.resolve(reference, { status: 'SUCCESSFUL' })
  await heard(id, 2)
  await service.run('follow-charges')
  assert.equal((await shop.live.get(`/v1/charges/${id}`)).body.status, 'succeeded')
  assert.deepEqual([(await eventsOf(service, id)).length, (await transfersOf(service, id)).length], [1, 2])
})

longTest('hundreds of callbacks at once lead to few questions, one credit and one event', async () => {
  const { id, reference } = await charged()
  const url = callbackUrlOf(reference)
  const calls = Array.from({ length: 300 }, (_, nth) =>
    fetch(url, { method: nth % 2 === 0 ? 'PUT' : 'POST', body: '{"status":"SUCCESSFUL"}' }).then(
      ({ status }) => status,
    ),
  )
  assert.deepEqual([...new Set(await Promise.all(calls))], [200])
  await heard(id, 1)
  await service.run('follow-charges')
  await service.run('follow-charges')
  assert.ok(questionsOf(reference) <= 2, `${questionsOf(reference)} questions`)
  assert.equal((await transfersOf(service, id)).length, 0, 'nothing of what a callback says is believed')
  await service.emulator.resolve(reference, { status: 'SUCCESSFUL' })
  await followUntilEnded(service, id)
  assert.deepEqual([(await transfersOf(service, id)).length, (await eventsOf(service, id)).length], [2, 1])
  const kept = await service.rows(`select 1 from rail_evidence where operation = 'callback' and attempt_id = $1`, [
    reference,
  ])
  assert.ok(kept.length <= 20, 'a flood leaves a bounded record')
})

test('a lying callback: the status decides, and it is asked again after 5, 15 and 60 s', async () => {
  const { id, reference } = await charged()
  // Far down the ladder.
  service.pass(2 * 3_600_000)
  await service.run('follow-charges')
  await service.emulator.callback(reference, { status: 'SUCCESSFUL' })
  await heard(id, 1)
  const seenAt = (await seenOf(id))?.callback_seen_at?.getTime() ?? 0
  for (const seconds of [5, 15, 60]) {
    await service.run('follow-charges')
    const next = ((await seenOf(id))?.follow_at?.getTime() ?? 0) - seenAt
    assert.ok(Math.abs(next - seconds * 1000) < 500, `${next} ms after the callback, not ${seconds} s`)
    service.pass(Math.max(0, seenAt + next - service.clock.nowMs()) + 1)
  }
  await service.run('follow-charges')
  assert.ok(((await seenOf(id))?.follow_at?.getTime() ?? 0) > seenAt + 300_000, 'then by the ladder again')
})

test('a callback before the answer to the post waits for it, and then leads to the question', async () => {
  await service.emulator.fault('callbackBeforeAnswer')
  const sent = service.emulator.callbacks().length
  const charging = charged()
  await eventually('the operator called back', () => service.emulator.callbacks().length > sent)
  await service.emulator.advance(100)
  const { id, reference } = await charging
  await heard(id, 1)
  await eventually('it was asked', () => questionsOf(reference) === 1)
})

test('payouts are brought forward the same way', async () => {
  const { shop, id, reference } = await charged()
  await service.emulator.resolve(reference, { status: 'SUCCESSFUL' })
  await followUntilEnded(service, id)
  const { body } = await pay(shop.live, { amount: 500, recipient: { phone: newPayer() } })
  await service.emulator.resolve(body.rail_reference, { status: 'SUCCESSFUL' })
  await heard(body.id, 1)
  await service.run('send-payouts')
  assert.equal((await shop.live.get(`/v1/payouts/${body.id}`)).body.status, 'succeeded')
})

test('unknown, malformed and foreign tokens get the same answer and lead to no question', async () => {
  const { id, reference } = await charged()
  const url = callbackUrlOf(reference)
  const other = await charged()
  const foreign = callbackUrlOf(other.reference).split('/').at(-1) ?? ''
  const addresses = [
    url.replace(/[^/]+$/, 'x'.repeat(43)),
    url.replace(/[^/]+$/, 'short'),
    url.replace(`/${id}/`, `/${id.slice(0, -1)}/`),
    url.replace(`/${id}/`, '/zzzzz/'),
    url.replace(`/${id}/`, `/${parseTag('txn_', id)}/`),
    url.replace(/[^/]+$/, foreign),
    url.replace(`/${id}/`, `/${'9'.repeat(300)}/`),
  ]
  for (const address of addresses) {
    const reply = await fetch(address, { method: 'POST', body: '{}' })
    assert.deepEqual([reply.status, await reply.text()], [200, '{}'], address)
  }
  assert.equal((await seenOf(id))?.callbacks, 0)
  assert.equal((await fetch(url)).status, 405)
  assert.equal((await fetch(url, { method: 'DELETE' })).status, 405)
  const large = await fetch(url, { method: 'POST', body: 'x'.repeat(70_000) })
  assert.deepEqual([large.status, await large.text()], [200, '{}'])
})
