import assert from 'node:assert/strict'
import test from 'node:test'
import { ENDPOINTS } from '../../../src/program/api.ts'
import { opened, prepare } from '../../helpers/service/opened.ts'
import { type Client, startService } from '../../helpers/service/test-service.ts'

let api: Client
const service = opened(() => startService())
prepare(async () => {
  api = service.client((await service.merchant({ vending: true })).keys.test)
})

const BY_ID = ENDPOINTS.filter(({ path }) => path.includes(':'))
// The first is the longest that was ever looked at as an id, the last the longest that a request has room for.
const LENGTHS = [256, 257, 300, 5000, 15_000]

for (const { method, path } of BY_ID)
  test(`C22: ${method} ${path} answers an id of any length like any other that nobody has`, async () => {
    const ask = (id: string, client = api) => {
      const at = path.replace(/:\w+/, id)
      return method === 'GET' ? client.get(at) : client.post(at, {})
    }
    const usual = await ask('a'.repeat(20))
    assert.notEqual(usual.body.error, 'not found')
    for (const length of LENGTHS) {
      const { status, body } = await ask('a'.repeat(length))
      assert.deepEqual(
        { length, status, error: body.error, code: body.code },
        { length, status: usual.status, error: usual.body.error, code: usual.body.code },
      )
      const stranger = await ask('a'.repeat(length), service.client('sk_test_nobody'))
      assert.deepEqual([stranger.status, stranger.body.error], [401, 'invalid api key'])
    }
  })

test('C22: a page of a link with an endless id is the page that says so', async () => {
  for (const path of ['/pay/', '/pay/@', '/vending/display/']) {
    const page = await fetch(`${service.url}${path}${'a'.repeat(2000)}`, { headers: { accept: 'text/html' } })
    const usual = await fetch(`${service.url}${path}${'a'.repeat(20)}`, { headers: { accept: 'text/html' } })
    assert.deepEqual(
      [page.status, await page.text()],
      [usual.status, (await usual.text()).replaceAll('a'.repeat(20), 'a'.repeat(2000))],
    )
  }
})
