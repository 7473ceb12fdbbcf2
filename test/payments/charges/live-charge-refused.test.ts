import assert from 'node:assert/strict'
import test from 'node:test'
import type { Rail } from '../../../src/rails/rail.ts'
import { balanceOf, eventsOf, transfersOf } from '../../helpers/database/money-rows.ts'
import { succeed } from '../../helpers/payments/following-charges.ts'
import { changedTables } from '../../helpers/payments/payouts.ts'
import { newPayer, startLiveService } from '../../helpers/service/live-service.ts'
import { openedAndVerified } from '../../helpers/service/opened.ts'
import { startService } from '../../helpers/service/test-service.ts'

const service = openedAndVerified(() => startLiveService())

const payer = () => ({ customer: { phone: newPayer() } })
const UNAVAILABLE = 'payment rail temporarily unavailable - retry with the same Idempotency-Key'

for (const [code, reason] of [
  ['NOT_ENOUGH_FUNDS', 'insufficient_funds'],
  ['APPROVAL_REJECTED', 'user_cancelled'],
  ['EXPIRED', 'timeout'],
  ['PAYER_NOT_ALLOWED', 'rail_rejected'],
  ['A_WORD_NOBODY_KNOWS', 'rail_rejected'],
])
  test(`an immediate refusal (${code}) is a 201, right after it failed with ${reason}`, async () => {
    const { live } = await service.shop()
    const phone = newPayer()
    service.operator.onSubmit({ answer: 'refuse', code: code as string }, phone)
    const key = { 'idempotency-key': `refused-${code}` }
    const accepted = await live.charge({ customer: { phone } }, key)
    assert.equal(accepted.status, 201)
    assert.deepEqual(
      [accepted.body.status, accepted.body.failure_reason, accepted.body.completed_at],
      ['authorized', null, null],
    )
    const { body: failed } = await live.get(`/v1/charges/${accepted.body.id}`)
    assert.deepEqual([failed.status, failed.failure_reason, failed.available_on], ['failed', reason, null])
    assert.notEqual(failed.completed_at, null)
    const events = await eventsOf(service, failed.id)
    assert.deepEqual(
      events.map(({ type }) => type),
      ['charge.failed'],
    )
    assert.equal(JSON.parse(events[0]?.body ?? '').data.failure_reason, reason)
    assert.deepEqual(await transfersOf(service, failed.id), [])
    assert.deepEqual(await balanceOf(live), { available: 0, pending: 0 })
    const again = await live.charge({ customer: { phone } }, key)
    assert.equal(again.text, accepted.text, 'a replay shows the first answer for ever')
  })

const CLEAN = [
  [
    'nobody listens at its address',
    { before: () => service.operator.shut(), afterwards: () => service.operator.open() },
  ],
  [
    'it proves that it took nothing',
    {
      before: async () => service.operator.onSubmit({ answer: 'refuse to serve' }),
      afterwards: async () => service.operator.onSubmit({ answer: 'accept' }),
    },
  ],
] as const
for (const [trouble, { before, afterwards }] of CLEAN)
  test(`a charge that the operator never took (${trouble}) is a 502 that leaves nothing, and its key is free`, async () => {
    const { live } = await service.shop()
    const key = { 'idempotency-key': 'first in vain' }
    const order = { ...payer(), reference: `vain ${trouble}` }
    const tables = await service.digest()
    await before()
    const refused = await live.charge(order, key).finally(afterwards)
    assert.deepEqual([refused.status, refused.body.code], [502, 'rail_unavailable'])
    assert.equal(refused.body.error, UNAVAILABLE)
    assert.equal(refused.headers.get('idempotent-replayed'), null)
    assert.deepEqual(changedTables(tables, await service.digest()), ['charges', 'rail_attempts', 'rail_evidence'])
    const rows = await service.rows<{ id: string }>(
      `select c.id, c.status, c.published, c.voided_at is not null as voided, c.follow_at, a.state
       from charges c join rail_attempts a on a.subject = c.id where c.reference = $1`,
      [order.reference],
    )
    const id = rows[0]?.id ?? ''
    assert.deepEqual(rows, [{ id, status: 'pending', published: false, voided: true, follow_at: null, state: 'void' }])
    assert.equal((await live.get(`/v1/charges/${id}`)).status, 404)
    for (const filter of ['', `?reference=${encodeURIComponent(order.reference)}`, '?status=pending'])
      assert.deepEqual((await live.get(`/v1/charges${filter}`)).body.data, [])
    assert.deepEqual(await eventsOf(service, id), [])
    assert.deepEqual(await service.rows('select 1 from idempotency_keys where object_id = $1', [id]), [])
    service.pass(60_000)
    await service.run('follow-charges')
    await service.run('finish-keys')
    assert.equal(service.entryOf(id), undefined)

    const taken = await live.charge(order, key)
    assert.equal(taken.status, 201)
    assert.notEqual(taken.body.id, id)
    assert.notEqual(taken.body.rail_reference, null)
    await succeed(service, taken.body.id)
    assert.deepEqual(await balanceOf(live), { available: 0, pending: 4800 })
  })

for (const verdict of ['wait', 'person'] as const)
  test(`a rail that is not ready (${verdict}) is refused before any write, byte for byte`, async () => {
    const { live } = await service.shop()
    const key = { 'idempotency-key': 'not ready' }
    const order = payer()
    const asked = service.operator.journal.length
    const tables = await everything()
    service.rail.ready(verdict)
    const refused = await live.charge(order, key)
    service.rail.ready('ready')
    assert.deepEqual([refused.status, refused.body.code], [502, 'rail_unavailable'])
    assert.equal(await everything(), tables)
    assert.equal(service.operator.journal.length, asked)
    assert.equal((await live.charge(order, key)).status, 201)
  })

test('refusals by our own rules come before a rail that is not ready, and are stored under the key', async () => {
  const { live } = await service.shop()
  service.rail.ready('wait')
  const key = { 'idempotency-key': 'too small' }
  const refused = await live.charge({ amount: 200, ...payer() }, key)
  service.rail.ready('ready')
  assert.deepEqual([refused.status, refused.body.code], [400, 'fee_exceeds_amount'])
})

test('an operator that already had the reference has accepted it', async () => {
  const { live } = await service.shop()
  const phone = newPayer()
  service.operator.onSubmit({ answer: 'had it' }, phone)
  const accepted = await live.charge({ customer: { phone } })
  assert.deepEqual([accepted.status, accepted.body.status], [201, 'authorized'])
  const [attempt] = await service.rows('select state from rail_attempts where subject = $1', [accepted.body.id])
  assert.deepEqual(attempt, { state: 'accepted' })
  await succeed(service, accepted.body.id)
  assert.deepEqual(await balanceOf(live), { available: 0, pending: 4800 })
})

test('without a live rail live money is refused before any write, and test money works', async () => {
  const bare = await startService()
  try {
    const merchant = await bare.merchant({ verified: true })
    const before = await bare.digest()
    const refused = await bare.client(merchant.keys.live).charge()
    assert.deepEqual([refused.status, refused.body.code], [502, 'rail_unavailable'])
    assert.equal(await bare.digest(), before)
    assert.equal((await bare.client(merchant.keys.test).charge()).status, 201)
  } finally {
    await bare.close()
  }
})

test('a live movement never reaches a simulated rail: nothing is written', async () => {
  const simulated: Rail = { ...service.rail, simulated: true }
  const wrong = await startService({ liveRails: { op1_momo: simulated } })
  try {
    const merchant = await wrong.merchant({ verified: true })
    const before = await wrong.digest()
    const asked = service.operator.submits()
    const refused = await wrong.client(merchant.keys.live).charge()
    assert.ok(refused.status >= 500, `answered ${refused.status}`)
    assert.equal(await wrong.digest(), before)
    assert.equal(service.operator.submits(), asked)
  } finally {
    await wrong.close()
  }
})

test('calling a rail inside a transaction throws before anything is sent', async () => {
  const { op1_momo: live } = service.app.rails.live
  const { op1_momo: sandbox } = service.app.rails.test
  const attempt = {
    reference: '00000000-0000-4000-8000-000000000000',
    installation: 'first contract',
    publicId: 'txn_inside',
    amount: 5000,
    currency: 'UGX' as const,
    phone: newPayer(),
    note: '',
    callbackPath: null,
    createdAt: service.clock.now(),
  }
  const asked = service.operator.journal.length
  const deadline = service.app.deadlineIn(1000)
  for (const rail of [live, sandbox])
    for (const operation of ['submit', 'status'] as const)
      await assert.rejects(
        service.app.db.transaction(async () => ({
          value: await rail?.collect?.[operation](attempt, deadline),
        })),
        /was called inside a transaction/,
      )
  assert.equal(service.operator.journal.length, asked)
  assert.equal((await live?.collect?.status(attempt, deadline))?.kind, 'not_found', 'outside it works')
})

const everything = async () =>
  JSON.stringify([
    await service.digest(),
    await service.rows('select * from idempotency_keys order by 1, 2, 3'),
    await service.rows('select count(*)::int, max(seq)::text from rail_evidence'),
  ])
