import assert from 'node:assert/strict'
import { test } from 'node:test'
import { getMerchantNamed } from '../../../src/merchants/account/set-merchant.ts'
import { openDispute } from '../../../src/selling/disputes/open-dispute.ts'
import { tokenOf } from '../../helpers/payments/approving.ts'
import { succeed } from '../../helpers/payments/following-charges.ts'
import { CUSTOMER } from '../../helpers/service/actors.ts'
import { newPayer, startLiveService } from '../../helpers/service/live-service.ts'
import { openedAndVerified } from '../../helpers/service/opened.ts'
import { operatorSignedIn } from '../../helpers/web/console.ts'
import { mainOf } from '../../helpers/web/dashboard.ts'

const HOUR_MS = 3_600_000
const service = openedAndVerified(() => startLiveService())
// Signed in anew: the tests move the clock by hours.
const support = () => operatorSignedIn(service, 'support')

/** A paid live charge with everything that it can be found by, and its operator's number. */
async function paidCharge() {
  const { merchant, live } = await service.shop({ name: 'Nakasero Fresh Foods' })
  const phone = newPayer()
  const reference = `order-${phone}`
  const email = `${phone}@buyer.example`
  const { body } = await live.charge({ reference, customer: { phone, email } })
  await succeed(service, body.id)
  const { rail_transaction_id: number, rail_reference: attempt } = (await live.get(`/v1/charges/${body.id}`)).body
  return { merchant, live, id: body.id as string, phone, reference, email, number, attempt }
}

test('a payment is found by every key that anybody may name, over all merchants', async () => {
  const operator = await support()
  const paid = await paidCharge()
  const { id: merchantId } = (await getMerchantNamed(service.gateway, paid.merchant.id)).merchant
  const report = { reason: 'other', details: null, contact: null } as const
  await openDispute(service.app, CUSTOMER, { merchantId, chargeId: paid.id, report })
  const [dispute] = await service.rows<{ id: string }>('select id from disputes where charge_id = $1', [paid.id])
  const [event] = await service.rows<{ id: string }>('select id from events where subject = $1', [paid.id])
  const local = `0${paid.phone.slice(3)}`
  const keys = [paid.id, paid.phone, local, paid.reference, paid.email.toUpperCase(), paid.number, paid.attempt]
  for (const key of [...keys, dispute?.id, event?.id]) {
    const found = await operator.get(`/console/search?q=${encodeURIComponent(` ${key} `)}`)
    assert.equal(found.location, `/console/payments/${paid.id}`, `${key}: ${mainOf(found)}`)
  }
  const named = await operator.get(`/console/search?q=${paid.merchant.handle}`)
  assert.equal(named.location, `/console/merchants/${paid.merchant.id}`)
})

test('what several payments share is a list of all of them, and what none has says so', async () => {
  const operator = await support()
  const first = await paidCharge()
  const other = await service.shop()
  const second = await other.test.charge({ reference: first.reference })
  const list = await operator.get(`/console/search?q=${first.reference}`)
  assert.equal(list.status, 200)
  for (const id of [first.id, second.body.id]) assert.match(list.text, new RegExp(`/console/payments/${id}"`))
  const nothing = await operator.get('/console/search?q=%3Cb%3Enothing')
  assert.equal(nothing.location, '/console/payments?q=%3Cb%3Enothing', 'it may be a part of something')
  assert.match(mainOf(await operator.get(nothing.location)), /No live payment fits/)
  assert.match(mainOf(await operator.get('/console/search')), /Whole texts are found over all merchants/)
})

test('the page of a payment shows its merchant, its story, the evidence, the ledger and the events', async () => {
  const operator = await support()
  const { id, attempt, merchant } = await paidCharge()
  const page = await operator.get(`/console/payments/${id}`)
  assert.equal(page.status, 200)
  const says = mainOf(page)
  for (const part of [
    'Nakasero Fresh Foods',
    attempt,
    'charge_net',
    'submit, answered accepted',
    'charge.succeeded',
    'Nobody has marked it.',
  ])
    assert.ok(says.includes(part), `${part} in ${says}`)
  assert.doesNotMatch(says, /Ask the operator now/)
  assert.ok(!page.text.includes(merchant.keys.live))
  for (const none of ['txn_00000zzzzzzzzzzzzzzzz', 'pout_x', 'nothing'])
    assert.equal((await operator.get(`/console/payments/${none}`)).status, 404, none)
})

test('a parked payment is listed by its age, asked about now, and followed to its end', async () => {
  const { live } = await service.shop()
  const { body } = await live.charge({ customer: { phone: newPayer() } })
  service.pass(7 * HOUR_MS)
  const operator = await support()
  const parked = await operator.get('/console/parked')
  assert.match(mainOf(parked), /6 to 24 hours: 1/)
  assert.match(parked.text, new RegExp(`/console/payments/${body.id}"`))
  assert.match(mainOf(await operator.get('/console/parked?side=disburse')), /No payment of this age waits/)
  assert.equal((await operator.get('/console/parked?age=never')).status, 400)
  await service.run('follow-charges')
  const [before] = await service.rows<{ follow_at: Date }>('select follow_at from charges where id = $1', [body.id])
  assert.ok(before && before.follow_at.getTime() > service.clock.nowMs() + 60_000, 'its next question is far off')
  service.operator.pays(body.id)
  const asked = await operator.send(await operator.get(`/console/payments/${body.id}`), '/ask')
  assert.equal(asked.location, `/console/payments/${body.id}`)
  service.pass(2000)
  await service.run('follow-charges')
  const page = await operator.get(`/console/payments/${body.id}`)
  assert.match(mainOf(page), /succeeded/)
  assert.match(mainOf(page), /Have the operator asked now: support-/)
  assert.doesNotMatch(mainOf(page), /Ask the operator now/)
  assert.match(mainOf(await operator.get('/console/parked?age=6h')), /No payment of this age waits/)
})

test('a payment is marked once at a time, and whoever ends the mark says what was found', async () => {
  const operator = await support()
  const { id } = await paidCharge()
  const address = `/console/payments/${id}`
  const page = await operator.get(address)
  const marked = await operator.send(page, '/mark', { says: 'The shop says twice.' })
  assert.equal(marked.location, address)
  const second = await operatorSignedIn(service, 'finance')
  const again = await second.send(page, '/mark', { says: 'Me too' }).catch(() => null)
  assert.equal(again?.status ?? 403, 403, 'a form of somebody else')
  assert.match(mainOf(await second.get('/console/parked')), /The shop says twice\./)
  const ended = await second.send(await second.get(address), '/unmark', { says: 'Once: the SMS came twice.' })
  assert.equal(ended.location, address)
  assert.match(mainOf(await second.get(address)), /Ended by finance-.*Once: the SMS came twice\./)
  const empty = await second.send(await second.get(address), '/mark', { says: ' ' })
  assert.equal(empty.status, 400)
  assert.deepEqual(
    (await service.rows<{ action: string }>('select action from audit where subject = $1 order by id', [id]))
      .map(({ action }) => action)
      .filter((action) => action === 'payment.mark').length,
    2,
  )
})

test('of two operators who mark a payment at once, one is told that it is marked already', async () => {
  const { id } = await paidCharge()
  const people = [await operatorSignedIn(service, 'risk'), await operatorSignedIn(service, 'finance')]
  const pages = await Promise.all(people.map((person) => person.get(`/console/payments/${id}`)))
  const sent = await Promise.all(
    people.map((person, nth) => person.send(pages[nth] as (typeof pages)[0], '/mark', { says: 'Look' })),
  )
  assert.deepEqual(sent.map(({ status }) => status).sort(), [303, 409])
  assert.match(mainOf(sent.find(({ status }) => status === 409) as (typeof sent)[0]), /marked already/)
})

test('an id that nobody has leads to no page, but to what can be looked for', async () => {
  const operator = await support()
  const { id } = await paidCharge()
  for (const slip of [`${id.slice(0, -1)}${id.endsWith('a') ? 'b' : 'a'}`, 'txn_aaaaabbbbbbbbbbbbbbbb']) {
    const found = await operator.get(`/console/search?q=${slip}`)
    assert.equal(found.status, 200, found.location)
    assert.match(mainOf(found), new RegExp(`Nothing is called ${slip}`))
  }
})

test('what has ended meanwhile, or has no operator, is not asked about, and nothing is written', async () => {
  const { live, test: sandbox } = await service.shop()
  const operator = await support()
  const { body } = await live.charge({ customer: { phone: newPayer() } })
  const page = await operator.get(`/console/payments/${body.id}`)
  await succeed(service, body.id)
  const { body: tried } = await sandbox.charge()
  const before = await service.digest()
  const late = await operator.send(page, '/ask')
  assert.equal(late.status, 400, mainOf(late))
  assert.match(mainOf(late), /this payment does not wait for an answer of its operator/)
  const tester = await operator.post(`/console/payments/${tried.id}/ask`, await tokenOf(operator))
  assert.equal(tester.status, 400, mainOf(tester))
  assert.equal(await service.digest(), before)
  const acts = await service.rows('select 1 from audit where subject = any($1)', [[body.id, tried.id]])
  assert.deepEqual(acts, [])
})
