import assert from 'node:assert/strict'
import test from 'node:test'
import { gate } from '../helpers/database/gate.ts'
import { eventually, newPayer } from '../helpers/service/live-service.ts'
import { opened } from '../helpers/service/opened.ts'
import { startWiredServices } from '../helpers/service/wired-service.ts'

// The acceptance of a first post is stored in one flush where nobody has touched its rows; else on locked rows (decision 63).
const PLAINLY = /publish new live charges/
const ON_LOCKED_ROWS = /lock charges with attempts/
const services = opened(() => startWiredServices({ LIVE_HOLD_HOURS: '0' }))

const evidenceOf = async (reference: string) =>
  (
    await services.service.rows<{ told: string }>(
      `select operation || ' ' || answer as told from rail_evidence where attempt_id = $1 order by seq`,
      [reference],
    )
  ).map(({ told }) => told)
const stateOf = async (id: string) => {
  const [row] = await services.service.rows<object>(
    `select c.status, c.published, a.state, a.sends, k.status as key from charges c join rail_attempts a on a.subject = c.id
     join idempotency_keys k on k.object_id = c.id where c.id = $1`,
    [id],
  )
  return row
}
const ACCEPTED = { status: 'authorized', published: true, state: 'accepted', sends: 1, key: 201 }

test('an acceptance that nobody has come before is stored without a look at its rows', async () => {
  const { service, wired } = services
  const { live } = await service.shop()
  const [plainly, locked] = [wired.proxy.counting(PLAINLY), wired.proxy.counting(ON_LOCKED_ROWS)]
  const { status, body } = await live.charge({ customer: { phone: newPayer() } })
  assert.equal(status, 201)
  assert.deepEqual([plainly.count > 0, locked.count], [true, 0])
  assert.deepEqual(await stateOf(body.id), ACCEPTED)
  assert.deepEqual(await evidenceOf(body.rail_reference), ['submit accepted'])
})

test('an acceptance behind another process that has shown the charge is stored once, on locked rows', async () => {
  const { service, worker, wired } = services
  const { live } = await service.shop()
  const phone = newPayer()
  const held = gate()
  service.operator.onSubmit({ answer: 'accept', until: held.opened }, phone)
  const before = service.operator.submits()
  const charging = live.charge({ customer: { phone } })
  await eventually('the operator was asked', () => service.operator.submits() > before)
  service.pass(31_000)
  await worker.run('follow-charges')
  const locked = wired.proxy.counting(ON_LOCKED_ROWS)
  held.open()
  const { status, body } = await charging
  assert.equal(status, 201)
  await eventually('the late answer is stored', async () => (await evidenceOf(body.rail_reference)).length === 2)
  assert.ok(locked.count > 0)
  assert.deepEqual(await stateOf(body.id), ACCEPTED)
  assert.deepEqual((await evidenceOf(body.rail_reference)).sort(), ['status pending', 'submit accepted'])
})

for (const where of ['before the server hears of it', 'before its answer'] as const)
  test(`an acceptance whose commit is lost ${where} is stored once`, async () => {
    const { service, wired } = services
    const { live } = await service.shop()
    // The first commit stores the charge, the second one the acceptance.
    wired.proxy.cutNextCommit(where, 1)
    const { status, body } = await live.charge({ customer: { phone: newPayer() } })
    assert.equal(status, 201)
    assert.deepEqual(await stateOf(body.id), ACCEPTED)
    assert.deepEqual(await evidenceOf(body.rail_reference), ['submit accepted'])
  })
