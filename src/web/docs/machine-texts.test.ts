import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import Fastify, { type FastifyInstance } from 'fastify'
import { parse } from 'yaml'
import { ERROR_CODES } from '../../api/http/openapi/error-codes.ts'
import { ENDPOINTS } from '../../program/api.ts'
import { describeProduct } from './describe-product.ts'
import { readGuide } from './guide.ts'
import { registerDocs } from './routes.ts'

const BASE_URL = 'https://pay.example'
const MAX_FULL_BYTES = 400_000

let server: FastifyInstance
let url: string

before(async () => {
  server = Fastify({ exposeHeadRoutes: false })
  const openapi = describeProduct(ENDPOINTS, BASE_URL)
  registerDocs(server, {
    baseUrl: BASE_URL,
    openapi,
    guide: readGuide(ENDPOINTS, BASE_URL),
    changelog: '# Changelog',
    readStatus: async () => ({ asOf: new Date(0), measures: [] }),
  })
  url = await server.listen({ port: 0, host: '127.0.0.1' })
})
after(() => server.close())

async function get(path: string) {
  const response = await fetch(`${url}${path}`)
  return { status: response.status, type: response.headers.get('content-type'), text: await response.text() }
}

/** The Markdown to which /llms.txt leads, as a program reads it that knows nothing else. */
async function walkFromList(): Promise<string> {
  const { text } = await get('/llms.txt')
  const links = [...text.matchAll(/\]\(https:\/\/pay\.example(\/[^)]+)\)/g)].map(([, path = '']) => path)
  assert.ok(links.length >= 18, `${links}`)
  const read: string[] = []
  for (const path of links) {
    const page = await get(path)
    assert.equal(page.status, 200, path)
    if (!path.endsWith('.md')) continue
    assert.equal(page.type, 'text/markdown; charset=utf-8', path)
    assert.match(page.text, /^# \S/, path)
    assert.doesNotMatch(page.text, /<!--|\{base_url\}/, path)
    read.push(page.text)
  }
  return read.join('\n')
}

/** The name of each property and parameter in a part of the description. */
function namesIn(part: unknown, found = new Set<string>()): Set<string> {
  if (part === null || typeof part !== 'object') return found
  for (const [name, value] of Object.entries(part)) {
    if (name === 'example' || name === 'examples') continue
    if (name === 'properties') for (const property of Object.keys(value)) found.add(property)
    // Those that many operations take stand once, under the components.
    if (name === 'parameters')
      for (const parameter of Object.values<{ name?: string }>(value))
        if (parameter.name !== undefined) found.add(parameter.name)
    namesIn(value, found)
  }
  return found
}

test('a program that has /llms.txt alone finds each operation, event, code and field', async () => {
  const markdown = await walkFromList()
  const document = JSON.parse((await get('/openapi.json')).text)
  const missing: string[] = []
  const look = (what: string, text: string) => markdown.includes(text) || missing.push(`${what} ${text}`)
  for (const [path, item] of Object.entries<object>(document.paths))
    for (const method of Object.keys(item)) look('operation', `### \`${method.toUpperCase()} ${path}\``)
  for (const event of Object.keys(document.webhooks)) look('event', `### \`${event}\``)
  for (const schema of Object.keys(document.components.schemas)) look('object', `### ${schema}\n`)
  for (const code of Object.keys(ERROR_CODES)) look('code', `### ${code}\n`)
  const names = namesIn(document)
  assert.ok(names.size > 150, `${names.size}`)
  for (const name of names)
    if (!new RegExp(`\`(?:[\\w[\\].-]+\\.)?${name}\``).test(markdown)) missing.push(`field ${name}`)
  assert.deepEqual(missing, [])
})

test('all of it is in one file too', async () => {
  const { text, type } = await get('/llms-full.txt')
  assert.equal(type, 'text/plain; charset=utf-8')
  for (const path of ['/docs.md', '/docs/reference.md', '/docs/start.md', '/docs/errors.md', '/docs/machines.md'])
    assert.ok(text.includes((await get(path)).text), path)
  assert.ok(Buffer.byteLength(text) < MAX_FULL_BYTES)
})

test('the YAML says what the JSON says, word for word', async () => {
  const yaml = await get('/openapi.yaml')
  assert.equal(yaml.type, 'application/yaml; charset=utf-8')
  assert.match(yaml.text, /^openapi: 3\.1\.0\n/)
  assert.deepEqual(parse(yaml.text), JSON.parse((await get('/openapi.json')).text))
})

test('robots stay away from pages of people and from the API, and find the guide', async () => {
  const { text } = await get('/robots.txt')
  const kept = [...text.matchAll(/^Disallow: (.+)$/gm)].map(([, path = '']) => path)
  for (const path of ['/dashboard/sign-in', '/console', '/v1/charges', '/inbound/vendor/dispense-result'])
    assert.ok(
      kept.some((start) => path.startsWith(start)),
      path,
    )
  for (const path of ['/', '/docs', '/docs/limits.md', '/llms.txt', '/changelog'])
    assert.ok(!kept.some((start) => path.startsWith(start)), path)
})

test('the rows of a table of the reference have as many cells as its head', async () => {
  const lines = (await get('/docs/reference.md')).text.split('\n')
  const cellsOf = (line: string) => line.replaceAll('\\|', '').split('|').length
  let head = 0
  for (const [nth, line] of lines.entries()) {
    if (!line.startsWith('|')) continue
    if (!lines[nth - 1]?.startsWith('|')) head = cellsOf(line)
    assert.equal(cellsOf(line), head, line)
  }
})

test('both collections have every request with a key, with the headers that it needs and no id that is none of theirs', async () => {
  const description = JSON.parse((await get('/openapi.json')).text)
  const asked = Object.entries<any>(description.paths).flatMap(([path, operations]) =>
    Object.entries<any>(operations)
      .filter(([, { security }]) => security === undefined)
      .map(([method, { summary }]) => ({ name: summary, method: method.toUpperCase(), steps: path.split('/').length })),
  )
  const { item: folders, variable } = JSON.parse((await get('/postman.json')).text)
  const requests = folders.flatMap(({ item }: any) => item)
  const known = ['$timestamp', '$guid', ...variable.map(({ key }: any) => key)]
  for (const { name, method, steps } of asked) {
    const { request } = requests.find((one: any) => one.name === name)
    assert.deepEqual([request.method, request.url.path.length + 1], [method, steps], name)
    if (method === 'POST') assert.equal(request.header[0].key, 'X-Timestamp', name)
    for (const [, used = ''] of JSON.stringify(request).matchAll(/\{\{([^}]+)\}\}/g))
      assert.ok(known.includes(used), used)
  }
  const charge = requests.find(
    ({ request }: any) => request.url.raw.endsWith('/v1/charges') && request.method === 'POST',
  )
  assert.deepEqual(
    charge.request.header.map(({ key, value }: any) => [key, value]),
    [
      ['X-Timestamp', '{{$timestamp}}'],
      ['Idempotency-Key', '{{$guid}}'],
    ],
  )
  const archive = (await get('/bruno.zip')).text
  for (const { name } of asked) assert.ok(archive.includes(`name: ${name}\n`), name)
})
