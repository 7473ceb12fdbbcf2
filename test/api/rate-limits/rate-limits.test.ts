import assert from 'node:assert/strict'
import { connect } from 'node:net'
import test from 'node:test'
import { opened } from '../../helpers/service/opened.ts'
import { type Client, type Reply, startService } from '../../helpers/service/test-service.ts'
import { FEE, KEY_REQUIRED } from '../http/known-refusals.ts'
import { requestOf } from '../http/raw-socket.ts'
import { assertRefused, unauthorized } from '../http/refused.ts'
import { stillClock } from './still-clock.ts'

const MINUTE = 60_000
const clock = stillClock()
const env = {
  RATE_LIMIT_CHARGES: '5',
  RATE_LIMIT_READS: '6',
  RATE_LIMIT_ALL: '25',
  RATE_LIMIT_WEBHOOK_RESEND: '2',
}
const service = opened(() => startService({ clock, env }))
const other = opened(() => startService({ clock, env, database: service.database }))

const newKey = async () => (await service.merchant()).keys.test
const newClient = async () => service.client(await newKey())

function assertTooMany(reply: Reply, seconds: number, because = ''): void {
  const error = `rate limit exceeded - retry in ${seconds} seconds`
  assertRefused(reply, { status: 429, code: 'rate_limited', error }, { retryAfter: String(seconds), because })
}
async function times(count: number, send: () => Promise<Reply>, status: number): Promise<void> {
  for (let nth = 0; nth < count; nth += 1) assert.equal((await send()).status, status, `the ${nth + 1}th`)
}

test('five charges pass in any 60 s, to the millisecond, and the sixth is told how long to wait', async () => {
  const api = await newClient()
  for (let nth = 0; nth < 5; nth += 1) {
    assert.equal((await api.charge()).status, 201)
    clock.advance(1000)
  }
  const before = await service.digest()
  const refused = { 'idempotency-key': 'the sixth' }
  assertTooMany(await api.charge({}, refused), 55)
  assert.equal(await service.digest(), before, 'zero writes')
  clock.advance(54_999)
  assertTooMany(await api.charge({}, refused), 1, 'the first is 59.999 s old')
  clock.advance(1)
  const sixth = await api.charge({}, refused)
  assert.deepEqual([sixth.status, sixth.headers.get('idempotent-replayed')], [201, null], 'its key was free')
  assertTooMany(await api.charge(), 1, 'only one place came free')
  clock.advance(1000)
  assert.equal((await api.charge()).status, 201)
  clock.advance(MINUTE)
  await times(5, () => api.charge(), 201)
  assertTooMany(await api.charge(), 60)
})

test('what is refused gives its place back: faults of form, rules, reused keys', async () => {
  const api = await newClient()
  await times(4, () => api.charge(), 201)
  await times(3, () => api.charge({ amount: 1 }), 400)
  await times(3, () => api.charge({ amount: 'x' }), 400)
  await times(3, () => api.charge({}, { 'idempotency-key': undefined }), 400)
  assert.equal((await api.charge({}, { 'idempotency-key': 'last' })).status, 201)
  assertTooMany(await api.charge(), 60)
})

test('a replay of a charge takes a place, a replay of a refusal gives it back', async () => {
  const api = await newClient()
  const key = { 'idempotency-key': 'mine' }
  const wrong = { 'idempotency-key': 'wrong' }
  assertRefused(await api.charge({ amount: 1 }, wrong), FEE)
  await times(4, () => api.charge({}, key), 201)
  await times(3, () => api.charge({ amount: 1 }, wrong), 400)
  await times(3, () => api.charge({ amount: 6000 }, key), 409)
  assert.equal((await api.charge({}, key)).headers.get('idempotent-replayed'), 'true')
  assertTooMany(await api.charge({}, key), 60, 'a replay waits like everything else')
})

test('a full window speaks before the timestamp, the key and the body, but after the bearer', async () => {
  const api = await newClient()
  await times(5, () => api.charge(), 201)
  assertTooMany(await api.charge({}, { 'x-timestamp': undefined }), 60)
  assertTooMany(await api.charge({}, { 'idempotency-key': undefined }), 60)
  assertTooMany(await api.post('/v1/charges', 'no JSON'), 60)
  assertRefused(await api.charge({}, { authorization: undefined }), unauthorized('missing bearer token'))
})

test('each merchant and each mode has windows of its own, both scopes of keys share them', async () => {
  const [a, b] = [await service.merchant({ verified: true }), await service.merchant()]
  await times(3, () => service.client(a.keys.test).charge(), 201)
  await times(2, () => service.client(a.keys.test_collections).charge(), 201)
  assertTooMany(await service.client(a.keys.test).charge(), 60)
  assertTooMany(await service.client(a.keys.test_collections).charge(), 60)
  assert.equal((await service.client(a.keys.live).charge()).status, 502, 'it came as far as the rail')
  assert.equal((await service.client(b.keys.test).charge()).status, 201)
  assert.equal((await service.client(a.keys.test).get('/v1/charges')).status, 200)
})

test('of ten at once in one service exactly five pass', async () => {
  for (let round = 0; round < 4; round += 1) {
    const api = await newClient()
    const replies = await Promise.all(Array.from({ length: 10 }, () => api.charge()))
    assert.deepEqual(replies.map(({ status }) => status).sort(), [...Array(5).fill(201), ...Array(5).fill(429)])
  }
})

test('two services share one exact window: of ten at once over both exactly five pass', async () => {
  for (let round = 0; round < 6; round += 1) {
    const key = await newKey()
    const clients = [service.client(key), other.client(key)]
    for (let minute = 0; minute < 2; minute += 1) {
      const sent = Array.from({ length: 10 }, (_, nth) => (clients[nth % 2] as Client).charge())
      const replies = await Promise.all(sent)
      const accepted = replies.filter(({ status }) => status === 201).length
      assert.equal(accepted, 5, `round ${round}, minute ${minute}`)
      for (const reply of replies.filter(({ status }) => status !== 201)) assertTooMany(reply, 60)
      clock.advance(MINUTE)
    }
  }
})

test('reads have a window of their own; a 404 and a bad query give their place back', async () => {
  const api = await newClient()
  await times(5, () => api.get('/v1/charges'), 200)
  await times(3, () => api.get('/v1/charges/txn_absent'), 404)
  await times(3, () => api.get('/v1/charges?limit=0'), 400)
  assert.equal((await api.get('/v1/me')).status, 200)
  assertTooMany(await api.get('/v1/balance'), secondsToWait())
  assertTooMany(await api.get('/v1/charges?limit=0'), secondsToWait(), 'before the query is looked at')
  assert.equal((await api.charge()).status, 201)
  clock.advance(MINUTE + 1000)
  await times(6, () => api.get('/v1/me'), 200)
})

test('a resend has a window of its own, and a refused one gives its place back', async () => {
  const api = await newClient()
  await api.charge()
  clock.advance(2000)
  await service.run('follow-charges')
  const [event] = (await api.get('/v1/webhooks')).body.data
  const resend = (id: string) => api.post(`/v1/webhooks/${id}/resend`)
  await times(2, () => resend('evt_absent'), 404)
  await times(2, () => resend('nonsense'), 400)
  await times(2, () => resend(event.id), 202)
  assertTooMany(await resend(event.id), 60)
  assertTooMany(await resend('nonsense'), 60)
})

test('a place is given back also when the second has changed meanwhile', async () => {
  const key = await newKey()
  const api = service.client(key)
  assert.equal((await api.get('/v1/me')).status, 200, 'the key is remembered from here on')
  for (let nth = 0; nth < 2; nth += 1) assert.match(await resendAcrossSeconds(key), / 404 Not Found/)
  assert.equal((await api.post('/v1/webhooks/evt_absent/resend')).status, 404)
})

test('the total counts everything, refusals too', async () => {
  const api = await newClient()
  await times(10, () => api.charge({ amount: 1 }), 400)
  await times(10, () => api.get('/v1/charges/txn_absent'), 404)
  await times(5, () => api.charge({}, { 'x-timestamp': undefined }), 400)
  assertTooMany(await api.charge(), secondsToWait())
  assertTooMany(await api.get('/v1/me'), secondsToWait())
  assertRefused(await api.get('/v1/nowhere'), { status: 404, code: 'not_found', error: 'not found' })
  clock.advance(MINUTE + 1000)
  assertRefused(await api.charge({}, { 'idempotency-key': '' }), KEY_REQUIRED)
  assert.equal((await api.charge()).status, 201)
})

test('the total counts what another limit has refused', async () => {
  const api = await newClient()
  await times(5, () => api.charge(), 201)
  await times(20, () => api.charge(), 429)
  assertTooMany(await api.get('/v1/me'), secondsToWait())
})

test('a window that is full in one service is full in the other once they have told each other', async () => {
  const key = await newKey()
  const [here, there] = [service.client(key), other.client(key)]
  await times(6, () => here.get('/v1/me'), 200)
  await tellEachOther()
  assert.equal((await there.get('/v1/me')).status, 429)
  assertTooMany(await here.get('/v1/me'), secondsToWait())
  clock.advance(MINUTE + 3000)
  await tellEachOther()
  assert.equal((await there.get('/v1/me')).status, 200)
})

test('a limit of 0 switches each of them off', async () => {
  const free = await startService({ clock, database: service.database })
  try {
    const api = free.client(await newKey())
    await times(30, () => api.charge(), 201)
    await times(30, () => api.get('/v1/me'), 200)
  } finally {
    await free.close()
  }
})

/** A refused resend whose body comes a second after its headers were judged. Answers what was said. */
function resendAcrossSeconds(key: string): Promise<string> {
  const { hostname, port } = new URL(service.url)
  const headers = [
    `Authorization: Bearer ${key}`,
    `X-Timestamp: ${Math.floor(clock.nowMs() / 1000)}`,
    'Content-Length: 2',
    'Connection: close',
    'Expect: 100-continue',
  ]
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname)
    let said = ''
    socket.on('error', reject)
    socket.on('close', () => resolve(said))
    socket.on('data', (chunk) => {
      if (said === '') {
        clock.advance(1000)
        socket.write('{}')
      }
      said += chunk
    })
    socket.write(requestOf('POST /v1/webhooks/evt_absent/resend', headers))
  })
}

/** These windows count in whole seconds: until the second of the first has left them. */
const secondsToWait = () => Math.ceil(((Math.floor(clock.nowMs() / 1000) + 61) * 1000 - clock.nowMs()) / 1000)

async function tellEachOther(): Promise<void> {
  await service.app.windows.exchangeCounts(service.app.db, 'here', clock.now())
  await other.app.windows.exchangeCounts(other.app.db, 'there', clock.now())
  await service.app.windows.exchangeCounts(service.app.db, 'here', clock.now())
}
