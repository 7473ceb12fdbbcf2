import assert from 'node:assert/strict'
import test from 'node:test'
import { eventually } from '../helpers/service/live-service.ts'
import { openedAndVerified } from '../helpers/service/opened.ts'
import { CHARGE, startService } from '../helpers/service/test-service.ts'
import { openedCli } from './cli-program.ts'
import { openFakeService } from './sdk-fake-service.ts'

// With its background work, because requests are written to their log there.
const service = openedAndVerified(() => startService({ role: 'all' }))
const cli = openedCli()

const BEGUN = /Requests as they are answered\. Ctrl-C ends\.\n/

async function shop() {
  const { keys } = await service.merchant()
  const user = cli.newUser({ GATEWAY_URL: service.url, GATEWAY_API_KEY: keys.test })
  return { keys, user, api: service.client(keys.test) }
}

test('requests are listed with the filters of the API, as a table and as JSON, and one by its id', async () => {
  const { keys, user, api } = await shop()
  await api.charge(CHARGE)
  await api.get('/v1/charges/txn_none?page=2', { 'x-request-id': 'mine-1' })
  await eventually('they are in the log', async () => {
    const { body } = await api.get('/v1/requests?request_id=mine-1')
    return body.data.length === 1
  })
  const table = await user.run('logs --method GET --route /v1/charges/:id')
  const [head, line] = table.stdout.trimEnd().split('\n')
  assert.match(head ?? '', /^TIME +STATUS +METHOD +ROUTE +CODE +MS +KEY +REQUEST ID +IGNORED$/)
  const end = keys.test.slice(-4)
  assert.match(
    line ?? '',
    new RegExp(`^20\\S+ +404 +GET +/v1/charges/:id +not_found +[\\d.]+ +\\.\\.\\.${end} +mine-1 +page$`),
  )
  const { data, has_more } = await user.json('logs --failed')
  assert.deepEqual([data.map(({ request_id }: any) => request_id), has_more], [['mine-1'], false])
  const one = await user.run(`logs get ${data[0].id}`)
  assert.match(one.stdout, /^error +charge not found$/m)
  const posts = await user.json(`logs --status 2xx --method POST --key-last4 ${end}`)
  assert.deepEqual(
    posts.data.map(({ route }: any) => route),
    ['/v1/charges'],
  )
  const none = await user.run('logs --status 5xx')
  assert.deepEqual([none.code, none.stdout, none.stderr], [0, '', 'there are no such requests\n'])
})

test('a log that is followed shows each request once, in order and without its own reads, and Ctrl-C says how to go on', async () => {
  const { user, api } = await shop()
  const before = await api.get('/v1/me')
  const following = user.start('logs --follow')
  await following.says(BEGUN)
  const asked = [
    await api.get('/v1/balance'),
    await api.charge(CHARGE),
    await api.get('/v1/charges?status=paid&page=2'),
  ]
  const ids = asked.map(({ headers }) => headers.get('x-request-id'))
  await following.says(
    new RegExp(
      `400 {2}GET /v1/charges {2}bad_request {2}in [\\d.]+ ms {2}\\.\\.\\..{4} {2}${ids[2]} {2}ignored: page\n`,
    ),
  )
  const lines = following.said.stdout.trimEnd().split('\n')
  assert.deepEqual(
    lines.map((line) => ids.findIndex((id) => line.includes(`${id}`))),
    [0, 1, 2],
    following.said.stdout,
  )
  assert.ok(!following.said.stdout.includes(before.headers.get('x-request-id') ?? ''))
  const ended = await following.interrupt()
  assert.equal(ended.code, 0)
  const [, cursor = ''] = /\n3 requests\. Go on with --follow --ending-before (req_\w+)\n$/.exec(ended.stderr) ?? []
  const later = await api.get('/v1/charges/txn_none')
  const again = user.start(`logs --follow --failed --ending-before ${cursor} --json`)
  await again.says(/"status":404/)
  const { stdout, stderr, code } = await again.interrupt()
  const rows = stdout.trimEnd().split('\n')
  assert.deepEqual(
    rows.map((row) => JSON.parse(row).request_id),
    [later.headers.get('x-request-id')],
  )
  const notes = stderr.trimEnd().split('\n')
  assert.deepEqual(
    notes.map((note) => JSON.parse(note)),
    [
      { following: true, from: cursor },
      { following: false, requests: 1, cursor: JSON.parse(rows[0] ?? '').id },
    ],
  )
  assert.equal(code, 0)
})

test('where the limit of reads is full it waits as long as the service says, and goes on', async () => {
  const row = (id: string, status: number) => ({
    ...{ id, request_id: id, mode: 'test', method: 'GET', route: '/v1/me', status, code: null, error: null },
    ...{ duration_ms: 1, idempotency_status: null, key_last4: 'abcd', object_id: null, ignored_parameters: [] },
    created_at: '2026-07-01T10:00:00.000Z',
  })
  const page = (data: object[]) => ({ body: { object: 'list', data, has_more: false, next_cursor: null } })
  const full = { error: 'rate limit exceeded', code: 'rate_limited', request_id: 'r' }
  const fake = await openFakeService([
    page([row('req_1', 200)]),
    { status: 429, headers: { 'retry-after': '1' }, body: full },
    page([row('req_3', 201), row('req_2', 200)]),
    page([]),
  ])
  try {
    const following = cli.newUser({ GATEWAY_URL: fake.url, GATEWAY_API_KEY: 'sk_test_x' }).start('logs --follow')
    await following.says(/the limit of reads is full: going on in 1 s\n/)
    await eventually('it goes on asking', () => fake.asked.length > 3)
    const { stdout, stderr } = await following.interrupt()
    assert.match(stdout, /^\S+ {2}200 {2}GET \/v1\/me .* req_2\n\S+ {2}201 {2}GET \/v1\/me .* req_3\n$/)
    assert.match(stderr, /\n2 requests\. Go on with --follow --ending-before req_3\n$/)
    assert.deepEqual(
      fake.asked.map(({ path }) => path),
      ['?limit=1', ...['req_1', 'req_1', 'req_3'].map((id) => `?ending_before=${id}&limit=100`)].map(
        (query) => `/v1/requests${query}`,
      ),
    )
  } finally {
    await fake.close()
  }
})
