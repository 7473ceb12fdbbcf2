import assert from 'node:assert/strict'
import test from 'node:test'
import { RATE_NAMES } from '../../../src/api/rate-limits/rates.ts'
import { ENDPOINTS } from '../../../src/program/api.ts'
import { eventually } from '../../helpers/service/live-service.ts'
import { opened } from '../../helpers/service/opened.ts'
import { type Client, type Reply, startService } from '../../helpers/service/test-service.ts'
import { stillClock } from './still-clock.ts'

const MINUTE = 60_000
const clock = stillClock()
const env = {
  RATE_LIMIT_CHARGES: '3',
  RATE_LIMIT_PAYMENT_LINKS: '4',
  RATE_LIMIT_READS: '5',
  RATE_LIMIT_ALL: '40',
}
const LARGE = Object.fromEntries(
  RATE_NAMES.map((name) => [`RATE_LIMIT_${name.toUpperCase()}`, name === 'all' ? '0' : '20000']),
)
const service = opened(() => startService({ clock, env }))
const other = opened(() => startService({ clock, env, database: service.database }))
const leased = opened(() => startService({ clock, env: LARGE }))
const free = opened(() => startService({ clock, env: { RATE_LIMIT_READS: '600' } }))

const newClient = async () => service.client((await service.merchant()).keys.test)
const policies = ({ headers }: Reply) => headers.get('ratelimit-policy')
const limits = ({ headers }: Reply) => headers.get('ratelimit')
const keyStatus = ({ headers }: Reply) => headers.get('idempotency-status')
const told = (reply: Reply) => [reply.status, limits(reply)]

/** The clock stands at the beginning of a second, so that windows by the second are told exactly. */
function toWholeSecond(): void {
  clock.advance(2 * MINUTE - (clock.nowMs() % 1000))
}

test('a charge tells both limits that count it, and when one more fits', async () => {
  const api = await newClient()
  toWholeSecond()
  const first = await api.charge()
  assert.equal(policies(first), '"charges";q=3;w=60, "all";q=40;w=60')
  assert.deepEqual(told(first), [201, '"charges";r=2;t=60, "all";r=39;t=61'])
  clock.advance(20_000)
  assert.deepEqual(told(await api.charge()), [201, '"charges";r=1;t=40, "all";r=38;t=41'])
  assert.deepEqual(told(await api.charge()), [201, '"charges";r=0;t=40, "all";r=37;t=41'])
  const refused = await api.charge()
  assert.deepEqual(told(refused), [429, '"charges";r=0;t=40, "all";r=36;t=41'])
  assert.equal(refused.headers.get('retry-after'), '40', 'never earlier than what the limit says')
  assert.equal(policies(refused), '"charges";q=3;w=60, "all";q=40;w=60')
  clock.advance(40_000)
  assert.deepEqual(told(await api.charge()), [201, '"charges";r=0;t=20, "all";r=35;t=1'])
})

test('reads have a limit of their own', async () => {
  const api = await newClient()
  toWholeSecond()
  const first = await api.get('/v1/charges')
  assert.equal(policies(first), '"reads";q=5;w=60, "all";q=40;w=60')
  assert.deepEqual(told(first), [200, '"reads";r=4;t=61, "all";r=39;t=61'])
  for (let nth = 0; nth < 4; nth += 1) await api.get('/v1/charges')
  const refused = await api.get('/v1/charges')
  assert.deepEqual(told(refused), [429, '"reads";r=0;t=61, "all";r=34;t=61'])
  assert.equal(refused.headers.get('retry-after'), '61')
})

test('what is refused has given its place back in what is told', async () => {
  const api = await newClient()
  toWholeSecond()
  assert.deepEqual(told(await api.get('/v1/charges?limit=0')), [400, '"reads";r=5;t=61, "all";r=39;t=61'])
  assert.deepEqual(told(await api.get('/v1/charges/txn_none')), [404, '"reads";r=5;t=61, "all";r=38;t=61'])
  assert.deepEqual(told(await api.get('/v1/charges')), [200, '"reads";r=4;t=61, "all";r=37;t=61'])
  const wrong = await api.post('/v1/payment-links', { title: 'Socks', amount: 'x' })
  assert.deepEqual(told(wrong), [400, '"payment_links";r=4;t=60, "all";r=36;t=61'])
  assert.deepEqual(told(await api.post('/v1/payment-links', { title: 'Socks', amount: 5000 })), [
    201,
    '"payment_links";r=3;t=60, "all";r=35;t=61',
  ])
})

test('a limit that this process has not looked at yet is told without a number of its own', async () => {
  const api = await newClient()
  toWholeSecond()
  const refused = await api.charge({}, { 'x-timestamp': undefined })
  assert.equal(policies(refused), '"charges";q=3;w=60, "all";q=40;w=60')
  assert.deepEqual(told(refused), [400, '"all";r=39;t=61'])
})

test('a process tells what the others have counted as soon as it counts itself', async () => {
  const { keys } = await service.merchant()
  const [here, there] = [service.client(keys.test), other.client(keys.test)]
  toWholeSecond()
  assert.match(limits(await here.charge()) ?? '', /"charges";r=2;t=60/)
  assert.match(limits(await there.charge()) ?? '', /"charges";r=1;t=60/)
  assert.match(limits(await here.charge()) ?? '', /"charges";r=0;t=60/)
})

test('a key without the right, and one of a collector, are told their limits; without a key there are none', async () => {
  const { keys } = await service.merchant()
  const forbidden = await service.client(keys.test_collections).get('/v1/payouts')
  assert.deepEqual([forbidden.status, policies(forbidden)], [403, '"reads";q=5;w=60, "all";q=40;w=60'])
  const api = service.client(keys.test)
  const without: [string, Record<string, string>][] = [
    ['/v1/charges', { authorization: '' }],
    ['/v1/charges', { authorization: 'Bearer sk_test_unknown' }],
    ['/v1/nothing', {}],
    ['/healthz', { authorization: '' }],
  ]
  for (const [path, headers] of without) {
    const reply = await api.get(path, headers)
    assert.deepEqual([policies(reply), limits(reply)], [null, null], path)
  }
})

test('thousands of charges counted in advance are told one by one', async () => {
  const api = leased.client((await leased.merchant()).keys.test)
  toWholeSecond()
  for (let nth = 1; nth <= 3; nth += 1) {
    const reply = await api.charge()
    assert.equal(policies(reply), '"charges";q=20000;w=60')
    assert.match(limits(reply) ?? '', new RegExp(`^"charges";r=${20_000 - nth};t=[0-9]+$`))
  }
})

test('where nothing is limited, nothing is told', async () => {
  const api = free.client((await free.merchant()).keys.test)
  const charge = await api.charge()
  assert.deepEqual([charge.status, policies(charge), limits(charge)], [201, null, null])
  assert.equal(policies(await api.get('/v1/charges')), '"reads";q=600;w=60')
})

test('a merchant is told the limit that staff have granted it', async () => {
  const merchant = await service.merchant()
  await service.set(merchant, { rateLimits: { charges: 9 } })
  const api = service.client(merchant.keys.test)
  await eventually('the process knows', async () => (policies(await api.charge()) ?? '').includes('q=9;'))
  toWholeSecond()
  assert.equal(policies(await api.charge()), '"charges";q=9;w=60, "all";q=40;w=60')
})

test('every endpoint with a key tells its limit by the name under which it is counted', async () => {
  const many = await leased.merchant()
  const api = leased.client(many.keys.test)
  for (const { method, path, rate } of ENDPOINTS) {
    const address = path.replace(/:[a-z_]+/g, 'none')
    const reply: Reply = await (method === 'GET' ? api.get(address) : api.post(address, {}))
    assert.match(policies(reply) ?? '', new RegExp(`^"${rate}";q=[0-9]+;w=60$`), `${method} ${path}`)
  }
})

test('an answer says what the key did: new, replayed, or nothing where nothing is kept', async () => {
  const api: Client = leased.client((await leased.merchant()).keys.test)
  const key = { 'idempotency-key': 'mine' }
  const ruled = { 'idempotency-key': 'ruled' }
  assert.equal(keyStatus(await api.charge({}, key)), 'new')
  assert.equal(keyStatus(await api.charge({}, key)), 'replayed')
  assert.equal(keyStatus(await api.charge({ amount: 6000 }, key)), null, 'the key belongs to another request')
  assert.equal(keyStatus(await api.charge({ amount: 'x' }, { 'idempotency-key': 'free' })), null, 'it stays free')
  assert.equal(keyStatus(await api.charge({ amount: 1 }, ruled)), 'new', 'a refusal by a rule is kept')
  assert.equal(keyStatus(await api.charge({ amount: 1 }, ruled)), 'replayed')
  const link = { title: 'Socks', amount: 5000 }
  assert.equal(keyStatus(await api.post('/v1/payment-links', link, { 'idempotency-key': undefined })), null)
  assert.equal(keyStatus(await api.post('/v1/payment-links', link, { 'idempotency-key': 'link' })), 'new')
  assert.equal(keyStatus(await api.get('/v1/charges', key)), null, 'reads take no key')
})
