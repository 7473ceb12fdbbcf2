import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseRecipientLines } from '../../../src/payments/scheduled-payouts/recipient-lines.ts'
import { richShop, startPayingService } from '../../helpers/payments/payouts.ts'
import { newPayer } from '../../helpers/service/live-service.ts'
import { openedAndVerified } from '../../helpers/service/opened.ts'
import { makeOrder, registerMachines } from '../../helpers/vending/vending.ts'
import { formOf } from '../../helpers/web/browser.ts'
import { payShopOf } from '../../helpers/web/checkout-shop.ts'
import { mainOf, type Planted, signedInAs } from '../../helpers/web/dashboard.ts'
import { visitor } from '../../helpers/web/paying-on-pages.ts'

const service = openedAndVerified(() => startPayingService())
const LANDLINES = ['0414 123 456', '+256 312 123456', '0392123456', '256485123456']
const SAYS = /a landline, which has no mobile money\. Write a mobile number/

test('each page on which the phone of a wallet is typed refuses a landline beside the field, and asks and stores nothing', async () => {
  const shop = await richShop(service)
  const owner = await signedInAs(service, shop.merchant)
  const before = await service.digest()
  const prompts = service.operator.submits()
  const forms: readonly [page: string, form: string, typed: Record<string, string>][] = [
    ['/ask', '/ask', { amount: '5,000' }],
    ['/test/ask', '/ask', { amount: '5,000' }],
    ['/wallet/top-ups', '/request', { amount: '20,000' }],
    ['/wallet/withdrawals', '/number', {}],
    ['/payouts/new', '/check', { amount: '5,000' }],
    ['/test/payouts/new', '/check', { amount: '5,000' }],
    ['/subaccounts/new', '/new', { name: 'Branch' }],
  ]
  for (const [nth, [page, form, typed]] of forms.entries()) {
    const phone = LANDLINES[nth % LANDLINES.length] ?? ''
    const refused = await owner.send(await owner.get(`/dashboard${page}`), form, { ...typed, phone })
    assert.equal(refused.status, 400, page)
    assert.match(/<p class="wrong" id="[^"]*-phone-fault">(.*?)<\/p>/s.exec(refused.text)?.[1] ?? '', SAYS, page)
    assert.equal(formOf(refused, form).fields.phone, phone)
  }
  assert.equal(await service.digest(), before)
  assert.equal(service.operator.submits(), prompts)
})

test('a list of payouts names each line with a landline and pays the others; recipients of a schedule are refused by line', async () => {
  const shop = await richShop(service)
  const owner = await signedInAs(service, shop.merchant)
  const lines = `phone,amount\n${newPayer()},5000\n0414123456,6000\n${newPayer()},7000\n`
  const preview = await owner.follow(await pasted(owner, lines))
  assert.match(mainOf(preview), /Would be paid 2 Amount UGX 12,000/)
  assert.match(mainOf(preview), /line 3 0414123456 .*is a landline, which has no mobile money/)
  const schedule = { amount: '5,000', interval: 'monthly', recipients: `${newPayer()},Ann\n0414123456,Ben\n` }
  const form = await owner.get('/dashboard/payroll/new')
  const refused = await owner.send(form, '/check', schedule)
  assert.match(mainOf(refused), /recipients: line 2: a landline has no mobile money; write a mobile number/)
  assert.throws(() => parseRecipientLines('0414123456,A\n0772123456,B\n0312123456,C'), /lines 1, 3: a landline/)
})

const pasted = async (owner: Planted, lines: string) =>
  owner.send(await owner.get('/dashboard/bulk'), '/paste', { lines })

test('a customer reads in each language that a landline cannot pay: on a link, in test mode, at a machine and from the storefront', async () => {
  const shop = await payShopOf(service, await service.shop())
  await service.set(shop.merchant, { vendingEnabled: true })
  await registerMachines(service, shop.row.id, ['M-1'])
  const order = await makeOrder({ api: shop.test })
  const fromStorefront = await visitor(service).post(`/pay/@${shop.handle}/pay`, { amount: '3,000' })
  const links = [await shop.link(), await shop.testLink(), order.order_id, fromStorefront.location.split('/').at(-1)]
  const before = await service.digest()
  const prompts = service.operator.submits()
  for (const [nth, link] of links.entries())
    for (const [language, says] of [
      ['en', /This is a landline, which has no mobile money\. Write a mobile number/],
      ['lg', /Eno nnamba ya landline, tebaako mobile money/],
      ['sw', /Hii ni simu ya mezani/],
    ] as const) {
      const browser = visitor(service)
      const phone = LANDLINES[nth] ?? ''
      const refused = await browser.send(await browser.get(`/pay/${link}?lang=${language}`), '/submit', { phone })
      assert.equal(refused.status, 400, refused.text)
      assert.match(/id="phone-fault".*?<span>(.*?)<\/span>/s.exec(refused.text)?.[1] ?? '', says)
      assert.equal(formOf(refused, '/submit').fields.phone, phone)
    }
  assert.equal(await service.digest(), before)
  assert.equal(service.operator.submits(), prompts)
})

test('the API takes a landline in both modes as its contract says, and numbers of new ranges are refused nowhere', async () => {
  const shop = await payShopOf(service, await service.shop())
  for (const api of [shop.live, shop.test]) {
    const made = await api.charge({ amount: 5000, customer: { phone: '0414123456' } })
    assert.equal(made.status, 201, made.text)
  }
  const browser = visitor(service)
  for (const phone of ['0739123456', '0390123456', '0200123456', '+441214960000']) {
    const sent = await browser.send(await browser.get(`/pay/${await shop.testLink()}`), '/submit', { phone })
    assert.equal(sent.status, 302, phone)
  }
})
