import assert from 'node:assert/strict'
import test from 'node:test'
import { forecastRuns, type PlannedSchedule } from '../../../../src/payments/scheduled-payouts/forecast.ts'
import { parseRecipientLines } from '../../../../src/payments/scheduled-payouts/recipient-lines.ts'
import { formatPhone } from '../../../../src/platform/text/phone.ts'
import { succeed } from '../../../helpers/payments/following-charges.ts'
import { makeSchedule } from '../../../helpers/payments/making-schedules.ts'
import { richShop, startPayingService } from '../../../helpers/payments/payouts.ts'
import { payer } from '../../../helpers/payments/schedules.ts'
import { balanceOfSubaccount } from '../../../helpers/payments/splits.ts'
import { newPayer } from '../../../helpers/service/live-service.ts'
import { openedAndVerified } from '../../../helpers/service/opened.ts'
import { formOf, hasForm } from '../../../helpers/web/browser.ts'
import { mainOf, signedInAs } from '../../../helpers/web/dashboard.ts'

const service = openedAndVerified(() => startPayingService())
const PAYROLL = '/dashboard/payroll'
const SUBACCOUNTS = '/dashboard/subaccounts'
const LIMITS = '/dashboard/settings/limits'

test('recipients are read line by line, and every wrong line is named', () => {
  const read = parseRecipientLines(
    'phone,name\n0700000000, Akello Grace\r\n\n+256 700 000 001\n0700000002,"Okot, James"',
  )
  assert.deepEqual(read, [
    { phone: '256700000000', name: 'Akello Grace' },
    { phone: '256700000001' },
    { phone: '256700000002', name: 'Okot, James' },
  ])
  assert.deepEqual(parseRecipientLines('\u2068+256\u00a0700\u2011000\u200b003\u2069,Okot'), [
    { phone: '256700000003', name: 'Okot' },
  ])
  assert.equal(parseRecipientLines('0700000000,Akello\r,,\r0700000001;Okot\r;').length, 2)
  const wrong = Array.from({ length: 7 }, () => 'nobody,x').join('\n')
  assert.throws(() => parseRecipientLines(`0700000000\n${wrong}`), /lines 2, 3, 4, 5, 6 and 2 more/)
  const byPandas = '0700000000\n772123456.0,Akello\n77212345.0,Okot'
  assert.throws(() => parseRecipientLines(byPandas), /lines 2, 3: write a phone.*: a spreadsheet/)
  assert.throws(() => parseRecipientLines(' \n '), /write one line for each/)
  for (const list of [
    'sep=;\nName;Tel\nAkello, Grace;0700000003',
    'No\tNames\tMobile Number\n1\tAkello, Grace\t0700000003',
    'Akello Grace|0700000003',
  ])
    assert.deepEqual(
      parseRecipientLines(list.replace(/, (?=.*;)/, ' ').replace(', ', ' ')),
      [{ phone: '256700000003', name: 'Akello Grace' }],
      list,
    )
  assert.throws(() => parseRecipientLines(Array(1001).fill('0700000000').join('\n')), /at most 1000/)
})

test('the forecast counts every cycle to come in the Kampala calendar, and tells when the money ends', () => {
  const at = (text: string) => new Date(`${text}T05:00:00Z`)
  const one = (over: Partial<PlannedSchedule>): PlannedSchedule => ({
    ...{ id: 'spo_a', status: 'active', name: null, amount: 10_000, interval: 'monthly', people: 2 },
    ...{ anchorAt: at('2026-01-31'), nextRunAt: at('2026-01-31') },
    ...over,
  })
  const weekly = one({
    id: 'spo_b',
    interval: 'weekly',
    amount: 500,
    anchorAt: at('2026-02-20'),
    nextRunAt: at('2026-02-20'),
  })
  const paused = one({ id: 'spo_c', status: 'paused' })
  const runs = forecastRuns([one({}), weekly, paused], { available: 45_000, until: at('2026-03-05') })
  assert.deepEqual(
    runs.map((run) => [run.scheduleId, run.at.toISOString().slice(0, 10), run.amount, run.fees, run.after]),
    [
      ['spo_a', '2026-01-31', 20_000, 400, 24_600],
      ['spo_b', '2026-02-20', 1000, 400, 23_200],
      ['spo_b', '2026-02-27', 1000, 400, 21_800],
      ['spo_a', '2026-02-28', 20_000, 400, 1400],
    ],
  )
  assert.deepEqual(
    forecastRuns([weekly], { available: 100, until: at('2026-02-20') }).map(({ after }) => after),
    [-1300],
  )
  const endless = one({ interval: 'daily' })
  assert.equal(forecastRuns([endless], { available: 0, until: at('2036-01-01') }).length, 200)
})

test('payroll: a schedule from lines, its forecast, pause, go on, cancel, and its cycles', async () => {
  const { merchant } = await richShop(service, 100_000)
  const anna = await signedInAs(service, merchant)
  assert.match(mainOf(await anna.get(PAYROLL)), /No schedules yet/)
  const bad = await makeSchedule(anna, { recipients: '0700000000,ok\nnobody,Okot' })
  assert.equal(bad.status, 400)
  assert.match(mainOf(bad), /recipients: line 2: write a phone/)
  const made = await makeSchedule(anna)
  const shown = await anna.follow(made)
  assert.match(mainOf(shown), /Wages runs.*One cycle needs UGX 10,400.*6 Jan 2031, 09:30/)
  assert.match(mainOf(shown), /It has not run yet/)
  const paused = await anna.follow(await anna.send(shown, '/pause'))
  assert.match(mainOf(paused), /Paused\. Nobody is paid/)
  const resumed = await anna.follow(await anna.send(paused, '/resume'))
  assert.match(mainOf(resumed), /active/)
  const now = await anna.follow(await makeSchedule(anna, { name: 'Now', start: '', cap: '6000' }))
  assert.doesNotMatch(mainOf(await anna.get('/dashboard')), /is missing for the payroll/)
  const large = await anna.follow(await makeSchedule(anna, { name: 'Too much', amount: '90,000', start: '' }))
  assert.match(mainOf(await anna.get('/dashboard')), /is missing for the payroll of/)
  await anna.send(large, '/cancel')
  const list = mainOf(await anna.get(PAYROLL))
  assert.match(list, /What comes next.*There is not enough for the cycle|What comes next.*There is enough for all/)
  await service.run('run-schedules')
  const id = /spo_\w+/.exec(now.text)?.[0] ?? ''
  assert.match(mainOf(await anna.get(`${PAYROLL}/${id}`)), /Cycles so far.*2 UGX 10,000 UGX 400 0 of 2 arrived/)
  const cancelled = await anna.follow(await anna.send(now, '/cancel'))
  assert.match(mainOf(cancelled), /Cancelled/)
  assert.doesNotMatch(cancelled.text, /\/(?:pause|resume|cancel)[#"]/)
  assert.match(mainOf(await makeSchedule(anna, { cap: '100' })), /exceeds the per-recipient cap|must be at/)
})

test('an accountant prepares a schedule; strangers and other modes find none', async () => {
  const { merchant } = await richShop(service)
  const [anna, books] = [
    await signedInAs(service, merchant),
    await signedInAs(service, merchant, { role: 'accountant' }),
  ]
  const prepared = await books.follow(await makeSchedule(books))
  assert.match(mainOf(prepared), /The schedule is prepared.*Every week First time 6 Jan 2031, 09:30.*Akello Grace/)
  const id = /prep_\w+/.exec(prepared.text)?.[0] ?? ''
  const done = await anna.follow(await anna.send(await anna.get(`/dashboard/payouts/prepared/${id}`), '/approve'))
  const schedule = /spo_\w+/.exec(done.text)?.[0] ?? ''
  assert.match(mainOf(done), new RegExp(`Wages runs ${schedule}`))
  const stranger = await signedInAs(service, (await richShop(service)).merchant)
  assert.equal((await stranger.get(`${PAYROLL}/${schedule}`)).status, 404)
  assert.equal((await anna.get(`/dashboard/test/payroll/${schedule}`)).status, 404)
  const viewer = await signedInAs(service, merchant, { role: 'viewer' })
  assert.doesNotMatch((await viewer.get(`${PAYROLL}/${schedule}`)).text, /\/(?:pause|resume|cancel)[#"]/)
})

test('subaccounts: make one, see its balance, pay out to its phone once, switch it off and on', async () => {
  const shop = await payer(service)
  const anna = await signedInAs(service, shop.merchant)
  const base = '/dashboard/test/subaccounts'
  const made = await anna.follow(
    await anna.send(await anna.get(`${base}/new`), '/new', { name: 'Farm B', phone: '0700000000' }),
  )
  const id = /sub_\w+/.exec(made.text)?.[0] ?? ''
  assert.match(mainOf(made), /Farm B active.*Available UGX 0/)
  const charge = await shop.api.charge({ amount: 20_000, split: [{ subaccount: id, amount: 10_000 }] })
  assert.equal(charge.status, 201, charge.text)
  service.pass(3000)
  await service.run('follow-charges')
  await service.run('settle-charges')
  const funded = await anna.get(`${base}/${id}`)
  assert.match(mainOf(funded), /Available UGX 10,000/)
  const poor = await anna.send(funded, '/pay-out', { amount: '10,000' })
  assert.match(mainOf(poor), /insufficient available balance/)
  const paid = await anna.send(funded, '/pay-out', { amount: '5,000' })
  assert.match(mainOf(await anna.follow(paid)), /subaccount/)
  assert.equal((await anna.send(funded, '/pay-out', { amount: '5,000' })).location, paid.location)
  assert.match(mainOf(await anna.get(`${base}/${id}`)), /Available UGX 4,800/)
  const off = await anna.follow(await anna.send(funded, '/deactivate'))
  assert.match(mainOf(off), /inactive/)
  assert.match(mainOf(await anna.follow(await anna.send(off, '/activate'))), /Splits may name it again/)
  const stranger = await signedInAs(service, (await richShop(service)).merchant)
  assert.equal((await stranger.get(`${SUBACCOUNTS}/${id}`)).status, 404)
})

test('limits: a stricter rule holds at once, a weaker one when a second owner agrees on the page', async () => {
  const { merchant } = await richShop(service)
  const [anna, ben] = [await signedInAs(service, merchant), await signedInAs(service, merchant)]
  const first = await anna.follow(await anna.send(await anna.get(LIMITS), '/checker', { above: '50,000' }))
  assert.match(mainOf(first), /Set\. It holds now\..*More than UGX 50,000 needs a second person/)
  const wished = await anna.follow(await anna.send(first, '/off'))
  assert.match(mainOf(wished), /asks for no second person at all/)
  assert.doesNotMatch(wished.text, /\/agree[#"]/)
  const seen = await ben.get(LIMITS)
  const agreed = await ben.follow(await ben.send(seen, '/agree'))
  assert.match(mainOf(agreed), /No second person is needed now/)
  const late = await ben.send(seen, '/drop')
  assert.equal(late.status, 303)
  for (const role of ['accountant', 'viewer'] as const)
    assert.doesNotMatch((await (await signedInAs(service, merchant, { role })).get(LIMITS)).text, /\/checker/)
})

test('above the amount of the rule a subaccount is paid out by two people: the form prepares it, and another owner sends it once', async () => {
  const { merchant, live } = await richShop(service, 500_000)
  const [anna, ben] = [await signedInAs(service, merchant), await signedInAs(service, merchant)]
  await anna.send(await anna.get(LIMITS), '/checker', { above: '10,000' })
  const phone = newPayer()
  const { id: farm } = (await live.post('/v1/subaccounts', { name: 'Farm', payout_phone: phone })).body
  const split = [{ subaccount: farm, amount: 100_000 }]
  const { body: charge } = await live.charge({ amount: 200_000, customer: { phone: newPayer() }, split })
  await succeed(service, charge.id)
  const path = `${SUBACCOUNTS}/${farm}`
  const payoutsOf = async () => (await live.get('/v1/payouts')).body.data.map(({ amount }: any) => amount)
  const before = await balanceOfSubaccount(live, farm)
  const form = await anna.get(path)
  const alone = await anna.send(form, '/pay-out', { amount: '10,000' })
  assert.match(alone.location, /\/payouts\/pout_/, 'the amount itself is not above it')
  const asked = await anna.send(await anna.get(path), '/pay-out', { amount: '40,000' })
  assert.match(asked.location, /\/payouts\/prepared\/prep_/)
  const left = [(before[0] ?? 0) - 10_200, before[1]]
  assert.deepEqual(await balanceOfSubaccount(live, farm), left, 'nothing is reserved')
  const own = await anna.follow(asked)
  assert.match(mainOf(own), /The payout is prepared\. .*You prepared this/)
  assert.equal(hasForm(own, '/approve'), false)
  const shown = await ben.get(asked.location)
  assert.match(mainOf(shown), /From the subaccount Farm Available now UGX 89,800/, "its money, not the shop's")
  assert.match(mainOf(shown), new RegExp(`Together UGX 40,600 .*${formatPhone(phone)} not asked yet Farm UGX 40,000`))
  const forged = await anna.post(`${asked.location}/approve`, formOf(own, '/withdraw').fields)
  assert.equal(forged.status, 403, mainOf(forged))
  assert.deepEqual(await payoutsOf(), [10_000])
  const sent = await ben.send(shown, '/approve')
  assert.match(sent.location, /\/payouts\/pout_/, mainOf(sent))
  assert.equal((await ben.send(shown, '/approve')).location, sent.location)
  assert.deepEqual(await payoutsOf(), [40_000, 10_000])
  assert.deepEqual(await balanceOfSubaccount(live, farm), [(left[0] ?? 0) - 40_600, left[1]])
})
