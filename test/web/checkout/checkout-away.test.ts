import assert from 'node:assert/strict'
import test from 'node:test'
import { eventsOf } from '../../helpers/database/money-rows.ts'
import { succeed } from '../../helpers/payments/following-charges.ts'
import { newPayer, startLiveService } from '../../helpers/service/live-service.ts'
import { made, openedAndVerified } from '../../helpers/service/opened.ts'
import { formOf } from '../../helpers/web/browser.ts'
import { payShop } from '../../helpers/web/checkout-shop.ts'
import { cardNow, chargesOn } from '../../helpers/web/page-charges.ts'
import { applyCode, statusOf, visitor } from '../../helpers/web/paying-on-pages.ts'

const service = openedAndVerified(() => startLiveService())
const shop = made(() => payShop(service))

const AWAY: [string, () => void | Promise<void>, () => void | Promise<void>][] = [
  [
    'refuses to serve',
    () => service.operator.onSubmit({ answer: 'refuse to serve' }),
    () => service.operator.onSubmit({ answer: 'accept' }),
  ],
  [
    'bars our account',
    () => service.operator.onSubmit({ answer: 'bar the account' }),
    () => service.operator.onSubmit({ answer: 'accept' }),
  ],
  ['is not there', () => service.operator.shut(), () => service.operator.open()],
  ['is not ready', () => service.rail.ready('wait'), () => service.rail.ready('ready')],
]
for (const [what, goes, comes] of AWAY)
  test(`an operator that ${what} is reported with the form, 502; nothing is charged, link and card are free, and the same form pays later`, async () => {
    const link = await shop.link({ amount: 10_000 })
    const card = await shop.card(4000)
    const browser = visitor(service)
    const form = await applyCode(browser, link, card.code)
    const phone = newPayer()
    await goes()
    const refused = await browser.send(form, '/submit', { phone })
    assert.equal(refused.status, 502, refused.text)
    assert.deepEqual(
      [formOf(refused, '/submit').fields.phone, formOf(refused, '/apply-voucher').fields.remove],
      [phone, undefined],
    )
    assert.match(refused.text, /6,000/, 'the card is still applied')
    assert.deepEqual(await cardNow(service, card.id), [4000, 0, 0])
    for (const charge of await chargesOn(service, link)) {
      assert.notEqual(charge.voided_at, null)
      assert.equal((await shop.live.get(`/v1/charges/${charge.id}`)).status, 404)
      assert.deepEqual(await eventsOf(service, charge.id), [])
    }
    const told = await statusOf(service, link)
    assert.deepEqual([told.status, told.channel], ['pending', null])
    const again = await browser.send(form, '/submit', { phone })
    assert.equal(again.status, 502, 'the same form, loaded anew while the operator is away')
    await comes()
    const taken = await browser.send(form, '/submit', { phone })
    assert.equal(taken.location, `/pay/${link}/status`, taken.text)
    const open = (await chargesOn(service, link)).filter(({ voided_at }) => voided_at === null)
    assert.equal(open.length, 1)
    assert.equal(service.entryOf(open[0]?.id ?? '')?.amount, 6000)
    await succeed(service, open[0]?.id ?? '')
    assert.deepEqual(await cardNow(service, card.id), [0, 0, 4000])
  })
