import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { Agent, type RequestOptions, request } from 'node:http'
import { revokeKey } from '../../../src/merchants/account/api-keys.ts'
import { listKeys } from '../../../src/merchants/account/list-keys.ts'
import { getMerchantNamed } from '../../../src/merchants/account/set-merchant.ts'
import { limitConcurrency } from '../../../src/platform/batches/concurrency-limit.ts'
import { newApiKey } from '../../../src/platform/text/api-key-format.ts'
import { openWire } from '../../helpers/database/cut-wire.ts'
import { BY_HAND } from '../../helpers/service/actors.ts'
import { eventually } from '../../helpers/service/live-service.ts'
import { opened } from '../../helpers/service/opened.ts'
import { longTest, test } from '../../helpers/service/parts.ts'
import { CHARGE, startService } from '../../helpers/service/test-service.ts'

const BURST = 256
const LIMIT = 60
const MOST_WAITING = 2000
const FLOOD = MOST_WAITING + 100
const LOOK_UP = /holders of api keys/
// A statement takes some hundred keys, and a new connection of the database names it twice.
const MOST_STATEMENTS = 8

const wire = opened(openWire)
const service = opened(() =>
  startService({
    database: wire.behind,
    env: { TRUSTED_PROXIES: '1', RATE_LIMIT_FAILED_AUTH: String(LIMIT) },
  }),
)

type Sent = { written: Promise<void>; status: Promise<number> }

/** Sends a charge with this key on a connection of its own, from this address. */
function charge(token: string, address: string): Sent {
  const headers = {
    authorization: `Bearer ${token}`,
    'x-forwarded-for': address,
    'x-timestamp': String(Math.floor(service.clock.nowMs() / 1000)),
    'idempotency-key': randomUUID(),
  }
  return send('/v1/charges', { method: 'POST', headers }, JSON.stringify(CHARGE))
}

// Connections that are open already: on a crowded machine, hundreds of new ones take longer than a look-up may be held.
const agent = new Agent({ keepAlive: true })

/** Opens this many connections, which the next requests use. */
async function connect(count: number): Promise<void> {
  await Promise.all(Array.from({ length: count }, () => send('/livez', {}).status))
}

function send(path: string, init: RequestOptions, body = ''): Sent {
  const sent = request(`${service.url}${path}`, { ...init, agent })
  const status = new Promise<number>((resolve, reject) => {
    sent.on('error', reject)
    sent.on('response', (answer) => answer.resume().on('end', () => resolve(answer.statusCode ?? 0)))
  })
  return { written: new Promise((resolve) => sent.end(body, resolve)), status }
}

/** After these answers the server has read all that was written before. */
async function untilRead(sent: readonly Sent[]): Promise<void> {
  await Promise.all(sent.map(({ written }) => written))
  for (let nth = 0; nth < 3; nth += 1) assert.equal(await send('/livez', {}).status, 200)
}

/** How many answers have each status. */
function counted(statuses: readonly number[]): Record<number, number> {
  const counts: Record<number, number> = {}
  for (const status of statuses) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

/** A look-up of another key, under way until it is let through: what is not remembered waits for the next one. */
async function heldLookUp(): Promise<{ letThrough(): void }> {
  service.gateway.keyRing.forget()
  const held = wire.proxy.holdNext(LOOK_UP)
  charge(newApiKey('live'), '198.51.100.1').status.catch(() => {})
  await eventually('a look-up is under way', held.held)
  return held
}

const statusesOf = async (sent: readonly Sent[]) => counted(await Promise.all(sent.map(({ status }) => status)))

/** Sends `count` requests while a look-up is under way; how many answers have each status, and how many statements it took. */
async function burst(count: number, send: () => Sent[]): Promise<[Record<number, number>, number]> {
  await connect(count)
  const held = await heldLookUp()
  const statements = wire.proxy.counting(LOOK_UP)
  const sent = send()
  await untilRead(sent)
  held.letThrough()
  return [await statusesOf(sent), statements.count]
}

longTest('256 merchants whose keys nobody remembers are all served, by a few statements', async () => {
  const few = limitConcurrency({ most: 4, waiting: BURST })
  const merchants = await Promise.all(Array.from({ length: BURST }, () => few(() => service.merchant())))
  const [heard, statements] = await burst(BURST, () =>
    merchants.map(({ keys }, nth) => charge(keys.test, `203.0.113.${nth}`)),
  )
  assert.deepEqual(heard, { 201: BURST })
  assert.ok(statements <= MOST_STATEMENTS, `${statements} statements`)
})

test('256 wrong keys of one address hear 401 and from its limit on 429, none of them 503', async () => {
  const [heard, statements] = await burst(BURST, () =>
    Array.from({ length: BURST }, () => charge(newApiKey('test'), '198.51.100.2')),
  )
  assert.deepEqual(heard, { 401: LIMIT, 429: BURST - LIMIT })
  assert.ok(statements <= MOST_STATEMENTS, `${statements} statements`)
})

longTest('a flood of wrong keys is refused beyond what may wait, and then the keys of others are served', async () => {
  const [heard] = await burst(FLOOD, () =>
    Array.from({ length: FLOOD }, () => charge(newApiKey('test'), '198.51.100.3')),
  )
  assert.ok((heard[503] ?? 0) >= FLOOD - MOST_WAITING, JSON.stringify(heard))
  const { keys } = await service.merchant()
  assert.equal(await charge(keys.test, '203.0.113.1').status, 201)
})

test('a key that is revoked while it is looked up is refused to who asks then, and not remembered', async () => {
  const { id, keys } = await service.merchant()
  const { merchant } = await getMerchantNamed(service.gateway, id)
  const own = (await listKeys(service.app, merchant)).find(({ kind }) => kind === 'test')
  service.gateway.keyRing.forget()
  const held = wire.proxy.holdNextAnswer(LOOK_UP)
  const before = charge(keys.test, '203.0.113.1')
  await eventually('the key is looked up', held.held)
  await revokeKey(service.app, BY_HAND, { holder: merchant, id: own?.id ?? '' })
  const after = charge(keys.test, '203.0.113.1')
  await untilRead([after])
  held.letThrough()
  assert.equal(await before.status, 201, 'it was looked up before')
  assert.equal(await after.status, 401, 'it came after')
  assert.equal(await charge(keys.test, '203.0.113.1').status, 401)
})
