import assert from 'node:assert/strict'
import { succeed } from '../../helpers/payments/following-charges.ts'
import { newPayer, startLiveService } from '../../helpers/service/live-service.ts'
import { openedAndVerified, prepare } from '../../helpers/service/opened.ts'
import { longTest, test } from '../../helpers/service/parts.ts'
import { hasForm, type Page, untilServed } from '../../helpers/web/browser.ts'
import { type PayShop, payShop } from '../../helpers/web/checkout-shop.ts'
import { chargesOn } from '../../helpers/web/page-charges.ts'
import { applyCode, visitor } from '../../helpers/web/paying-on-pages.ts'

let shops: PayShop[]
const service = openedAndVerified(() =>
  startLiveService({ env: { CHECKOUT_PROMPTS_PER_PHONE: '3', TRUSTED_PROXIES: '1' } }),
)
prepare(async () => {
  shops = await Promise.all(Array.from({ length: 4 }, () => payShop(service)))
})

const SECOND = 1000
let made = 0

/** A new live link, each time of a new merchant. */
const newLink = () => {
  made += 1
  return (shops[made % shops.length] as PayShop).link({ allow_multiple_uses: made % 3 === 0 })
}
/** A payment with this phone on a new link, by a new visitor. */
async function ask(phone: string, link?: string): Promise<Page> {
  const id = link ?? (await newLink())
  return untilServed(() => visitor(service).post(`/pay/${id}/submit`, { channel: 'op1_momo', phone }))
}
const promptsOf = (phone: string) => [...service.operator.book.values()].filter((entry) => entry.phone === phone).length
const chargeOf = async (page: Page) => {
  const link = page.location.split('/')[2] ?? ''
  return (await chargesOn(service, link)).at(-1)?.id ?? ''
}
async function assertRefused(phone: string): Promise<void> {
  const before = promptsOf(phone)
  const link = await newLink()
  const digest = await service.digest()
  const page = await ask(phone, link)
  assert.deepEqual([page.status, hasForm(page, '/submit')], [429, true], page.text)
  assert.equal(await service.digest(), digest, 'nothing is written')
  assert.equal(promptsOf(phone), before)
}

test('while a phone may have an open prompt, no page of any merchant sends it another', async () => {
  const phone = newPayer()
  assert.equal((await ask(phone)).status, 302)
  await assertRefused(phone)
  for (const form of [`+${phone}`, `0${phone.slice(3)}`, ` ${phone.slice(0, 6)} ${phone.slice(6)} `])
    await assertRefused(form).catch((error) => assert.fail(`${form}: ${error.message}`))
  service.pass(70 * SECOND) // Meanwhile the clock moves on.
  await assertRefused(phone)
  service.pass(21 * SECOND)
  assert.equal((await ask(phone)).status, 302)
  assert.equal(promptsOf(phone), 2)
})

test('a phone gets at most three unpaid prompts in ten minutes, however they ended', async () => {
  const phone = newPayer()
  for (const nth of [1, 2, 3]) {
    const page = await ask(phone)
    assert.equal(page.status, 302, `${nth}`)
    if (nth === 2) service.operator.refuses(phone)
    service.pass(100 * SECOND)
    await service.run('follow-charges')
  }
  await assertRefused(phone)
  service.pass(290 * SECOND)
  await assertRefused(phone)
  service.pass(20 * SECOND)
  assert.equal((await ask(phone)).status, 302, 'the first is ten minutes old')
  assert.equal(promptsOf(phone), 4)
})

test('a phone that always pays can be prompted any number of times', async () => {
  const phone = newPayer()
  for (let nth = 0; nth < 5; nth += 1) {
    const page = await ask(phone)
    assert.equal(page.status, 302, `${nth}`)
    await succeed(service, await chargeOf(page))
  }
})

test('payments not taken by the operator, test mode, the API and full covers by a gift card do not count', async () => {
  const phone = newPayer()
  const [shop] = shops as [PayShop]
  service.operator.onSubmit({ answer: 'refuse to serve' }, phone)
  for (let nth = 0; nth < 4; nth += 1) assert.equal((await ask(phone)).status, 502)
  service.operator.onSubmit({ answer: 'accept' }, phone)
  for (let nth = 0; nth < 4; nth += 1) assert.equal((await ask(phone, await shop.testLink())).status, 302)
  for (let nth = 0; nth < 4; nth += 1) assert.equal((await shop.live.charge({ customer: { phone } })).status, 201)
  const card = await shop.card(20_000)
  for (let nth = 0; nth < 4; nth += 1) {
    const link = await shop.link()
    const browser = visitor(service)
    const page = await browser.send(await applyCode(browser, link, card.code), '/submit', { phone })
    assert.equal(page.status, 302)
  }
  assert.equal((await ask(phone)).status, 302)
  await assertRefused(phone)
})

longTest('twenty parallel submits of one phone from twenty addresses over twenty links: one prompt', async () => {
  for (let round = 0; round < 5; round += 1) {
    const phone = newPayer()
    const links = await Promise.all(Array.from({ length: 20 }, newLink))
    const visitors = links.map((_, at) => visitor(service, { 'x-forwarded-for': `10.0.${round}.${at}` }))
    const forms = await Promise.all(visitors.map((browser, at) => browser.get(`/pay/${links[at]}`)))
    const submits = service.operator.submits()
    const pages = await Promise.all(
      links.map((_, at) =>
        untilServed(() => visitors[at]?.send(forms[at] as Page, '/submit', { phone }) as Promise<Page>),
      ),
    )
    const statuses = pages.map(({ status }) => status)
    assert.deepEqual(statuses.sort(), [302, ...Array.from({ length: 19 }, () => 429)])
    assert.equal(service.operator.submits(), submits + 1)
    const stored = await Promise.all(links.map((link) => chargesOn(service, link)))
    assert.equal(stored.flat().length, 1)
  }
})
