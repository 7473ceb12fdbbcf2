import assert from 'node:assert/strict'
import test from 'node:test'
import type { SubmitHow } from '../../fakes/operator.ts'
import { gate } from '../../helpers/database/gate.ts'
import { balanceOf, eventsOf } from '../../helpers/database/money-rows.ts'
import { followUntilEnded } from '../../helpers/payments/following-charges.ts'
import { eventually, newPayer, startBeside, startLiveService } from '../../helpers/service/live-service.ts'
import { made, opened, openedAndVerified } from '../../helpers/service/opened.ts'

// The answer of a live charge is stored with its key when the charge is stored. It counts once the charge is shown (decision 67).
const service = openedAndVerified(() => startLiveService())
const beside = opened(() => startBeside(service))
const shop = made(() => service.shop())

const keyRow = async (key: string) => {
  const [row] = await service.rows<{ status: number | null; body: string | null; xmin: string; shown: boolean }>(
    `select k.status, k.body, k.xmin::text, c.published as shown
     from idempotency_keys k join charges c on c.id = k.object_id where k.key = $1`,
    [key],
  )
  return row
}

/** A charge that the operator has received and not answered until `answers` is opened, asked for with this key. */
async function underWay(key: string, how: SubmitHow) {
  const phone = newPayer()
  const order = { customer: { phone } }
  const header = { 'idempotency-key': key }
  const answers = gate()
  service.operator.onSubmit({ ...how, until: answers.opened }, phone)
  const before = service.operator.submits()
  const first = shop.live.charge(order, header)
  await eventually('the operator was asked', () => service.operator.submits() > before)
  return { phone, order, header, answers, first, other: beside.client(shop.merchant.keys.live) }
}

test('while the operator is asked a repeat gets 409 from every process; then the stored answer, which nothing has written since', async () => {
  const key = 'asked meanwhile'
  const { order, header, answers, first, other } = await underWay(key, { answer: 'accept' })
  const hidden = await keyRow(key)
  assert.deepEqual([hidden?.status, hidden?.shown], [201, false])
  for (const client of [shop.live, other]) {
    const repeat = await client.charge(order, header)
    assert.deepEqual([repeat.status, repeat.body.code], [409, 'conflict'])
    assert.match(repeat.body.error, /still in flight/)
  }
  const changed = await other.charge({ ...order, amount: 7000 }, header)
  assert.match(changed.body.error, /reused with different request body/)
  answers.open()
  const { status, text } = await first
  const repeated = await other.charge(order, header)
  assert.deepEqual([status, repeated.status, repeated.text], [201, 201, text])
  assert.equal(repeated.headers.get('idempotent-replayed'), 'true')
  assert.deepEqual(await keyRow(key), { ...hidden, body: text, shown: true })
})

test('a charge that was taken back frees its key with the answer under it, and the next request makes another', async () => {
  const key = 'taken back'
  const { phone, order, header, answers, first, other } = await underWay(key, { answer: 'refuse to serve' })
  assert.equal((await keyRow(key))?.status, 201)
  answers.open()
  assert.equal((await first).status, 502)
  assert.deepEqual(await service.rows('select 1 from idempotency_keys where key = $1', [key]), [])
  service.operator.onSubmit({ answer: 'accept' }, phone)
  const anew = await other.charge(order, header)
  assert.deepEqual([anew.status, anew.headers.get('idempotent-replayed')], [201, null])
  assert.deepEqual(
    (await service.rows<{ id: string }>('select id from charges where phone = $1 and published', [phone])).map(
      ({ id }) => id,
    ),
    [anew.body.id],
  )
})

test('a charge whose process is gone is shown by finish-keys where nobody asks about it, and can not be taken back any more', async () => {
  const key = 'left behind'
  const { order, header, answers, first, other } = await underWay(key, { answer: 'refuse to serve' })
  assert.equal(await beside.run('finish-keys'), 0, 'its own request still has it')
  service.pass(31_000)
  assert.equal((await other.charge(order, header)).status, 409)
  assert.equal(await beside.run('finish-keys'), 1)
  const repeated = await other.charge(order, header)
  assert.deepEqual([repeated.status, repeated.body.status], [201, 'authorized'])
  assert.equal(await beside.run('finish-keys'), 0)
  answers.open()
  const late = await first
  assert.deepEqual([late.status, late.text], [201, repeated.text])
  const { id } = repeated.body
  await followUntilEnded(service, id)
  const { body } = await shop.live.get(`/v1/charges/${id}`)
  assert.equal(body.status, 'failed')
  assert.equal((await eventsOf(service, id)).length, 1)
  assert.equal((await other.charge(order, header)).text, repeated.text)
  assert.deepEqual(await balanceOf(shop.live), { available: 0, pending: 0 })
})
