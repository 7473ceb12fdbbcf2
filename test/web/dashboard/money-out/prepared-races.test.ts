import assert from 'node:assert/strict'
import test from 'node:test'
import { rejectPrepared, withdrawPrepared } from '../../../../src/payments/payouts/prepared/end-prepared.ts'
import { getPrepared } from '../../../../src/payments/payouts/prepared/find-prepared.ts'
import { gate } from '../../../helpers/database/gate.ts'
import { payoutDigest, startPayingService } from '../../../helpers/payments/payouts.ts'
import { approve, ask, crewed } from '../../../helpers/payments/preparing.ts'
import { availableOf } from '../../../helpers/payments/schedules.ts'
import { worker } from '../../../helpers/service/actors.ts'
import { eventually, newPayer, startBeside } from '../../../helpers/service/live-service.ts'
import { opened, openedAndVerified } from '../../../helpers/service/opened.ts'

// What is approved is sent once, whoever approves it, how often, at the same time, and whatever dies in between.
const service = openedAndVerified(() => startPayingService())
const beside = opened(() => startBeside(service))
const FUNDS = 500_000
const madeBy = async (id: string) =>
  (await service.rows<{ object_id: string }>('select object_id from prepared_payouts where id = $1', [id]))[0]
    ?.object_id

test('thirty approvals by three owners at once over two services are one payout', async () => {
  for (let round = 0; round < 5; round += 1) {
    const crew = await crewed(service, { funds: FUNDS })
    const phone = newPayer()
    const id = await ask(service, crew.anna, { phone })
    const submits = service.operator.submits()
    const owners = [crew.ben, worker(crew.ben, 'owner', 4), worker(crew.ben, 'owner', 5)]
    const approvals = await Promise.allSettled(
      Array.from({ length: 30 }, (_, nth) =>
        approve(nth % 2 === 0 ? service : beside, owners[nth % 3] as (typeof owners)[0], id),
      ),
    )
    const answered = approvals.flatMap((approval) => (approval.status === 'fulfilled' ? [approval.value.objectId] : []))
    const refused = approvals.flatMap((approval) => (approval.status === 'rejected' ? [approval.reason] : []))
    assert.ok(answered.length > 0)
    assert.deepEqual([...new Set(answered)], [await madeBy(id)])
    for (const { status, message } of refused)
      assert.deepEqual([status, /already approved|still in flight/.test(message)], [409, true], message)
    assert.equal(service.operator.submits(), submits + 1)
    assert.equal(await availableOf(crew.live), FUNDS - 20_300)
    assert.equal((await service.rows('select 1 from payouts where recipient_phone = $1', [phone])).length, 1)
  }
})

test('an approval, a rejection and a withdrawal at once: one of them counts, and money leaves with the approval alone', async () => {
  for (let round = 0; round < 8; round += 1) {
    const { anna, ben, live } = await crewed(service, { funds: FUNDS })
    const id = await ask(service, anna)
    await Promise.allSettled([
      approve(service, ben, id),
      rejectPrepared(beside.app, ben, { id, reason: null }),
      withdrawPrepared(service.app, anna, { id, reason: null }),
      approve(beside, ben, id),
    ])
    const { status, objectId } = await getPrepared(service.app, ben, id)
    assert.equal(status === 'approved', objectId !== null)
    assert.equal(await availableOf(live), status === 'approved' ? FUNDS - 20_300 : FUNDS, status)
  }
})

test('the process of an approval hangs or dies before its operator answers: another one finishes it, and nobody sends it again', async () => {
  const { anna, ben, live } = await crewed(service, { funds: FUNDS })
  const phone = newPayer()
  const id = await ask(service, anna, { phone })
  const held = gate()
  service.operator.onSubmit(() => ({ answer: 'silence', until: held.opened }), phone)
  const submits = service.operator.submits()
  const hanging = approve(service, ben, id)
  await eventually('the operator was asked', () => service.operator.submits() === submits + 1)
  const third = worker(ben, 'owner', 4)
  await assert.rejects(approve(beside, ben, id), { status: 409 })
  await assert.rejects(approve(beside, third, id), { status: 409, message: /already approved/ })
  service.pass(31_000)
  service.operator.pays(phone)
  await beside.run('send-payouts')
  await beside.run('finish-keys')
  const replayed = await approve(beside, ben, id)
  assert.deepEqual([replayed.replayed, replayed.objectId], [true, await madeBy(id)])
  held.open()
  assert.equal((await hanging).objectId, replayed.objectId)
  assert.equal(service.operator.submits(), submits + 1)
  assert.equal(await availableOf(live), FUNDS - 20_300)
})

test('the approval of an owner whose key is no longer kept finds the payout made, and makes no second one', async () => {
  const { anna, ben } = await crewed(service, { funds: FUNDS })
  const id = await ask(service, anna)
  await approve(service, ben, id)
  // Under another name it is as good as gone, and `verify` still knows what made the payout.
  await service.rows(`update idempotency_keys set key = 'pruned ' || $1 where key like '%' || $1 || '%'`, [id])
  const before = await payoutDigest(service)
  await assert.rejects(approve(service, ben, id), { status: 409, message: /already approved/ })
  assert.equal(await payoutDigest(service), before)
})

test('what the operator provably did not take may be approved once more, until it expires, and then it is sent once', async () => {
  const { anna, ben, live } = await crewed(service, { funds: FUNDS })
  const phone = newPayer()
  const id = await ask(service, anna, { phone })
  service.operator.onSubmit({ answer: 'refuse to serve' }, phone)
  await assert.rejects(approve(service, ben, id), { status: 503 })
  assert.equal(await availableOf(live), FUNDS, 'nothing was sent')
  assert.equal((await getPrepared(service.app, ben, id)).takenBack, true)
  const first = await madeBy(id)
  service.operator.onSubmit({ answer: 'accept' }, phone)
  service.pass(60_000)
  assert.equal((await approve(service, ben, id)).status, 201)
  assert.notEqual(await madeBy(id), first)
  await assert.rejects(approve(service, worker(ben, 'owner', 4), id), { status: 409 })
  assert.equal(await availableOf(live), FUNDS - 20_300)
})
