import assert from 'node:assert/strict'
import { request } from 'node:http'
import { after, before, test } from 'node:test'
import Fastify, { type FastifyInstance } from 'fastify'
import { ENDPOINTS } from '../../program/api.ts'
import { describeProduct } from './describe-product.ts'
import { readGuide } from './guide.ts'
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
const GUIDE = readGuide(ENDPOINTS, 'https://pay.example')
const PAGES = ['/', '/docs/reference', '/changelog', '/status', ...GUIDE.map(({ path }) => path)]

let server: FastifyInstance
let url: string

before(async () => {
  server = Fastify({ exposeHeadRoutes: false })
  const openapi = describeProduct(ENDPOINTS, 'https://pay.example')
  registerDocs(server, {
    baseUrl: 'https://pay.example',
    openapi,
    guide: GUIDE,
    changelog: CHANGELOG,
    readStatus: async () => ({ asOf: new Date(0), measures: [] }),
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

test('each asset has the type of its content, and may be cached for an hour', async () => {
  const types = {
    'docs.css': 'text/css; charset=utf-8',
    'icon.svg': 'image/svg+xml',
    'tokens.css': 'text/css; charset=utf-8',
    'guide.css': 'text/css; charset=utf-8',
    'guide.js': 'application/javascript; charset=utf-8',
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
  assert.ok(text.includes('<a href="https://example.com/a">elsewhere</a>\non a second line</li>'))
  assert.ok(text.includes('<code>GET /v1/&lt;id&gt;</code>'))
  assert.ok(text.includes('<pre tabindex="0"><code>&lt;b&gt;not bold&lt;/b&gt;</code></pre>'))
})

test('text in the changelog is shown as text: it produces no element and no dangerous link', async () => {
  const { text } = await get('/changelog')
  assert.ok(text.includes('&lt;script&gt;alert(1)&lt;/script&gt;'))
  assert.doesNotMatch(text, /<script/)
  assert.doesNotMatch(text, /href="(?:javascript|\/\/)/)
})

test('the page for machine makers has tables, and the address of this gateway', async () => {
  const { text } = await get('/docs/machines')
  assert.ok(text.includes('<code>POST https://pay.example/inbound/vendor/dispense-result</code>'))
  assert.ok(text.includes('<th scope="col">Field</th><th scope="col">Needed</th>'))
  assert.doesNotMatch(text, /\|---|\{base_url\}/)
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
