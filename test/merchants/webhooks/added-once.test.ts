import assert from 'node:assert/strict'
import test from 'node:test'
import { startReceiver } from '../../fakes/receiver.ts'
import { opened, openedAndVerified } from '../../helpers/service/opened.ts'
import { type Client, startService } from '../../helpers/service/test-service.ts'
import { act, further } from '../../helpers/web/addresses.ts'

const PATH = '/v1/webhook-addresses'
const AT_ONCE = 10

const books = opened(() => startReceiver())
const service = openedAndVerified(() => startService({ env: { WEBHOOK_ALLOW_PRIVATE: books.place } }))

async function shop(): Promise<Client> {
  return service.client((await service.merchant()).keys.test)
}
const add = (api: Client, key: string, body: object = { url: books.url }) =>
  api.post(PATH, body, { 'Idempotency-Key': key })

test('an address that is added again under its key is the same one, and shows the same secret', async () => {
  const api = await shop()
  const first = await add(api, 'books')
  assert.deepEqual([first.status, first.headers.get('idempotency-status')], [201, 'new'])
  assert.match(first.body.secret, /^whsec_/)
  // A service that has lost the name of the receiver meanwhile answers as before: nothing is asked for anew.
  const again = await add(api, 'books')
  assert.deepEqual([again.status, again.headers.get('idempotency-status')], [201, 'replayed'])
  assert.deepEqual(again.body, first.body)
  assert.deepEqual(
    (await further(api)).map(({ id }) => id),
    [first.body.id],
  )
  const stored = await service.rows<{ body: string }>(`select body from idempotency_keys where key = 'books'`)
  assert.equal(stored.length, 1)
  assert.doesNotMatch(stored[0]?.body ?? '', /whsec_/)
})

test('of ten at once under one key one adds an address, and no answer tells of another', async () => {
  const api = await shop()
  const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => add(api, 'at-once')))
  const [own, ...more] = await further(api)
  assert.deepEqual(more, [])
  const made = answers.filter(({ status }) => status === 201)
  assert.ok(made.length > 0)
  for (const { body } of made) assert.equal(body.id, own.id)
  assert.equal(new Set(made.map(({ body }) => body.secret)).size, 1)
  for (const { status, body } of answers) if (status !== 201) assert.deepEqual([status, body.code], [409, 'conflict'])
})

test('a key that was used for something else, and one whose secret is shown no more, are refused', async () => {
  const api = await shop()
  const { body: own } = await add(api, 'mine')
  const other = await add(api, 'mine', { url: `${books.url}/other` })
  assert.deepEqual([other.status, other.body.code], [409, 'conflict'])
  assert.equal((await add(api, 'twice')).body.error, 'this is one of your addresses already')
  assert.equal((await add(api, 'twice')).headers.get('idempotency-status'), 'replayed')
  assert.equal((await act(api, own.id, '/rotate')).status, 200)
  const rotated = await add(api, 'mine')
  assert.deepEqual(
    [rotated.status, rotated.body.code, rotated.body.error],
    [400, 'secret_gone', 'this address was added under this key; its secret was replaced since, or it was removed'],
  )
  const { body: gone } = await add(api, 'gone', { url: `${books.url}/gone` })
  assert.equal((await act(api, gone.id, '/remove')).status, 200)
  assert.equal((await add(api, 'gone', { url: `${books.url}/gone` })).body.code, 'secret_gone')
})

test('without a key each call adds an address of its own', async () => {
  const api = await shop()
  assert.equal((await api.post(PATH, { url: books.url })).status, 201)
  assert.equal((await api.post(PATH, { url: books.url })).body.error, 'this is one of your addresses already')
})
