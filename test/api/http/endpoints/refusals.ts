import assert from 'node:assert/strict'
import test from 'node:test'
import type { Reply } from '../../../helpers/service/test-service.ts'
import { FORBIDDEN, INACTIVE, KEY_REQUIRED, KEY_REUSED, KEY_TOO_LONG } from '../known-refusals.ts'
import { assertOrder, type Fault, header, requestWith } from '../refusal-order-of.ts'
import { assertRefused, badRequest, invalid, unauthorized } from '../refused.ts'
import { flip } from './isolation.ts'
import { LISTS } from './list-rows.ts'
import { assertNew, create, keyed } from './replays.ts'
import { ACTS, type Act, CREATES, type Create, ONES, OWNS } from './rows.ts'
import { MOST_BESIDE, type Side, type World } from './world.ts'

/** What is asked, without a fault. */
type Asked = { method: 'GET' | 'POST'; path: string; full?: true; body?: object }

const CREDENTIALS: Fault[] = [
  {
    ...{ name: 'no key', kind: 'bearer', expected: unauthorized('missing bearer token') },
    spoil: header('authorization', undefined),
  },
  {
    ...{ name: 'an unknown key', kind: 'bearer', expected: unauthorized('invalid api key') },
    spoil: header('authorization', 'Bearer sk_test_nobody'),
  },
]
const SCOPE: Fault = {
  ...{ name: 'a collections-only key', kind: 'scope', expected: FORBIDDEN },
  spoil: (request) => {
    request.collections = true
  },
}
const timestamp = (name: string, value: string | undefined, problem: string): Fault => ({
  ...{ name, kind: 'timestamp', expected: badRequest(problem), spoil: header('x-timestamp', value) },
})
const TIMESTAMPS = [
  timestamp('no timestamp', undefined, 'X-Timestamp header required. Send the current Unix time in seconds.'),
  timestamp('a timestamp in words', 'soon', 'X-Timestamp must be an integer Unix timestamp'),
]
const keyFault = (name: string, value: string | undefined, expected = KEY_REUSED): Fault => ({
  ...{ name, kind: 'key', expected, spoil: header('idempotency-key', value) },
})
const keyFaults = ({ key }: Create): Fault[] => [
  ...(key === 'optional' ? [] : [keyFault('no Idempotency-Key', undefined, KEY_REQUIRED)]),
  ...(key === 'optional' ? [] : [keyFault('a blank Idempotency-Key', '   ', KEY_REQUIRED)]),
  keyFault('too long a key', 'k'.repeat(256), KEY_TOO_LONG),
  keyFault('a used key', 'used'),
]
const bodyFault = (name: string, body: unknown, expected = invalid('body is not valid JSON')): Fault => ({
  ...{ name, kind: 'body', expected },
  spoil: (request) => {
    request.body = typeof body === 'string' ? body : { ...request.body, ...(body as object) }
  },
})
const NO_JSON = bodyFault('half a body', '{"amount":')
const NO_OBJECT = bodyFault('a list', '[]', invalid('body must be a JSON object'))
const ASLEEP: Fault = { name: 'an inactive merchant', kind: 'inactive', expected: INACTIVE }
const TWICE: Fault = {
  ...{ name: 'a parameter twice', kind: 'query', expected: invalid('query parameter a is given twice') },
  spoil: (request) => {
    request.query = '?a=1&a=2'
  },
}

/** The order of refusals (contract.md 3 h), at every endpoint; the rules of each are tested where they are. */
export function testRefusals(world: World): void {
  for (const row of CREATES)
    test(`POST ${row.path} reports key, scope, timestamp, Idempotency-Key, body and rules in this order, and the key stays free`, () =>
      refuseCreate(world, row))
  for (const row of ACTS)
    test(`POST ${row.path} reports key, scope, timestamp, body and rules in this order, and then what is unknown`, () =>
      refuseAct(world, row))
  for (const row of [...ONES, ...LISTS, ...OWNS])
    test(`GET ${row.path} reports key, scope and query in this order, and then what is unknown`, () =>
      refuseGet(world, row))
  test('a merchant that asks too often hears it after its scope and before everything else, at every endpoint', () =>
    refuseBusy(world))
}

const scopeOf = ({ full }: { full?: true }): Fault[] => (full ? [SCOPE] : [])
/** The path; where it has an id, one that is nobody's. */
const pathFor = (path: string, { ours }: World, of?: keyof World['ours']['owned']) =>
  path.replace(':period', ours.owned.period).replace(/:\w+/, of ? flip(ours.owned[of]) : '')

/** Sends a request that these faults have spoiled, as this merchant. */
const sender =
  (side: Side, { method, path, body }: Asked) =>
  (faults: readonly Fault[]): Promise<Reply> => {
    const request = requestWith(faults, body, 'free')
    const client = request.collections ? side.kiosk : side.client
    if (method === 'POST') return client.post(path, request.body, request.headers)
    return client.get(path + (request.query ?? ''), request.headers as Record<string, string>)
  }

async function refuseCreate(world: World, row: Create): Promise<void> {
  const { service, newSide } = world
  const side = await newSide()
  const body = (await row.body(side)) as object
  const used = await side.client.charge({ amount: 1 }, keyed('used'))
  assert.equal(used.status, 400, 'stored under its key')
  const send = sender(side, { ...row, method: 'POST', body })
  const digest = () => service.digest()
  const form = [NO_JSON, NO_OBJECT, bodyFault('a wrong field', ...row.wrong)]
  const faults = [...CREDENTIALS, ...scopeOf(row), ...TIMESTAMPS, ...keyFaults(row), ...form]
  await service.set(side.merchant, { active: false })
  await assertOrder(faults, { send, digest })
  await service.set(side.merchant, { active: true })
  assertNew(await create(side, row, body, keyed('free')), row)
}

async function refuseAct(world: World, row: Act): Promise<void> {
  const { service, newSide } = world
  const side = await newSide()
  await service.set(side.merchant, { active: false })
  const path = pathFor(row.path, world, row.of)
  const send = sender(side, { ...row, path, method: 'POST' })
  const form = row.wrong ? [NO_JSON, bodyFault('an empty body', '{}', row.wrong)] : [NO_JSON]
  const faults = [...CREDENTIALS, ...scopeOf(row), ...TIMESTAMPS, ...form, ASLEEP]
  await assertOrder(faults, { send, digest: () => service.digest() })
}

async function refuseGet(world: World, row: { path: string; full?: true; of?: string }): Promise<void> {
  const one = ONES.find(({ path }) => path === row.path)
  const path = pathFor(row.path, world, one?.of)
  const send = sender(world.ours, { ...row, path, method: 'GET' })
  const faults = [...CREDENTIALS, ...scopeOf(row), TWICE]
  if (one) faults.push({ name: 'an unknown id', kind: 'id', expected: one.unknown })
  await assertOrder(faults, { send, digest: () => world.service.digest() })
}

async function refuseBusy(world: World): Promise<void> {
  const { beside, newSide, service } = world
  const { merchant } = await newSide()
  const [client, kiosk] = [merchant.keys.test, merchant.keys.test_collections].map((key) => beside.client(key))
  assert.ok(client && kiosk)
  for (let nth = 0; nth < MOST_BESIDE; nth += 1) assert.equal((await client.get('/v1/me')).status, 200)
  const before = await service.digest()
  const nothing = { 'x-timestamp': undefined, 'idempotency-key': undefined }
  for (const { path, full, ...row } of [...CREATES, ...ACTS]) {
    const to = pathFor(path, world, 'of' in row ? row.of : undefined)
    assertBusy(await client.post(to, '{', nothing), path)
    if (full) assertRefused(await kiosk.post(to, '{', nothing), FORBIDDEN, { because: path })
  }
  for (const { path, full, ...row } of [...ONES, ...LISTS, ...OWNS]) {
    const to = `${pathFor(path, world, 'of' in row ? row.of : undefined)}?a=1&a=2`
    assertBusy(await client.get(to), path)
    if (full) assertRefused(await kiosk.get(to), FORBIDDEN, { because: path })
  }
  assert.equal(await service.digest(), before, 'zero writes')
}

function assertBusy(reply: Reply, because: string): void {
  const retryAfter = reply.headers.get('retry-after') ?? ''
  const error = `rate limit exceeded - retry in ${retryAfter} seconds`
  assert.match(retryAfter, /^[1-9][0-9]?$/)
  assertRefused(reply, { status: 429, code: 'rate_limited', error }, { retryAfter, because })
}
