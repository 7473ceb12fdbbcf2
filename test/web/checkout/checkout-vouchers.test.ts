import assert from 'node:assert/strict'
import test from 'node:test'
import { deactivateCard } from '../../../src/payments/gift-cards/switch-card.ts'
import { EN } from '../../../src/web/checkout/texts/en.ts'
import { BY_HAND } from '../../helpers/service/actors.ts'
import { DAY, newPayer, startLiveService } from '../../helpers/service/live-service.ts'
import { made, openedAndVerified } from '../../helpers/service/opened.ts'
import { hasForm, type Page } from '../../helpers/web/browser.ts'
import { payShop } from '../../helpers/web/checkout-shop.ts'
import { cardNow, chargesOn } from '../../helpers/web/page-charges.ts'
import { applyCode, visitor } from '../../helpers/web/paying-on-pages.ts'

const service = openedAndVerified(() =>
  startLiveService({ env: { RATE_LIMIT_VOUCHER_MISSES: '10', TRUSTED_PROXIES: '1' } }),
)
const shop = made(() => payShop(service))

const TEXT = 'this voucher cannot be used here'
const UNKNOWN = 'AAAA-BBBB-CCCC'
let strangers = 0

/** A customer at an address that nobody has used before. */
function stranger() {
  strangers += 1
  return visitor(service, {
    'x-forwarded-for': `10.1.${strangers >> 8}.${strangers & 255}`,
    'accept-language': 'en',
  })
}
/** The page without its random parts and the link's own id. */
const bare = (page: Page, link: string) => page.text.replaceAll(link, 'LINK').replace(/name="token" value="[^"]*"/, '')

/** One code of each kind that cannot be used on a live link. */
async function uselessCodes(): Promise<Record<string, string>> {
  const other = await payShop(service)
  const [foreign, off, spent, expired] = await Promise.all([
    other.card(5000),
    shop.card(5000),
    shop.card(1000),
    shop.card(5000, new Date(service.clock.nowMs() + DAY).toISOString().slice(0, 10)),
  ])
  await deactivateCard(service.app, BY_HAND, { owner: shop.row, cardId: off.id })
  const link = await shop.link({ amount: 1000 })
  const browser = stranger()
  await browser.send(await applyCode(browser, link, spent.code), '/submit')
  assert.deepEqual(await cardNow(service, spent.id), [0, 0, 1000])
  service.pass(3 * DAY)
  const codes = { foreign, off, spent, expired }
  return {
    unknown: UNKNOWN,
    unreadable: 'gift!',
    blank: ' ',
    long: 'A'.repeat(5000),
    nul: '\0\u0007',
    ...Object.fromEntries(Object.entries(codes).map(([kind, { code }]) => [kind, code])),
  }
}

test('every unusable code gives the same page, whatever is wrong with it; nothing is remembered or charged', async () => {
  const link = await shop.link()
  const pages = new Map<string, string>()
  for (const [kind, code] of Object.entries(await uselessCodes())) {
    const browser = stranger()
    const page = await applyCode(browser, link, code)
    assert.deepEqual([page.status, hasForm(page, '/submit'), hasForm(page, '/apply-voucher')], [200, true, true])
    assert.ok(!browser.cookies().some(({ name }) => name === 'checkout'), kind)
    pages.set(kind, bare(page, link))
  }
  const [first] = pages.values()
  for (const [kind, page] of pages) assert.equal(page, first, kind)
  const clean = bare(await stranger().get(`/pay/${link}`), link)
  assert.notEqual(first, clean, 'it says that the code is of no use')
  assert.deepEqual(await chargesOn(service, link), [])
})

test('the text is that of contract.md G47', async () => {
  const page = await applyCode(stranger(), await shop.link(), UNKNOWN)
  assert.ok(page.text.toLowerCase().includes(TEXT), page.text.replace(/<style>.*<\/style>/, ''))
})

test('a link of test mode accepts no card at all, with the same words', async () => {
  const [link, live, card] = [await shop.testLink(), await shop.link(), await shop.card(4000)]
  const browser = stranger()
  const answers = new Set<string>()
  for (const code of [card.code, UNKNOWN]) {
    const sent = await browser.post(`/pay/${link}/apply-voucher`, { code })
    assert.equal(sent.status, 302)
    answers.add(bare(await browser.follow(sent), link))
  }
  assert.equal(answers.size, 1)
  const said = /<p class="fault"[\s\S]*?<\/p>/.exec((await applyCode(stranger(), live, UNKNOWN)).text)?.[0]
  const text = said?.replace(/<[^>]*>/g, '') ?? ''
  assert.ok(text !== '' && [...answers][0]?.includes(text))
  const submitted = await browser.post(`/pay/${link}/submit`, {
    channel: 'op1_momo',
    phone: newPayer(),
    voucher: card.code,
  })
  assert.equal(submitted.status, 400)
  assert.deepEqual(await chargesOn(service, link), [])
  assert.deepEqual(await cardNow(service, card.id), [4000, 0, 0])
})

test('a card cannot be used where the phone must pay everything, and can be used one shilling above', async () => {
  const card = await shop.card(150)
  const least = await applyCode(stranger(), await shop.link({ amount: 500 }), card.code)
  assert.ok(!least.text.includes(card.code.slice(-4)))
  const more = await applyCode(stranger(), await shop.link({ amount: 501 }), card.code)
  assert.ok(more.text.includes(card.code.slice(-4)) && more.text.includes('149'))
})

test('C7 ten wrong codes a minute from one address; then right ones are not checked either, while others may type', async () => {
  const guesser = stranger()
  const card = await shop.card(4000)
  for (let guess = 0; guess < 10; guess += 1) {
    const { location } = await guesser.post(`/pay/${await shop.link()}/apply-voucher`, { code: UNKNOWN })
    assert.match(location, /\?voucher=unusable$/)
  }
  const link = await shop.link()
  const inForm = { channel: 'op1_momo', phone: newPayer(), voucher: card.code }
  for (const code of [card.code, UNKNOWN])
    for (const busy of [
      await guesser.post(`/pay/${link}/apply-voucher`, { code }),
      await guesser.post(`/pay/${link}/submit`, { ...inForm, voucher: code }),
    ]) {
      assert.deepEqual([busy.status, busy.setCookies], [429, []], 'no oracle for whoever guesses')
      const seconds = Number(busy.headers.get('retry-after'))
      assert.ok(Number.isInteger(seconds) && seconds >= 1 && seconds <= 60, `${seconds}`)
      assert.ok(busy.text.includes(EN.faults.busy) && hasForm(busy, '/apply-voucher'))
    }
  assert.deepEqual(await chargesOn(service, link), [])
  const other = await applyCode(stranger(), link, card.code)
  assert.ok(other.text.includes(card.code.slice(-4)))
  service.pass(60_001)
  assert.ok((await applyCode(guesser, link, card.code)).text.includes(card.code.slice(-4)))
})

test('forty wrong codes at once from one address count no more than its ten a minute', async () => {
  const guesser = stranger()
  const links = await Promise.all(Array.from({ length: 10 }, () => shop.link()))
  await Promise.all(
    Array.from({ length: 40 }, (_, at) => guesser.post(`/pay/${links[at % 10]}/apply-voucher`, { code: UNKNOWN })),
  )
  assert.equal((await guesser.post(`/pay/${links[0]}/apply-voucher`, { code: UNKNOWN })).status, 429)
})

/** A link whose box is closed by twenty wrong codes, after one customer had applied a card. */
async function closedBox() {
  const [link, card] = [await shop.link({ amount: 10_000 }), await shop.card(4000)]
  const holder = stranger()
  const form = await applyCode(holder, link, card.code)
  for (let guess = 0; guess < 20; guess += 1) await stranger().post(`/pay/${link}/apply-voucher`, { code: UNKNOWN })
  return { link, card, holder, form }
}

test("twenty wrong codes in a day close a link's box for a day, for right codes too; it can be paid without", async () => {
  const { link, card, holder, form } = await closedBox()
  const closed = await stranger().get(`/pay/${link}`)
  assert.deepEqual([closed.status, hasForm(closed, '/apply-voucher')], [200, false])
  const { location } = await stranger().post(`/pay/${link}/apply-voucher`, { code: card.code })
  assert.match(location, /\?voucher=closed$/)
  const voucher = { channel: 'op1_momo', phone: newPayer(), voucher: card.code }
  assert.equal((await stranger().post(`/pay/${link}/submit`, voucher)).status, 400)
  assert.deepEqual(await chargesOn(service, link), [])
  const elsewhere = await applyCode(stranger(), await shop.link({ amount: 10_000 }), card.code)
  assert.ok(elsewhere.text.includes(card.code.slice(-4)), 'other links go on')
  service.pass(DAY + 1000)
  assert.ok((await applyCode(stranger(), link, card.code)).text.includes(card.code.slice(-4)))
  const sent = await holder.send(form, '/submit', { phone: newPayer() })
  assert.equal(sent.status, 409, 'what a day ago showed a card is shown anew')
})

test('a customer whose card was applied before the box was closed can pay with it', async () => {
  const { card, holder, form } = await closedBox()
  assert.equal((await holder.send(form, '/submit', { phone: newPayer() })).status, 302)
  assert.deepEqual(await cardNow(service, card.id), [0, 4000, 0])
})
