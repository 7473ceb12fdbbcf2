import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { EXAMPLE_SCREENS, type ExampleScreen } from '../../../../test/helpers/vending/display-views.ts'
import { HOSTILE_TEXTS } from '../../../../test/helpers/web/hostile-texts.ts'
import { CHECKOUT_CSS_HASH, DISPLAY_CSS, DISPLAY_CSS_HASH } from '../styles.ts'
import { TEXTS } from '../texts/texts.ts'
import type { DisplayView, Language, PageSetting } from '../view.ts'
import { renderPage } from './render.tsx'

const LANGUAGES = Object.keys(TEXTS) as Language[]
const REFUNDS = ['on_its_way', 'sent', 'failed', 'card'] as const
const PAGE_BYTES = 8 * 1024
const HOSTILE = [...HOSTILE_TEXTS, '</noscript><meta http-equiv=refresh content=0;url=https://evil.example>']
const EVERY = EXAMPLE_SCREENS.flatMap(({ name, view, setting }) =>
  LANGUAGES.map((language) => ({ name, view, language, html: renderPage(view, { ...setting, language }) })),
)
const example = (name: string) => EXAMPLE_SCREENS.find((exampleScreen) => exampleScreen.name === name) as ExampleScreen
const show = (name: string, setting: Partial<PageSetting> = {}) => {
  const { view, ...found } = example(name)
  return renderPage(view, { ...found.setting, ...setting })
}
const styleOf = (html: string) => /<style>([\s\S]*?)<\/style>/.exec(html)?.[1] ?? ''
const main = (html: string) => html.slice(html.indexOf('<main'))
const count = (html: string, pattern: RegExp) => [...html.matchAll(pattern)].length

test('every screen in every language is complete, small and in its own colour', () => {
  for (const { name, view, language, html } of EVERY) {
    const what = `${name} in ${language}`
    assert.ok(html.startsWith(`<!doctype html><html lang="${language}">`), what)
    assert.equal(count(html, /<h1\b/g), 1, what)
    assert.match(html, new RegExp(`<main id="screen" class="${view.screen.name}"`), what)
    assert.match(html, /<title>[^<]{4,}<\/title>/, what)
    assert.doesNotMatch(html, /undefined|\[object|NaN|\bnull\b/, what)
    assert.doesNotMatch(html, /<[^>]+\s(?:style|on[a-z]+)=/i, what)
    assert.ok(Buffer.byteLength(html) < PAGE_BYTES, `${what}: ${Buffer.byteLength(html)} bytes`)
  }
})

test('the policy allows exactly the style in the screen, which is not that of the checkout', () => {
  for (const { name, html } of EVERY) {
    const digest = createHash('sha256').update(styleOf(html)).digest('base64')
    assert.equal(`'sha256-${digest}'`, DISPLAY_CSS_HASH, name)
  }
  assert.notEqual(DISPLAY_CSS_HASH, CHECKOUT_CSS_HASH)
})

test('the style uses nothing that a browser of 2014 does not know', () => {
  const newer =
    /var\(|--|display:(?:flex|grid)|\bgap:|clip-path|inset|calc\(|clamp\(|\bmin\(|\bmax\(|:is\(|:where\(|:has\(|\d(?:rem|vh|vw|vmin)|aspect-ratio|object-fit|@supports/
  assert.doesNotMatch(DISPLAY_CSS, newer)
})

test('the script is ES5', () => {
  const source = new URL('../../../../../src/web/checkout/assets/display.js', import.meta.url)
  const text = readFileSync(source, 'utf8').replace(/\/\/.*$/gm, '')
  assert.doesNotMatch(text, /=>|`|\b(?:let|const|class|async|await|of)\b|\bfetch\(|Promise|\.\.\.|\?\.|\?\?/)
  assert.doesNotMatch(text, /\.(?:includes|find|padStart|assign|dataset|classList|closest|remove)\b/)
  // A comma after the last argument of a call came with ES2017.
  assert.doesNotMatch(text, /,\s*\)/)
})

test('without scripts a screen reloads every three seconds, unless nothing can change', () => {
  for (const { name, view, html } of EVERY) {
    const refreshes = count(html, /<noscript><meta http-equiv="refresh" content="3"\/?><\/noscript>/g)
    const scripts = count(html, /<script src="\/pay\/assets\/display\.js\?v=[0-9a-f]{8}" defer><\/script>/g)
    assert.deepEqual([refreshes, scripts], view.watch === null ? [0, 0] : [1, 1], name)
  }
})

test('the code is shown only while the order can be paid', () => {
  for (const { name, view, html } of EVERY) {
    const codes = count(html, /<img src="data:image\/png;base64,/g)
    assert.equal(codes, view.screen.name === 'scan' ? 1 : 0, name)
  }
})

test('the scan screen shows amount, products and time; a failed payment is reported', () => {
  const html = main(show('scan'))
  for (const part of ['<small>UGX </small>3,500', 'Rwenzori Water 500 ml', 'Kampala Cool Drinks', 'Time left 1:47'])
    assert.ok(html.includes(part), part)
  const again = main(show('scan again'))
  assert.ok(again.includes(TEXTS.en.display.again))
  assert.ok(again.includes('Time left 0:09'))
  assert.ok(main(show('scan many')).includes('<span>+ 4</span>'), 'four of five products are counted only')
  assert.ok(main(show('scan without names')).includes('Time left 0:00'))
})

test('only the matching screen says that a product came out, or that money goes back', () => {
  for (const language of LANGUAGES) {
    const { display } = TEXTS[language]
    const saying = (text: string) =>
      EVERY.filter((one) => one.language === language && main(one.html).includes(text)).map(({ name }) => name)
    assert.deepEqual(saying(display.collect), ['collect', 'collect partly', 'collect unconfirmed'])
    assert.deepEqual(saying(display.thanks), ['collect'])
    assert.deepEqual(saying(display.failed), ['failed', ...REFUNDS.map((state) => `failed, refund ${state}`)])
    assert.deepEqual(saying(display.money('UGX 3,500', 'Kampala Cool Drinks')), ['failed'])
    for (const state of REFUNDS)
      assert.deepEqual(saying(display.refunds[state]('UGX 2,500', 'Kampala Cool Drinks')), [`failed, refund ${state}`])
    assert.deepEqual(saying(display.ifNothing('Kampala Cool Drinks')), ['releasing late', 'collect unconfirmed'])
  }
})

test('a screen that sends the customer for help names the machine and the order', () => {
  const withNumbers = EVERY.filter(({ language, html }) => language === 'en' && html.includes('class="numbers"'))
  assert.deepEqual(
    withNumbers.map(({ name }) => name),
    ['releasing late', 'collect partly', 'failed', ...REFUNDS.map((state) => `failed, refund ${state}`)],
  )
  assert.ok(
    main(show('failed')).includes('<span>Machine 1707100001</span> <span>Order lnk_k3x9qab7c2d4e6f8g1h0j</span>'),
  )
})

test('a test screen says so, a live screen never does', () => {
  for (const { name } of EXAMPLE_SCREENS)
    for (const mode of ['test', 'live'] as const)
      assert.equal(show(name, { mode }).includes('<p class="test">'), mode === 'test', name)
})

/** Tags and the names of their attributes, without any value or text. */
const skeleton = (html: string) =>
  [...html.replace(styleOf(html), '').matchAll(/<[a-z!/](?:[^"<>]|"[^"]*")*>/gi)]
    .map(([tag]) => tag.replace(/"[^"]*"/g, '""'))
    .join('')

test('text by strangers adds no tag and no attribute to any screen', () => {
  for (const { name, view, setting } of EXAMPLE_SCREENS) {
    const page = (text: string) => {
      const order = view.order && {
        ...view.order,
        machine: text,
        products: view.order.products.map(() => text),
      }
      const watch = view.watch && { ...view.watch, url: `/x?${text}`, seen: text }
      const spoilt: DisplayView = { ...view, order, watch }
      return renderPage(spoilt, { ...setting, shop: { name: text, handle: text }, here: text })
    }
    const harmless = skeleton(page('harmless'))
    assert.ok(harmless.includes('<main id="" class=""'), name)
    for (const text of HOSTILE) {
      assert.equal(skeleton(page(text)), harmless, `${name}: ${text.slice(0, 40)}`)
      assert.doesNotMatch(main(page(text)).replace(/ data-[a-z]+="[^"]*"/g, ''), /[\u202a-\u202e\u2066-\u2069]/, name)
    }
  }
})
