import assert from 'node:assert/strict'
import test from 'node:test'
import { getMerchantNamed } from '../../../src/merchants/account/set-merchant.ts'
import { movableClock } from '../../../src/platform/time/clock.ts'
import { availableOf } from '../../helpers/payments/schedules.ts'
import { balanceOfSubaccount } from '../../helpers/payments/splits.ts'
import { assertRefused, oneJson, type Ran } from '../../helpers/service/command-line.ts'
import { newPayer } from '../../helpers/service/live-service.ts'
import { openedAndVerified } from '../../helpers/service/opened.ts'
import { payingRail } from '../../helpers/service/paying-rail.ts'
import { type Client, startService } from '../../helpers/service/test-service.ts'
import { commandsOn } from './commands-on.ts'

const clock = movableClock()
const operator = payingRail(clock)
const service = openedAndVerified(() => startService({ clock, liveRails: { op1_momo: operator } }))
const { run, json, runByItsClock } = commandsOn(service)

/** A merchant with 48,500 of its own and 50,000 in its subaccount, in each mode. */
async function farm(more: object = {}) {
  const merchant = await service.merchant({ verified: true })
  await service.set(merchant, { instantSettlement: true })
  const [api, live] = [service.client(merchant.keys.test), service.client(merchant.keys.live)]
  const { body } = await api.post('/v1/subaccounts', { name: 'Farm', payout_phone: '0772000111', ...more })
  const charge = { amount: 100_000, split: [{ subaccount: body.id, amount: 50_000 }] }
  for (const one of [api, live]) await one.charge({ ...charge, customer: { phone: newPayer() } })
  service.pass(60_000)
  await service.run('follow-charges')
  for (const one of [api, live])
    assert.deepEqual([await availableOf(one), await balanceOfSubaccount(one, body.id)], [48_500, [50_000, 0]])
  const { handle } = (await getMerchantNamed(service.gateway, merchant.id)).merchant
  const payOut = (amount: number, ...rest: string[]) =>
    run('subaccounts', 'payout', handle, '--subaccount', body.id, '--amount', `${amount}`, '--json', ...rest)
  return { handle, api, live, sub: body.id as string, payOut }
}

/** The same with a verified number for withdrawals. */
async function owner() {
  const own = await farm()
  await json('withdrawals', 'number', own.handle, '--phone', '0772 000 222')
  await json('withdrawals', 'verify-number', own.handle, '--phone', '0772 000 222')
  const request = (amount: number, ...rest: string[]) =>
    run('withdrawals', 'request', own.handle, '--amount', `${amount}`, '--json', ...rest)
  return { ...own, request }
}
const decide = (verb: string, id: string, ...rest: string[]) => run('withdrawals', verb, '--id', id, '--json', ...rest)
const payoutsOf = async (api: Client) => (await api.get('/v1/payouts?limit=100')).body.data

test('subaccounts payout pays a subaccount out, in test unless live is asked for', async () => {
  const own = await farm()
  const made = oneJson(await own.payOut(10_000))
  assert.deepEqual(made, (await own.api.get(`/v1/payouts/${made.id}`)).body)
  assert.deepEqual([made.kind, made.mode, made.recipient_phone], ['subaccount', 'test', '256772000111'])
  assert.deepEqual(await balanceOfSubaccount(own.api, own.sub), [39_800, 0])
  const live = oneJson(await own.payOut(20_000, '--mode', 'live'))
  assert.deepEqual([live.mode, live.status], ['live', 'pending'])
  assert.equal(operator.asked.filter(({ publicId }) => publicId === live.id).length, 0, 'the service sends it')
  service.pass(60_000)
  while ((await service.run('send-payouts')) > 0) service.pass(60_000)
  assert.deepEqual(
    operator.asked.filter(({ publicId }) => publicId === live.id).map(({ amount }) => amount),
    [20_000],
  )
  assert.equal((await own.live.get(`/v1/payouts/${live.id}`)).body.status, 'succeeded')
  assert.deepEqual(await balanceOfSubaccount(own.live, own.sub), [29_700, 0])
  assert.deepEqual([await availableOf(own.api), await availableOf(own.live)], [48_500, 48_500])
})

test('subaccounts payout with a key: five at once and one later make one payout and print the same', async () => {
  const own = await farm()
  const together = await Promise.all(Array.from({ length: 5 }, () => own.payOut(5000, '--key', 'k')))
  const [first, ...others] = together.map((ran) => oneJson(ran))
  for (const one of [...others, oneJson(await own.payOut(5000, '--key', 'k'))]) assert.deepEqual(one, first)
  assert.deepEqual(await balanceOfSubaccount(own.api, own.sub), [44_800, 0])
  const other = oneJson(await own.payOut(5000, '--key', 'another'))
  assert.notEqual(other.id, first.id)
})

test('a key makes the repeat harmless when the money is gone or the account has been stopped since', async () => {
  const own = await owner()
  const paid = oneJson(await own.payOut(40_000, '--key', 'k'))
  assert.deepEqual(oneJson(await own.payOut(40_000, '--key', 'k')), paid, 'the subaccount has 9,400 left')
  const waiting = oneJson(await own.request(40_000, '--key', 'k'))
  assert.deepEqual(oneJson(await own.request(40_000, '--key', 'k')), waiting, 'the merchant has 7,900 left')
  await json('payouts', 'freeze', '--merchant', own.handle, '--reason', 'drill')
  assert.deepEqual(oneJson(await own.request(40_000, '--key', 'k')), waiting, 'the account is frozen')
  assert.deepEqual([await availableOf(own.live), (await payoutsOf(own.live)).length], [7900, 1])
})

test('the same key with another amount is refused, it does not show another payout than was asked for', async () => {
  const own = await owner()
  oneJson(await own.payOut(5000, '--key', 'k'))
  assertRefused(await own.payOut(6000, '--key', 'k'), { code: 1, says: /idempotency key reused/ })
  oneJson(await own.request(5000, '--key', 'k'))
  assertRefused(await own.request(6000, '--key', 'k'), { code: 1, says: /idempotency key reused/ })
})

test('a key used in test answers nothing in live: a rehearsal is none', async () => {
  const own = await farm()
  const rehearsed = oneJson(await own.payOut(5000, '--key', 'july'))
  const real = oneJson(await own.payOut(5000, '--key', 'july', '--mode', 'live'))
  assert.deepEqual([rehearsed.mode, real.mode], ['test', 'live'])
  assert.deepEqual(await balanceOfSubaccount(own.live, own.sub), [44_800, 0])
})

test('a withdrawal is asked for, waits, is approved and sent once', async () => {
  const own = await owner()
  const made = oneJson(await own.request(20_000, '--key', 'w'))
  assert.deepEqual([made.kind, made.mode, made.status], ['withdrawal', 'live', 'pending'])
  assert.equal(made.recipient_phone, '256772000222')
  assert.deepEqual(await payoutsOf(own.live), [made])
  assert.deepEqual(oneJson(await own.request(20_000, '--key', 'w')), made)
  assert.equal(await availableOf(own.live), 48_500 - 20_300)
  await Promise.all([decide('approve', made.id), decide('approve', made.id)].map(async (ran) => oneJson(await ran)))
  service.pass(60_000)
  while ((await service.run('send-payouts')) > 0) service.pass(60_000)
  assert.equal(operator.asked.filter(({ publicId }) => publicId === made.id).length, 1)
  assert.equal(oneJson(await decide('approve', made.id)).status, 'succeeded')
  for (const verb of ['reject', 'cancel'])
    assertRefused(await decide(verb, made.id), { code: 1, says: /this withdrawal was already approved/ })
})

test('a withdrawal that is rejected or cancelled gives its money back and stays so', async () => {
  const own = await owner()
  for (const [verb, reason, rest] of [
    ['reject', 'rail_rejected', ['--note', 'name differs']],
    ['cancel', 'user_cancelled', []],
  ] as const) {
    const { id } = oneJson(await own.request(20_000))
    const ended = oneJson(await decide(verb, id, ...rest))
    assert.deepEqual([ended.status, ended.failure_reason], ['failed', reason])
    assert.deepEqual(oneJson(await decide(verb, id)), ended, 'a repeat changes nothing')
    assertRefused(await decide('approve', id), {
      code: 1,
      says: new RegExp(`already ${verb === 'reject' ? 'rejected' : 'cancelled'}`),
    })
    assert.equal(await availableOf(own.live), 48_500)
  }
  const notes = await service.rows(
    `select state, note from withdrawals w join cell_0.merchants m on m.id = w.merchant_id where m.handle = $1 order by state`,
    [own.handle],
  )
  assert.deepEqual(notes, [
    { state: 'cancelled', note: null },
    { state: 'rejected', note: 'name differs' },
  ])
})

test('approve and cancel typed at the same moment: one of them is carried out', async () => {
  const own = await owner()
  const { id } = oneJson(await own.request(5000))
  const ran = await Promise.all([decide('approve', id), decide('cancel', id)])
  assert.deepEqual(ran.map(({ code }) => code).sort(), [0, 1])
  const [loser] = ran.filter(({ code }) => code === 1) as [Ran]
  assertRefused(loser, { code: 1, says: /this withdrawal was already (approved|cancelled)/ })
})

test('a number is set, shown as not verified, verified, and verified anew when it changes', async () => {
  const { handle, request } = await owner()
  const number = (phone: string) => json('withdrawals', 'number', handle, '--phone', phone)
  assert.equal((await number('+256772000222')).verified, true)
  const other = await number('0772000333')
  assertRefused(await request(5000), { code: 1, says: /no verified withdrawal number/ })
  const verify = (...phone: string[]) => run('withdrawals', 'verify-number', handle, ...phone, '--json')
  const looked = await json('withdrawals', 'number', handle)
  assert.deepEqual(looked, other)
  await number('0772000444')
  const says = /the merchant has set another number meanwhile; look at it again/
  assertRefused(await verify('--phone', looked.phone), { code: 1, says })
  assertRefused(await request(5000), { code: 1, says: /no verified withdrawal number/ })
  await number('0772000333')
  assert.equal(oneJson(await verify('--phone', '0772 000 333')).verified, true)
  assertRefused(await request(5000), { code: 1, says: /number to withdraw to was changed/ })
  service.pass(25 * 3_600_000)
  const late = await runByItsClock('withdrawals', 'request', handle, '--amount', '5000', '--json')
  assert.equal(oneJson(late).recipient_phone, '256772000333')
})

test('subaccounts deactivate keeps a subaccount out of new splits until it is activated', async () => {
  const own = await farm()
  const set = (verb: string) => json('subaccounts', verb, own.handle, '--subaccount', own.sub)
  const charge = () => own.api.charge({ customer: { phone: newPayer() }, split: [{ subaccount: own.sub, amount: 1 }] })
  assert.deepEqual(await set('deactivate'), { id: own.sub, name: 'Farm', status: 'inactive' })
  assert.equal((await charge()).body.error, `invalid split: subaccount ${own.sub} is not active`)
  assert.equal((await own.api.get(`/v1/subaccounts/${own.sub}`)).body.status, 'inactive')
  assert.deepEqual(await set('activate'), { id: own.sub, name: 'Farm', status: 'active' })
  assert.equal((await charge()).status, 201)
})

test('what may not be is refused with exit code 1', async () => {
  const [own, stranger] = [await farm({ payout_phone: null }), await owner()]
  const { id } = oneJson(await stranger.request(5000))
  const foreign = id.replace(/^pout_...../, 'pout_zzzzz')
  const payout = oneJson(await stranger.payOut(1000))
  const cases: [string[], RegExp][] = [
    [['subaccounts', 'payout', own.handle, '--subaccount', own.sub, '--amount', '1000'], /no payout_phone/],
    [['subaccounts', 'payout', own.handle, '--subaccount', stranger.sub, '--amount', '1'], /subaccount not found/],
    [['subaccounts', 'payout', 'nobody', '--subaccount', own.sub, '--amount', '1'], /no merchant called/],
    [['subaccounts', 'deactivate', own.handle, '--subaccount', stranger.sub], /subaccount not found/],
    [['subaccounts', 'activate', own.handle, '--subaccount', 'sub_x'], /subaccount not found/],
    [['withdrawals', 'number', own.handle, '--phone', '77212345.0'], /phone number: a spreadsheet/],
    [['withdrawals', 'verify-number', own.handle, '--phone', '0772000222'], /withdrawal number not found/],
    [['withdrawals', 'verify-number', own.handle, '--phone', '12'], /phone is not a valid phone number/],
    [['withdrawals', 'number', own.handle], /withdrawal number not found/],
    [['withdrawals', 'request', own.handle, '--amount', '5000'], /no verified withdrawal number/],
    [['withdrawals', 'request', stranger.handle, '--amount', '4999'], /below the withdrawal minimum of 5000/],
    [['withdrawals', 'request', stranger.handle, '--amount', '90000'], /have 43300, need 91350/],
    [['withdrawals', 'approve', '--id', foreign], /no merchant called|not found/],
    [['withdrawals', 'approve', '--id', payout.id], /withdrawal not found/],
  ]
  const ran = await Promise.all(cases.map(([args]) => run(...args)))
  for (const [at, [, says]] of cases.entries()) assertRefused(ran[at] as Ran, { code: 1, says })
})

test('wrong usage is exit code 2', async () => {
  const handle = 'usage-shop'
  await service.merchant({ handle })
  const payout = ['subaccounts', 'payout', handle]
  const named = [...payout, '--subaccount', 'sub_x']
  const wrong = [
    ['subaccounts', 'payout'],
    [...payout, '--amount', '1000'],
    named,
    ...['0', '-1', '1.5', '9007199254740992'].map((amount) => [...named, `--amount=${amount}`]),
    [...named, '--amount', '1', '--mode', 'gold'],
    ['subaccounts', 'deactivate', handle],
    ['withdrawals', 'number', handle, '--phone'],
    ['withdrawals', 'verify-number', handle],
    ['withdrawals', 'request', handle],
    ['withdrawals', 'request', handle, '--amount', '0'],
    ['withdrawals', 'request', handle, '--amount', '5000', '--mode', 'test'],
    ['withdrawals', 'approve'],
    ['withdrawals', 'approve', '--id', 'x'],
    ['withdrawals', 'cancel', '--id', "pout_'; drop table payouts"],
    ['withdrawals', 'decide', '--id', 'x'],
  ]
  const ran = await Promise.all(wrong.map((args) => run(...args)))
  for (const one of ran) assertRefused(one, { code: 2, says: /./ })
})
