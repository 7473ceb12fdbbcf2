import assert from 'node:assert/strict'
import test from 'node:test'
import { startOperator } from '../../fakes/operator.ts'
import { gate } from '../../helpers/database/gate.ts'
import { eventsOf } from '../../helpers/database/money-rows.ts'
import { succeed } from '../../helpers/payments/following-charges.ts'
import { openLostCharges } from '../../helpers/payments/lost-charges.ts'
import { eventually, newPayer, startBeside } from '../../helpers/service/live-service.ts'
import { opened, prepare } from '../../helpers/service/opened.ts'

// One process dies or sleeps over a post of a charge while another one posts it again.
const { service, shop, posts, lost, lookOnce, attemptOf, shown } = openLostCharges()
const worker = opened(() => startBeside(service))
const second = opened(() => startOperator())
prepare(async () => service.rail.addInstallation('second contract', second.url))

test('M3: a charge whose process dies between commit and call is posted by another one, to the same contract', async () => {
  const phone = newPayer()
  const held = gate()
  // The request hangs before it is sent: the same state as after a process that dies here.
  service.operator.onSubmit(
    (nth) => (nth === 1 ? { answer: 'reset late', takes: false, until: held.opened } : { answer: 'accept' }),
    phone,
  )
  const hanging = shop.live.charge({ customer: { phone } })
  // A post that is still to come would not be sent after so long.
  await eventually('it has left', async () => posts((await byPhone(phone)) ?? {}).length === 1)
  const body = await byPhone(phone)
  service.rail.activate('second contract')
  service.pass(31_000)
  await worker.run('follow-charges')
  assert.equal(posts(body).length, 1)
  await lookOnce(body, worker)
  service.rail.activate('first contract')
  assert.equal(posts(body).length, 2)
  assert.deepEqual([...new Set(posts(body).map(({ installation }) => installation))], ['first contract'])
  assert.equal(second.journal.length, 0)
  assert.deepEqual(await attemptOf(body), { state: 'accepted', reposts: 1 })
  held.open()
  await hanging
  assert.deepEqual(await attemptOf(body), { state: 'accepted', reposts: 1 }, 'the late end of the first one is no news')
  await succeed(service, body.id)
})

test('M3, M5: a process that slept during the first post and wakes with a refusal does not fail a charge posted again since', async () => {
  for (const answer of ['refuse', 'refuse to serve'] as const) {
    const phone = newPayer()
    const held = gate()
    service.operator.onSubmit((nth) => (nth === 1 ? { answer, until: held.opened } : { answer: 'accept' }), phone)
    const hanging = shop.live.charge({ customer: { phone } })
    await eventually(
      'the operator was asked',
      async () =>
        service.entryOf((await byPhone(phone))?.id) === undefined && posts((await byPhone(phone)) ?? {}).length === 1,
    )
    const body = await byPhone(phone)
    service.pass(31_000)
    await worker.run('follow-charges')
    await lookOnce(body, worker)
    assert.deepEqual(await attemptOf(body), { state: 'accepted', reposts: 1 })
    held.open()
    assert.equal((await hanging).body.status, 'authorized')
    assert.deepEqual([(await shown(body)).status, (await attemptOf(body))?.state], ['authorized', 'accepted'])
    await succeed(service, body.id)
    assert.equal((await shown(body)).status, 'succeeded')
    assert.deepEqual(await service.rows('select 1 from exceptions where subject = $1', [body.id]), [])
  }
})

test('M3: a process that slept during a repeated post and wakes with its acceptance stores it, though another post was sent', async () => {
  const phone = newPayer()
  const held = gate()
  const error = { answer: 'error', takes: false } as const
  service.operator.onSubmit((nth) => (nth === 2 ? { answer: 'accept', until: held.opened } : error), phone)
  const { body } = await shop.live.charge({ customer: { phone } })
  service.operator.onQuestion({ answer: 'not found' }, body.rail_reference)
  await lookOnce(body)
  service.pass(2000)
  const slept = service.run('follow-charges')
  await eventually('the second post has left', () => posts(body).length === 2)
  service.pass(31_000)
  await worker.run('follow-charges')
  await lookOnce(body, worker)
  assert.deepEqual(await attemptOf(body), { state: 'in_doubt', reposts: 2 })
  held.open()
  await slept
  assert.deepEqual(await attemptOf(body), { state: 'accepted', reposts: 2 })
  service.operator.onQuestion({ answer: 'book' }, body.rail_reference)
  await succeed(service, body.id)
  assert.equal((await eventsOf(service, body.id)).length, 1)
})

test('M3: two workers at once post it once more, not twice', async () => {
  const lostOnes = []
  for (let nth = 0; nth < 12; nth += 1) lostOnes.push(await lost({ answer: 'accept' }))
  service.pass(6000)
  await Promise.all([service, worker].map((testService) => testService.run('follow-charges')))
  service.pass(4000)
  for (let round = 0; round < 3; round += 1) {
    await Promise.all([service, worker, service, worker].map((testService) => testService.run('follow-charges')))
    service.pass(2000)
  }
  for (const body of lostOnes) assert.equal(posts(body).length, 2)
  for (const body of lostOnes) await succeed(service, body.id)
})

async function byPhone(phone: string): Promise<any> {
  const [row] = await service.rows('select id, rail_reference, created_at from charges where phone = $1', [phone])
  return row
}
