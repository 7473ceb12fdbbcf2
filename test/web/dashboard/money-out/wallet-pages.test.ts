import assert from 'node:assert/strict'
import test from 'node:test'
import { freezeAccount } from '../../../../src/merchants/account/payout-freeze.ts'
import { getMerchantNamed } from '../../../../src/merchants/account/set-merchant.ts'
import { verifyWithdrawalNumber } from '../../../../src/payments/withdrawals/withdrawal-number.ts'
import { pay, richShop, startPayingService } from '../../../helpers/payments/payouts.ts'
import { availableOf } from '../../../helpers/payments/schedules.ts'
import { BY_HAND } from '../../../helpers/service/actors.ts'
import { newPayer } from '../../../helpers/service/live-service.ts'
import { openedAndVerified } from '../../../helpers/service/opened.ts'
import { formOf } from '../../../helpers/web/browser.ts'
import { mainOf, signedInAs } from '../../../helpers/web/dashboard.ts'

const service = openedAndVerified(() => startPayingService())
const BASE = '/dashboard/wallet'

test('the wallet tells every movement in plain words with the balance behind it', async () => {
  const { merchant, live } = await richShop(service, 50_000)
  const anna = await signedInAs(service, merchant)
  const { body } = await pay(live, { recipient: { phone: newPayer() } })
  const shown = await anna.get(BASE)
  assert.match(mainOf(shown), /Set aside for a payout, with its fee pout_\w+ −UGX 5,200 UGX 44,800/)
  assert.match(shown.text, new RegExp(`/dashboard/payouts/${body.id}"`))
  assert.match(mainOf(shown), /Available UGX 44,800/)
  assert.match(mainOf(await anna.get(`${BASE}?account=in_flight`)), /\+UGX 5,200 UGX 5,200/)
  for (const wrong of ['after=x', 'before=-1', 'account=fees', 'after=99999999999999999999'])
    assert.equal((await anna.get(`${BASE}?${wrong}`)).status, 200, wrong)
  const stranger = await signedInAs(service, (await richShop(service)).merchant)
  assert.ok(!(await stranger.get(BASE)).text.includes(body.id))
  assert.match(mainOf(await anna.get('/dashboard/test/wallet')), /Nothing has moved here yet/)
})

test('what stops payouts is told with its reason, never with words of ours', async () => {
  const { merchant } = await richShop(service)
  const anna = await signedInAs(service, merchant)
  const found = await getMerchantNamed(service.gateway, merchant.id)
  const merchantId = found.merchant.id
  await freezeAccount(found.app, BY_HAND, { merchantId, reason: 'secret of the staff' })
  const frozen = mainOf(await anna.get(BASE))
  assert.match(frozen, /Payouts of this account were stopped by our staff.*payouts are paused on this account/)
  assert.doesNotMatch(frozen, /secret of the staff/)
  await freezeAccount(found.app, BY_HAND, { merchantId, reason: null })
  assert.doesNotMatch(mainOf(await anna.get(BASE)), /stopped by our staff/)
})

test('statements are downloaded as JSON and PDF, the same bytes as over the API', async () => {
  const { merchant, live } = await richShop(service)
  const anna = await signedInAs(service, merchant)
  const page = await anna.get(`${BASE}/statements`)
  const month = /statements\/(\d{4}-\d{2})"/.exec(page.text)?.[1] ?? ''
  const json = await anna.get(`${BASE}/statements/${month}`)
  assert.equal(json.status, 200)
  assert.match(
    json.headers.get('content-disposition') ?? '',
    new RegExp(`attachment; filename="statement-.*-live-${month}\\.json"`),
  )
  const { generated_at: _own, ...body } = json.body
  const { generated_at: _api, ...overApi } = (await live.get(`/v1/statements/${month}`)).body
  assert.deepEqual(body, overApi)
  const pdf = await anna.get(`${BASE}/statements/${month}.pdf`)
  assert.equal(pdf.headers.get('content-type'), 'application/pdf')
  assert.match(pdf.text, /^%PDF-/)
  for (const wrong of ['2026-13', 'x', '2026-07.exe'])
    assert.equal((await anna.get(`${BASE}/statements/${wrong}`)).status, 400, wrong)
  assert.match(mainOf(await anna.get(`${BASE}/settlements`)), /Settlements/)
})

test('a withdrawal: the number, the staff, the request once, and back again; test money cannot', async () => {
  const { merchant, live } = await richShop(service, 50_000)
  const anna = await signedInAs(service, merchant)
  const path = `${BASE}/withdrawals`
  const numbered = await anna.follow(await anna.send(await anna.get(path), '/number', { phone: '0700000009' }))
  assert.match(mainOf(numbered), /256700000009 waits for our staff/)
  assert.doesNotMatch(numbered.text, /\/request[#"]/)
  const { merchant: row, app } = await getMerchantNamed(service.gateway, merchant.id)
  await verifyWithdrawalNumber(app, BY_HAND, { merchantId: row.id, phone: '0700000009' })
  const ready = await anna.get(path)
  assert.match(
    mainOf(ready),
    /You have UGX 50,000\. At least UGX 5,000.*Everything UGX 49,262 reaches you, the fee is UGX 738/,
  )
  assert.equal(formOf(await anna.get(`${path}?amount=all`), '/request').fields.amount, '49262')
  const poor = await anna.send(ready, '/request', { amount: '60,000' })
  assert.match(mainOf(poor), /insufficient available balance/)
  const asked = await anna.send(ready, '/request', { amount: '20,000' })
  assert.equal(asked.status, 303)
  assert.equal((await anna.send(ready, '/request', { amount: '20,000' })).status, 303)
  assert.equal(await availableOf(live), 50_000 - 20_300)
  const waiting = await anna.follow(asked)
  assert.match(mainOf(waiting), /waiting for our approval/)
  const back = await anna.follow(await anna.send(waiting, '/cancel'))
  assert.match(mainOf(back), /Taken back/)
  assert.equal(await availableOf(live), 50_000)
  assert.match(mainOf(await anna.get('/dashboard/test/wallet/withdrawals')), /Test money cannot be withdrawn/)
  for (const role of ['developer', 'cashier', 'accountant', 'viewer'] as const)
    assert.doesNotMatch(
      (await (await signedInAs(service, merchant, { role })).get(path)).text,
      /\/(?:number|request|cancel)[#"]/,
    )
})

test('a top-up asks the phone once and is followed until it ends; strangers find nothing', async () => {
  const { merchant, live } = await richShop(service, 10_000)
  const anna = await signedInAs(service, merchant)
  const path = `${BASE}/top-ups`
  const phone = newPayer()
  const form = await anna.get(path)
  const sent = await anna.send(form, '/request', { amount: '30,000', phone })
  assert.equal((await anna.send(form, '/request', { amount: '30,000', phone })).location, sent.location)
  const shown = await anna.follow(sent)
  assert.match(mainOf(shown), /The phone is asked/)
  const stranger = await signedInAs(service, (await richShop(service)).merchant)
  assert.equal((await stranger.get(sent.location)).status, 404)
  assert.equal((await anna.get(sent.location.replace('/dashboard/', '/dashboard/test/'))).status, 404)
  service.operator.pays(phone)
  for (let look = 0; look < 20 && (await availableOf(live)) === 10_000; look += 1) {
    service.pass(10_000)
    await service.run('follow-top-ups')
  }
  assert.equal(await availableOf(live), 40_000)
  assert.match(mainOf(await anna.get(sent.location)), /succeeded/)
  assert.match(mainOf(await anna.get(path)), /UGX 30,000/)
})
