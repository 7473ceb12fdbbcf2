import assert from 'node:assert/strict'
import test from 'node:test'
import type { MerchantRole } from '../../../../src/api/access/actor.ts'
import { rejectPrepared, withdrawPrepared } from '../../../../src/payments/payouts/prepared/end-prepared.ts'
import { countPrepared, getPrepared, listPrepared } from '../../../../src/payments/payouts/prepared/find-prepared.ts'
import { sendUntilEnded } from '../../../helpers/payments/following-payouts.ts'
import { changedTables, startPayingService } from '../../../helpers/payments/payouts.ts'
import { approve, ask, crewed } from '../../../helpers/payments/preparing.ts'
import { availableOf } from '../../../helpers/payments/schedules.ts'
import { worker } from '../../../helpers/service/actors.ts'
import { DAY, newPayer } from '../../../helpers/service/live-service.ts'
import { openedAndVerified } from '../../../helpers/service/opened.ts'

const service = openedAndVerified(() => startPayingService())
const opened = () => service.app
const refused = (status: number, message: RegExp) => (error: any) => {
  assert.deepEqual([error.status, message.test(error.message)], [status, true], error.message)
  return true
}

test('a payout above the amount is prepared, moves nothing, and is sent when a second owner approves it', async () => {
  const { anna, ben, live } = await crewed(service)
  const before = await service.digest('prepared_payouts')
  const phone = newPayer()
  const id = await ask(service, anna, { amount: 20_000, phone, note: 'rent of July' })
  assert.match(id, /^prep_/)
  assert.deepEqual(changedTables(before, await service.digest('prepared_payouts')), [])
  const row = await getPrepared(opened(), ben, id)
  assert.deepEqual(
    [row.status, row.kind, row.amount, row.fees, row.recipients, row.note, row.madeName],
    ['prepared', 'payout', 20_000, 300, 1, 'rent of July', anna.name],
  )
  assert.equal(await countPrepared(opened(), ben, 10), 1)
  const { status, objectId } = await approve(service, ben, id)
  assert.equal(status, 201)
  const { body } = await live.get(`/v1/payouts/${objectId}`)
  assert.deepEqual(
    [body.amount, body.fee, body.recipient_phone, body.recipient_name, body.reference, body.kind],
    [20_000, 300, phone, 'Okot James', 'rent', 'payout'],
  )
  const after = await getPrepared(opened(), anna, id)
  assert.deepEqual([after.status, after.objectId, after.decidedName], ['approved', objectId, ben.name])
  assert.equal(await availableOf(live), 500_000 - 20_300)
  const acts = await service.rows<{ action: string; actor: string }>(
    `select action, actor from audit where subject in ($1, $2) order by id`,
    [id, objectId],
  )
  assert.deepEqual(acts.map(({ action, actor }) => [action, actor]).sort(), [
    ['payout.approve', ben.name],
    ['payout.create', ben.name],
    ['payout.prepare', anna.name],
  ])
})

test('up to the amount an owner sends alone, and without a rule any amount; an API key is not affected', async () => {
  const { anna, live } = await crewed(service)
  assert.match(await ask(service, anna, { amount: 10_000 }), /^pout_/)
  assert.match(await ask(service, anna, { amount: 10_001 }), /^prep_/)
  const body = { amount: 50_000, recipient: { phone: newPayer() } }
  assert.equal((await live.post('/v1/payouts', body)).status, 201)
  const free = await crewed(service, { above: null })
  assert.match(await ask(service, free.anna, { amount: 100_000 }), /^pout_/)
})

test('an accountant prepares every amount, and one owner is enough to approve it', async () => {
  const { anna, books } = await crewed(service, { above: null })
  const id = await ask(service, books, { amount: 500 })
  assert.match(id, /^prep_/)
  await assert.rejects(approve(service, books, id), refused(403, /your role \(accountant\) may not do this/))
  assert.match((await approve(service, anna, id)).objectId ?? '', /^pout_/)
})

test('the same form twice is prepared once, and the same approval twice is one payout', async () => {
  const { anna, ben, live } = await crewed(service)
  const form = { key: 'the same form', phone: newPayer() }
  const id = await ask(service, anna, form)
  assert.equal(await ask(service, anna, form), id)
  const first = await approve(service, ben, id)
  const again = await approve(service, ben, id)
  assert.equal(again.objectId, first.objectId)
  assert.equal((await live.get('/v1/payouts')).body.data.length, 1)
})

test('whoever prepared it approves nothing and rejects nothing, though an owner; nobody else withdraws it', async () => {
  const { anna, ben, live } = await crewed(service)
  const id = await ask(service, anna)
  const before = await service.digest()
  await assert.rejects(approve(service, anna, id), refused(403, /you prepared this yourself/))
  await assert.rejects(rejectPrepared(opened(), anna, { id, reason: null }), refused(403, /yourself/))
  await assert.rejects(
    withdrawPrepared(opened(), ben, { id, reason: null }),
    refused(403, /only the person who prepared/),
  )
  assert.equal(await service.digest(), before)
  assert.equal(await availableOf(live), 500_000)
})

test('what was rejected, withdrawn or has expired is never approved', async () => {
  const { anna, ben } = await crewed(service)
  const [rejected, withdrawn, expired, unswept] = [
    await ask(service, anna),
    await ask(service, anna),
    await ask(service, anna),
    await ask(service, anna),
  ] as [string, string, string, string]
  await rejectPrepared(opened(), ben, { id: rejected, reason: 'paid in cash' })
  await rejectPrepared(opened(), ben, { id: rejected, reason: 'paid in cash' })
  await withdrawPrepared(opened(), anna, { id: withdrawn, reason: null })
  await assert.rejects(approve(service, ben, rejected), refused(409, /was already rejected/))
  await assert.rejects(approve(service, ben, withdrawn), refused(409, /was already withdrawn/))
  await assert.rejects(
    withdrawPrepared(opened(), anna, { id: rejected, reason: null }),
    refused(409, /was already rejected/),
  )
  assert.equal((await getPrepared(opened(), anna, rejected)).reason, 'paid in cash')
  service.pass(7 * DAY - 1000)
  await service.run('expire-prepared')
  assert.equal((await getPrepared(opened(), anna, expired)).status, 'prepared')
  service.pass(1000)
  await assert.rejects(approve(service, ben, unswept), refused(409, /was already expired/))
  assert.equal(await service.run('expire-prepared'), 2)
  assert.equal((await getPrepared(opened(), anna, expired)).status, 'expired')
  await assert.rejects(approve(service, ben, expired), refused(409, /was already expired/))
  const states = await listPrepared(opened(), anna, {
    ...{ limit: 20, startingAfter: null, createdAfter: null, createdBefore: null },
    status: 'expired',
  })
  assert.deepEqual(states.data.map(({ id }) => id).sort(), [expired, unswept].sort())
  service.pass(-7 * DAY)
})

test('what the operation refuses is refused when it is prepared and again when it is approved, and then it still waits', async () => {
  const { anna, ben, live } = await crewed(service, { funds: 30_000 })
  await assert.rejects(ask(service, anna, { amount: 40_000 }), /insufficient available balance: have 30000, need 40600/)
  const id = await ask(service, anna, { amount: 20_000 })
  const spent = await live.post('/v1/payouts', { amount: 15_000, recipient: { phone: newPayer() } })
  assert.equal(spent.status, 201)
  const before = await service.digest()
  const poor = /insufficient available balance: have 14775, need 20300/
  await assert.rejects(approve(service, ben, id), refused(400, poor))
  await assert.rejects(approve(service, ben, id), refused(400, poor))
  assert.equal(await service.digest(), before)
  service.operator.refuses(spent.body.id)
  await sendUntilEnded(service, spent.body.id)
  assert.match((await approve(service, ben, id)).objectId ?? '', /^pout_/)
})

test('another merchant, the other mode and a made-up id see no prepared payout', async () => {
  const { anna } = await crewed(service)
  const other = await crewed(service)
  const id = await ask(service, anna)
  const strangers = [other.ben, { ...anna, mode: 'test' as const, personId: 9 }]
  for (const caller of strangers) {
    await assert.rejects(getPrepared(opened(), caller, id), refused(404, /prepared payout not found/))
    await assert.rejects(approve(service, caller, id), refused(404, /prepared payout not found/))
    for (const end of [rejectPrepared, withdrawPrepared])
      await assert.rejects(end(opened(), caller, { id, reason: null }), refused(404, /not found/))
  }
  await assert.rejects(getPrepared(opened(), anna, 'prep_nothing'), refused(404, /not found/))
})

test('A75: owners and accountants prepare, owners approve and reject; A73: the approval needs a fresh factor', async () => {
  const { anna, ben } = await crewed(service)
  const roles: readonly MerchantRole[] = ['developer', 'cashier', 'viewer']
  const id = await ask(service, anna)
  for (const role of roles) {
    const caller = worker(anna, role, 7)
    const no = refused(403, new RegExp(`your role \\(${role}\\) may not do this`))
    await assert.rejects(ask(service, caller), no)
    await assert.rejects(approve(service, caller, id), no)
    await assert.rejects(rejectPrepared(opened(), caller, { id, reason: null }), no)
    await assert.rejects(withdrawPrepared(opened(), caller, { id, reason: null }), no)
  }
  const stale = { ...ben, factorAgeMs: 5 * 60_000 + 1 }
  await assert.rejects(approve(service, stale, id), refused(403, /confirm this with your second factor first/))
  const held = { ...ben, heldUntil: new Date(service.clock.nowMs() + DAY) }
  await assert.rejects(approve(service, held, id), refused(403, /waits until/))
  assert.match((await approve(service, ben, id)).objectId ?? '', /^pout_/)
})
