import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { EXAMPLE_VIEWS, type ExampleView } from '../../../../test/helpers/web/checkout-views.ts'
import { HOSTILE_TEXTS } from '../../../../test/helpers/web/hostile-texts.ts'
import { CHECKOUT_CSS, CHECKOUT_CSS_HASH } from '../styles.ts'
import { TEXTS } from '../texts/texts.ts'
import type { Language, PageSetting, PayView, ReceiptView, View } from '../view.ts'
import { renderPage } from './render.tsx'

const LANGUAGES = Object.keys(TEXTS) as Language[]
const PAY_PAGE_BYTES = 14_000
const PAY_PAGE_GZIPPED = 6_000
const STYLE_BYTES = 7 * 1024
const HOSTILE = [...HOSTILE_TEXTS, '</textarea><svg/onload=alert(1)>']
// Chosen by us and not by strangers: words that select the page, and parts of our own paths.
const OURS = new Set('kind look state why method methods fault reason mode language linkId charge says'.split(' '))
const ADDRESSES = new Set('here cancelUrl successUrl href picture nextHref firstHref storefront qrSvg qrPng'.split(' '))

const EVERY = EXAMPLE_VIEWS.flatMap(({ name, view, setting }) =>
  LANGUAGES.map((language) => ({ name, language, html: renderPage(view, { ...setting, language }) })),
)
const example = (name: string) => EXAMPLE_VIEWS.find((exampleView) => exampleView.name === name) as ExampleView
const show = (name: string, over: object = {}, setting: Partial<PageSetting> = {}) => {
  const found = example(name)
  return renderPage({ ...found.view, ...over } as View, { ...found.setting, ...setting })
}
const count = (html: string, pattern: RegExp) => [...html.matchAll(pattern)].length
const plain = (text: string) => text.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&amp;', '&')
const styleOf = (html: string) => /<style>([\s\S]*?)<\/style>/.exec(html)?.[1] ?? ''
const hrefs = (html: string) => [...html.matchAll(/ href="([^"]*)"/g)].map((match) => plain(match[1] ?? ''))

test('the examples cover every kind of page', () => {
  const kinds = new Set(EXAMPLE_VIEWS.map(({ view }) => view.kind))
  assert.deepEqual(
    [...kinds].sort(),
    ['closed', 'failed', 'mails', 'pay', 'receipt', 'report', 'reported', 'storefront', 'waiting'].sort(),
  )
})

test('every page in every language is complete: one h1, one main, a title, its language, nothing undefined', () => {
  for (const { name, language, html } of EVERY) {
    const what = `${name} in ${language}`
    assert.ok(html.startsWith(`<!doctype html><html lang="${language}">`), what)
    assert.equal(count(html, /<h1\b/g), 1, what)
    assert.equal(count(html, /<main\b/g), 1, what)
    assert.match(html, /<title>[^<]{4,}<\/title>/, what)
    assert.doesNotMatch(html, /undefined|\[object|NaN|\bnull\b/, what)
    assert.equal(count(html, / aria-current="true"/g), 1, what)
  }
})

test('a page has no inline script, no style attribute and no event attribute', () => {
  for (const { name, html } of EVERY) {
    assert.doesNotMatch(html, /<[^>]+\s(?:style|on[a-z]+)=/i, name)
    for (const [, attributes, body] of html.matchAll(/<script\b([^>]*)>([^<]*)<\/script>/g)) {
      assert.match(attributes ?? '', /^ src="\/pay\/assets\/[a-z]+\.js\?v=[0-9a-f]{8}" defer$/, name)
      assert.equal(body, '', name)
    }
  }
})

test('the policy allows exactly the style in the page', () => {
  for (const { name, html } of EVERY) {
    const digest = createHash('sha256').update(styleOf(html)).digest('base64')
    assert.equal(`'sha256-${digest}'`, CHECKOUT_CSS_HASH, name)
  }
})

test('a pay page with a long description stays small', () => {
  for (const language of LANGUAGES) {
    const html = show('pay', { description: 'A blue dress. '.repeat(36) }, { language })
    assert.ok(Buffer.byteLength(html) < PAY_PAGE_BYTES, `${Buffer.byteLength(html)} bytes in ${language}`)
    assert.ok(gzipSync(html).length < PAY_PAGE_GZIPPED, `${gzipSync(html).length} gzipped in ${language}`)
  }
  assert.ok(Buffer.byteLength(CHECKOUT_CSS) < STYLE_BYTES, `${Buffer.byteLength(CHECKOUT_CSS)} bytes of style`)
})

/** The same value with a stranger's text wherever a stranger can write. */
function spoil(value: unknown, text: string, key = ''): unknown {
  if (typeof value === 'string' && !OURS.has(key)) return ADDRESSES.has(key) ? `${value}#${text}` : text
  if (Array.isArray(value)) return value.map((one) => spoil(one, text, key))
  if (value === null || typeof value !== 'object' || value instanceof Date) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, spoil(one, text, name)]))
}

/** Tags and the names of their attributes, without any value or text. */
const skeleton = (html: string) =>
  [...html.replace(styleOf(html), '').matchAll(/<[a-z!/](?:[^"<>]|"[^"]*")*>/gi)]
    .map(([tag]) => tag.replace(/"[^"]*"/g, '""'))
    .join('')

test('text by strangers adds no tag and no attribute to any page', () => {
  for (const { name, view, setting } of EXAMPLE_VIEWS) {
    const page = (text: string) => renderPage(spoil(view, text) as View, spoil(setting, text) as PageSetting)
    const harmless = skeleton(page('harmless'))
    assert.ok(harmless.includes('<main class="">'), name)
    for (const text of HOSTILE) assert.equal(skeleton(page(text)), harmless, `${name}: ${text.slice(0, 40)}`)
  }
})

test('text by strangers is shown as they wrote it, without the characters that turn the reading direction', () => {
  const [script = ''] = HOSTILE
  const shop = { name: `${script}\u202e 000,1`, handle: 'x' }
  const html = show('pay', { description: `50 < 60 & "blue"\u202e` }, { shop })
  assert.ok(html.includes(`Pay &quot;>&lt;script>alert(1)&lt;/script>`))
  assert.ok(html.includes('50 &lt; 60 &amp; &quot;blue&quot;'))
  assert.doesNotMatch(html, /[\u202a-\u202e\u2066-\u2069]/)
})

test("the merchant's addresses appear in the page byte for byte", () => {
  const url = `https://shop.example/a?x=1&y=%20%26&z="'<>#f&copy=é`
  const links = (name: string, over: object) => hrefs(show(name, over)).filter((href) => href === url).length
  for (const name of ['pay', 'waiting', 'failed timeout', 'closed expired'])
    assert.equal(links(name, { cancelUrl: url }), 1, name)
  for (const name of ['receipt with the way on', 'receipt earlier'])
    assert.equal(links(name, { successUrl: url }), 1, name)
  const forward = show('receipt with the way on', { successUrl: url })
  const refresh = /<noscript><meta http-equiv="refresh" content="5;url=([^"]*)"/.exec(forward)?.[1] ?? ''
  assert.equal(plain(refresh), url)
})

test('only a fresh receipt redirects by itself, and that can be stopped', () => {
  const looks: ReceiptView['look'][] = ['fresh', 'earlier', 'printable']
  const over = (look: ReceiptView['look']) => ({ look, successUrl: 'https://a.example/', forwardSeconds: 5 })
  const going = looks.filter((look) => show('receipt', over(look)).includes('http-equiv="refresh"'))
  assert.deepEqual(going, ['fresh'])
  assert.match(show('receipt', over('fresh')), /<a class="go" id="forward" href="https:\/\/a\.example\/"/)
  assert.match(show('receipt', over('fresh')), /<button[^>]* id="stay" hidden>Stay on this page/)
})

test('no receipt claims to prove a payment: the merchant checks its own system', () => {
  for (const { name, html, language } of EVERY.filter(({ name }) => name.startsWith('receipt'))) {
    const says = TEXTS[language].receipt.confirms('Mama Joy Boutique')
    assert.ok(html.includes(says), `${name} in ${language}`)
  }
})

test('the form is plain HTML that a browser without scripts can send', () => {
  const html = show('pay')
  assert.match(html, /<form method="post" action="\/pay\/lnk_[a-z0-9]+\/submit"/)
  assert.match(html, /<input type="hidden" name="token" value="k3x9/)
  assert.match(html, /<input type="hidden" name="channel" value="op1_momo"/)
  assert.match(html, /<input[^>]* type="tel"[^>]* inputmode="tel" autocomplete="tel"/)
  assert.match(html, /action="\/pay\/lnk_[a-z0-9]+\/apply-voucher"/)
  assert.match(html, /<button type="submit" class="go">Pay UGX 25,000<\/button>/)
  assert.match(html, /You pay UGX 25,000\. No extra fee\./)
})

test('several methods are a choice, with the first or the typed one chosen', () => {
  const checked = (typed: PayView['typed']) => /value="(\w+)" checked/.exec(show('pay in test mode', { typed }))?.[1]
  const nothing = { phone: '', email: '' }
  assert.equal(count(show('pay in test mode'), /type="radio" name="channel"/g), 3)
  assert.equal(checked({ method: null, ...nothing }), 'op1_momo')
  assert.equal(checked({ method: 'op2_money', ...nothing }), 'op2_money')
})

test('a gift card that covers everything needs no phone, and the page says what is left on it', () => {
  const html = show('pay with voucher of more')
  assert.doesNotMatch(html, /name="phone"/)
  assert.match(html, /<s>UGX 25,000<\/s>/)
  assert.match(html, /UGX 15,000 stays on the gift card/)
  assert.match(html, /class="go">Use the gift card</)
  assert.match(html, /name="remove" value="1"/)
})

test('each fault of a form is announced at once, and the fault of a field is linked to it', () => {
  for (const { name, view, setting } of EXAMPLE_VIEWS.filter(({ name }) => name.includes('fault'))) {
    const html = renderPage(view, setting)
    assert.equal(count(html, /role="alert"/g), 1, name)
    assert.match(html, /<title>Please check: /, name)
    const field = /fault (phone|email|details|contact)$/.exec(name)?.[1]
    if (!field) continue
    assert.ok(html.includes(` id="${field}-fault" role="alert"`), name)
    assert.match(html, new RegExp(`id="${field}" aria-describedby="${field}-fault[^"]*" aria-invalid="true"`), name)
  }
})

test('a test page says so, a live page never does', () => {
  for (const { name, setting } of EXAMPLE_VIEWS)
    for (const mode of ['test', 'live'] as const)
      assert.equal(show(name, {}, { mode }).includes('<header class="test">'), mode === 'test', setting.mode)
})

test('the waiting page shows the steps first and the notice about a long wait later', () => {
  assert.match(show('waiting'), /<ol class="steps" id="steps">/)
  assert.match(show('waiting'), /<p class="tip" id="long" hidden>/)
  assert.match(show('waiting'), /data-status="\/pay\/lnk_[a-z0-9]+\/status\.json"/)
  assert.match(show('waiting'), /<noscript><meta http-equiv="refresh" content="5"/)
  assert.match(show('waiting long'), /<h1[^>]*>Still waiting for MTN MoMo<\/h1>/)
  assert.match(show('waiting long'), /<p class="tip" id="long">/)
  assert.match(show('waiting long'), /data-status="\/pay\/lnk_[a-z0-9]+\/status\.json\?charge=txn_[a-z0-9]+"/)
  assert.doesNotMatch(show('waiting long'), /id="count"/)
})

test('times are shown in Kampala time', () => {
  assert.match(show('receipt', { paidAt: new Date('2026-12-31T22:05:00Z') }), />01\/01\/2027 01:05</)
})

test('the language links keep the address and add lang', () => {
  const links = hrefs(show('pay', {}, { here: '/pay/lnk_1/status?charge=txn_1' }))
  for (const language of LANGUAGES)
    assert.ok(links.includes(`/pay/lnk_1/status?charge=txn_1&lang=${language}`), language)
})
