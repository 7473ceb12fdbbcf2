import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import Fastify, { type FastifyInstance } from 'fastify'
import { ERROR_CODES } from '../../api/http/openapi/error-codes.ts'
import { ENDPOINTS } from '../../program/api.ts'
import { describeProduct } from './describe-product.ts'
import { DESCRIBED_EVENTS } from './events.ts'
import { readGuide } from './guide.ts'
import { registerDocs } from './routes.ts'
import { splitSections } from './search.ts'
import { questionWords } from './search-index.ts'

const GUIDE = readGuide(ENDPOINTS, 'https://pay.example')
const MAX_PAGE_BYTES = 60_000
// Compressed.
const MAX_INDEX_BYTES = 30_000
// The sections of the one page that /docs was, before the guide had pages.
const OLD_ANCHORS = [
  ...['first-request', 'a-page-to-pay-on', 'vending-machines', 'sending-money', 'sharing-a-charge', 'statements'],
  ...['when-something-goes-wrong', 'limits', 'sandbox', 'events', 'going-live', 'endpoints'],
]

let server: FastifyInstance
let url: string

before(async () => {
  server = Fastify({ exposeHeadRoutes: false })
  const openapi = describeProduct(ENDPOINTS, 'https://pay.example')
  registerDocs(server, {
    baseUrl: 'https://pay.example',
    openapi,
    guide: GUIDE,
    changelog: '# Changelog',
    readStatus: async () => ({ asOf: new Date(0), measures: [] }),
  })
  url = await server.listen({ port: 0, host: '127.0.0.1' })
})
after(() => server.close())

async function get(path: string, headers: Record<string, string> = {}) {
  const response = await fetch(`${url}${path}`, { headers, redirect: 'manual' })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

const idsOf = (text: string) => [...text.matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => id)

test('each page of the guide is small, has one heading of the first order, and no id twice', async () => {
  assert.ok(GUIDE.length >= 16)
  for (const { path } of GUIDE) {
    const { status, text } = await get(path)
    assert.equal(status, 200, path)
    assert.ok(Buffer.byteLength(text) < MAX_PAGE_BYTES, `${path}: ${Buffer.byteLength(text)} bytes`)
    assert.equal(text.match(/<h1/g)?.length, 1, path)
    assert.equal(new Set(idsOf(text)).size, idsOf(text).length, path)
    assert.doesNotMatch(text, /&lt;!--|\{base_url\}/, path)
  }
})

test('each page leads to the one before and the one after, and to all others', async () => {
  for (const [nth, { path }] of GUIDE.entries()) {
    const { text } = await get(path)
    const [, before] = /rel="prev" href="([^"]+)"/.exec(text) ?? []
    const [, next] = /rel="next" href="([^"]+)"/.exec(text) ?? []
    assert.deepEqual([before, next], [GUIDE[nth - 1]?.path, GUIDE[nth + 1]?.path], path)
    for (const other of GUIDE) assert.ok(text.includes(`<a href="${other.path}"`), `${path} to ${other.path}`)
    assert.equal(text.match(/aria-current="page"/g)?.length, path === '/docs' ? 3 : 2, path)
  }
})

test('every link of the guide to a page or a place of this site leads there', async () => {
  for (const { path } of GUIDE) {
    const { text } = await get(path)
    for (const [, href = ''] of text.matchAll(/href="((?:\/|#)[^"]*)"/g)) {
      if (href.startsWith('/dashboard')) continue
      const [page = '', anchor] = href.startsWith('#') ? [path, href.slice(1)] : href.split('#')
      const target = await get(page)
      assert.equal(target.status, 200, `${path}: ${href}`)
      if (anchor === undefined) continue
      const places = page.endsWith('.md') ? headingsOf(target.text) : idsOf(target.text)
      assert.ok(places.includes(anchor), `${path}: ${href}`)
    }
  }
})

const headingsOf = (markdown: string) =>
  [...markdown.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading.toLowerCase().replaceAll(' ', '-'))

test('links to the sections of the old one page still lead to what they meant', async () => {
  const { text } = await get('/docs')
  for (const anchor of OLD_ANCHORS) {
    assert.ok(idsOf(text).includes(anchor), anchor)
    const [, place = '/docs#first-request'] = new RegExp(`<i id="${anchor}" data-moved="([^"]+)"`).exec(text) ?? []
    const [page = '', section] = place.split('#')
    const target = await get(page)
    assert.equal(target.status, 200, place)
    if (section !== undefined) assert.ok(idsOf(target.text).includes(section), place)
  }
  const start = await get('/docs/start')
  assert.deepEqual([start.status, start.headers.get('location')], [301, '/docs'])
})

test('the list of endpoints has all of them', async () => {
  const { text } = await get('/docs/endpoints')
  for (const { method, path } of ENDPOINTS)
    assert.ok(text.includes(`<code>${method} ${path.replace(/:([a-z_]+)/g, '{$1}')}</code>`), path)
})

test('each code of the API has its anchor on the page of errors, with why, what to do and whether to send again', async () => {
  const { text } = await get('/docs/errors')
  for (const code of Object.keys(ERROR_CODES)) {
    const [, section = ''] = text.split(`<h3 id="${code.replace(/[^a-z0-9.]+/g, '-')}">`)
    for (const part of ['Status:', 'Why:', 'What to do:', 'Send again?'])
      assert.ok(section.split('<h3')[0]?.includes(`<strong>${part}</strong>`), `${code} ${part}`)
  }
})

test('a page has a tag of its bytes: whoever has them is told so, also behind a proxy that compresses', async () => {
  for (const path of ['/docs', '/docs/limits', '/docs/limits.md', '/openapi.yaml', '/llms.txt', '/changelog', '/']) {
    const first = await get(path)
    const etag = first.headers.get('etag') ?? ''
    assert.match(etag, /^"[0-9a-f]{16}"$/, path)
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`]) {
      const again = await get(path, { 'If-None-Match': known })
      assert.deepEqual([again.status, again.text, again.headers.get('etag')], [304, '', etag], path)
    }
    assert.equal((await get(path, { 'If-None-Match': '"other"' })).text, first.text, path)
  }
})

test('the documentation is searched without script: a form, and a page of places that are there', async () => {
  const { text } = await get('/docs')
  assert.match(text, /<form class="search" action="\/docs">.*<input id="q" name="q" type="search"/)
  const page = await get('/docs?q=Refund%20GIFT')
  assert.equal(page.status, 200)
  assert.doesNotMatch(page.text, /<script/)
  assert.match(page.text, /name="q" type="search" value="Refund GIFT"/)
  const places = [...page.text.matchAll(/<li><a href="(\/docs[^"#]*)#([^"]+)">/g)]
  assert.ok(places.length > 0 && places.length <= 20, page.text)
  for (const [, path = '', anchor] of places)
    assert.ok((await get(path)).text.includes(`id="${anchor}"`), `${path}#${anchor}`)
  assert.match(page.text, /<mark>gift<\/mark>/i)
})

test('the index is small and has the words of every section', async () => {
  const { text, headers } = await get('/docs/search.json')
  assert.match(headers.get('content-type') ?? '', /^application\/json/)
  assert.ok(gzipSync(text).length < MAX_INDEX_BYTES, `${gzipSync(text).length} bytes`)
  const { sections, words } = JSON.parse(text)
  const all = GUIDE.flatMap(({ title, path, markdown }) => splitSections(title, path, markdown))
  assert.deepEqual(
    sections,
    all.map(({ page, href, title }) => [page, href, title]),
  )
  for (const [number, section] of all.entries())
    for (const word of questionWords(`${section.title} ${section.text}`))
      assert.ok(words[word].split(' ').includes(String(number)), `${word} in ${section.href}`)
})

test('the events page has every field of every event, and pages that use the short commands say where they are', async () => {
  const events = (await get('/docs/events.md')).text
  for (const { event, data } of DESCRIBED_EVENTS) {
    const [, table = ''] = new RegExp(`^### (?:[^\\n]*, )?${event}(?:, [^\\n]*)?\\n([^#]*)`, 'm').exec(events) ?? []
    const names = Object.keys((data as unknown as { properties: object }).properties)
    for (const name of names) assert.ok(table.includes(`| \`${name}\` |`), `${event}: ${name}`)
  }
  for (const { name, markdown } of GUIDE) {
    const uses = /^```sh\n(?:(?!```)[^\n]*\n)*?[^\n]*\b(?:post|get) ["/]/m.test(markdown)
    assert.equal(markdown.includes('(/docs#in-this-guide)'), uses && name !== 'start', name)
  }
})

test('a heading that is asked for stands first, and a code leads to its place among the errors', async () => {
  const firstOf = async (q: string) =>
    /<li><a href="([^"]+)"/.exec((await get(`/docs?q=${encodeURIComponent(q)}`)).text)?.[1]
  assert.equal(await firstOf('limits'), '/docs/limits#limits')
  assert.equal(await firstOf('insufficient_balance'), '/docs/errors#insufficient-balance')
})

test('what nothing has, what is too long, and what would be markup or a pattern is asked for as text', async () => {
  assert.match((await get('/docs?q=zebra')).text, /Nothing has all of these words/)
  for (const q of ['<script>alert(1)</script>', '(a+)+$', '.*', '\\', '%', 'x'.repeat(5000), '\u202e\ud83c\udf72']) {
    const { status, text } = await get(`/docs?q=${encodeURIComponent(q)}`)
    assert.equal(status, 200, q)
    assert.doesNotMatch(text, /<script|x{101}/, q)
  }
  const most = await get('/docs?q=a')
  assert.ok([...most.text.matchAll(/<li><a /g)].length <= 20)
})
