import assert from 'node:assert/strict'
import { request } from 'node:http'
import { after, before, test } from 'node:test'
import Fastify, { type FastifyInstance } from 'fastify'
import { ERROR_CODES } from '../../api/http/openapi/error-codes.ts'
import { ENDPOINTS } from '../../program/api.ts'
import { describeProduct } from './describe-product.ts'
import { renderGuideMarkdown } from './guide-markdown.ts'
import { registerDocs } from './routes.ts'

const CHANGELOG = `# Changelog

## 1.1.0 - 2026-12-01

- **Newer** thing, see [the reference](/docs) or [elsewhere](https://example.com/a)
  on a second line
- \`GET /v1/<id>\`

\`\`\`
<b>not bold</b>
\`\`\`

## 1.0.0 - 2026-11-21

1. <script>alert(1)</script>
2. [trap](javascript:alert(1)) and [other](//evil.example)
`
const MACHINES = `# Machines

Send to {base_url}/inbound.

| Field | What |
|---|---|
| \`a\` | **b** <i> |
`
const PAGES = ['/', '/docs', '/docs/reference', '/docs/errors', '/docs/machines', '/changelog']

let server: FastifyInstance
let url: string

before(async () => {
  server = Fastify({ exposeHeadRoutes: false })
  const openapi = describeProduct(ENDPOINTS, 'https://pay.example')
  const guide = renderGuideMarkdown(ENDPOINTS, 'https://pay.example')
  registerDocs(server, {
    baseUrl: 'https://pay.example',
    openapi,
    guide,
    changelog: CHANGELOG,
    machines: MACHINES,
  })
  url = await server.listen({ port: 0, host: '127.0.0.1' })
})
after(() => server.close())

async function get(path: string) {
  const response = await fetch(`${url}${path}`)
  return { status: response.status, headers: response.headers, text: await response.text() }
}

/** Sends a path as it is written: fetch would normalise it first. */
function statusOfRaw(path: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url)
    request({ hostname, port, path }, (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
      .on('error', reject)
      .end()
  })
}

for (const path of PAGES) {
  test(`${path} is an HTML page under a policy that allows no inline script or style`, async () => {
    const page = await get(path)
    assert.equal(page.status, 200)
    assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8')
    const policy = page.headers.get('content-security-policy') ?? ''
    assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;/)
    for (const directive of ["connect-src 'self'", 'frame-ancestors', 'base-uri', 'form-action'])
      assert.ok(policy.includes(directive), directive)
    assert.doesNotMatch(policy, /unsafe|\*|http/)
  })

  test(`${path} holds no script, style or handler of its own, and every file it names is served`, async () => {
    const { text } = await get(path)
    assert.match(text, /^<!doctype html><html lang="en">/)
    for (const [, attributes, inside] of text.matchAll(/<script([^>]*)>(.*?)<\/script>/gs)) {
      assert.match(attributes ?? '', /src="\/docs\/assets\//)
      assert.equal(inside, '')
    }
    assert.doesNotMatch(text, /<style|\sstyle=|\son[a-z]+=|javascript:alert\(1\)"/)
    const files = [...text.matchAll(/(?:src|href)="(\/docs\/assets\/[^"]+)"/g)].map((match) => match[1])
    assert.ok(files.length >= 2)
    for (const file of files) assert.equal((await get(file as string)).status, 200, file)
  })
}

test('the guide is a page without script: every section has an anchor, and the contents lead there', async () => {
  const { text } = await get('/docs')
  assert.doesNotMatch(text, /<script/)
  const links = [...text.matchAll(/<a href="#([^"]+)">/g)].map(([, id]) => id)
  for (const section of ['first-request', 'limits', 'sandbox', 'events', 'endpoints'])
    assert.ok(links.includes(section), section)
  for (const id of links) assert.ok(text.includes(`id="${id}"`), id)
  for (const { method, path } of ENDPOINTS)
    assert.ok(text.includes(`<code>${method} ${path.replace(/:([a-z_]+)/g, '{$1}')}</code>`), path)
  assert.match(text, /Retry-After/)
})

test('the guide is there as Markdown too', async () => {
  const { headers, text } = await get('/docs.md')
  assert.equal(headers.get('content-type'), 'text/markdown; charset=utf-8')
  assert.match(text, /^# Guide\n/)
  assert.match(text, /^## Limits$/m)
})

test('each code of the API has its anchor on the page of errors', async () => {
  const { text } = await get('/docs/errors')
  for (const code of Object.keys(ERROR_CODES))
    assert.ok(text.includes(`<h3 id="${code.replace(/[^a-z0-9.]+/g, '-')}">`), code)
})

test('each asset has the type of its content, and may be cached for an hour', async () => {
  const types = {
    'docs.css': 'text/css; charset=utf-8',
    'icon.svg': 'image/svg+xml',
    'reference.css': 'text/css; charset=utf-8',
    'reference.js': 'application/javascript; charset=utf-8',
    'swagger-ui-bundle.js': 'application/javascript; charset=utf-8',
    'swagger-ui.css': 'text/css; charset=utf-8',
  }
  for (const [name, type] of Object.entries(types)) {
    const asset = await get(`/docs/assets/${name}`)
    assert.equal(asset.status, 200, name)
    assert.equal(asset.headers.get('content-type'), type, name)
    assert.equal(asset.headers.get('cache-control'), 'public, max-age=3600', name)
    assert.ok(asset.text.length > 100, name)
  }
})

test('no path leads to another file of those folders or outside them', async () => {
  for (const path of [
    '/docs/assets/../../package.json',
    '/docs/assets/..%2f..%2fpackage.json',
    '/docs/assets/%2e%2e/%2e%2e/package.json',
    '/docs/assets/%252e%252e%252fpackage.json',
    '/docs/assets/..%5c..%5cpackage.json',
    '/docs/assets//etc/passwd',
    '/docs/assets/docs.css%00.html',
    '/docs/assets/package.json',
    '/docs/assets/index.html',
    '/docs/assets/',
    '/docs/assets',
  ])
    assert.ok([400, 404].includes(await statusOfRaw(path)), path)
})

test('/openapi.json is the document for the given address, and may be cached for five minutes', async () => {
  const { status, headers, text } = await get('/openapi.json')
  assert.equal(status, 200)
  assert.equal(headers.get('content-type'), 'application/json; charset=utf-8')
  assert.equal(headers.get('cache-control'), 'public, max-age=300')
  const document = JSON.parse(text)
  assert.deepEqual(document.servers, [{ url: 'https://pay.example' }])
  assert.ok(document.paths['/v1/charges'].post)
})

test('the changelog shows its entries in the order of the file, with lists, code and links', async () => {
  const { text } = await get('/changelog')
  assert.ok(text.indexOf('id="1.1.0-2026-12-01"') < text.indexOf('id="1.0.0-2026-11-21"'))
  assert.ok(text.includes('<strong>Newer</strong> thing, see <a href="/docs">the reference</a>'))
  assert.ok(text.includes('<a href="https://example.com/a">elsewhere</a> on a second line</li>'))
  assert.ok(text.includes('<code>GET /v1/&lt;id></code>'))
  assert.ok(text.includes('<pre><code>&lt;b>not bold&lt;/b></code></pre>'))
})

test('text in the changelog is shown as text: it produces no element and no dangerous link', async () => {
  const { text } = await get('/changelog')
  assert.ok(text.includes('&lt;script>alert(1)&lt;/script>'))
  assert.doesNotMatch(text, /<script/)
  assert.doesNotMatch(text, /href="(?:javascript|\/\/)/)
})

test('the page for machine makers has tables, and the address of this gateway', async () => {
  const { text } = await get('/docs/machines')
  assert.ok(text.includes('Send to https://pay.example/inbound.'))
  assert.ok(text.includes('<th scope="col">Field</th><th scope="col">What</th>'))
  assert.ok(text.includes('<td><code>a</code></td><td><strong>b</strong> &lt;i'))
  assert.doesNotMatch(text, /\|/)
})

test('the front page links to the reference, the changelog, the document and the health check', async () => {
  const { text } = await get('/')
  for (const href of [
    '/docs',
    '/docs/reference',
    '/docs/errors',
    '/docs/machines',
    '/changelog',
    '/openapi.json',
    '/healthz',
  ])
    assert.ok(text.includes(`href="${href}"`), href)
  assert.ok(text.includes('curl https://pay.example/v1/charges'))
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

test('a heading that is asked for stands first, and a code leads to its place among the errors', async () => {
  const firstOf = async (q: string) =>
    /<li><a href="([^"]+)"/.exec((await get(`/docs?q=${encodeURIComponent(q)}`)).text)?.[1]
  assert.equal(await firstOf('limits'), '/docs#limits')
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
