import assert from 'node:assert/strict'
import test from 'node:test'
import type { FaultName, FaultParams } from '../../emulator/faults.ts'
import { freePort } from '../crash/installation.ts'
import { eventsOf, transfersOf } from '../helpers/database/money-rows.ts'
import { followUntilEnded } from '../helpers/payments/following-charges.ts'
import { pay } from '../helpers/payments/payouts.ts'
import { openOf } from '../helpers/payments/reconciling.ts'
import { eventually, newPayer, type Shop } from '../helpers/service/live-service.ts'
import { startOp1Service } from '../helpers/service/op1-service.ts'
import { openedAndVerified } from '../helpers/service/opened.ts'

// The fault menu of the operator (rails.md 6.5) through the gateway, by its numbers. What the adapter makes of each answer stands in
// test/rails; refusals with 500 (08) in op1-refused-in-doubt, 01 in live-charge-slow, 40 in the soak, whose contract is switched.
const service = openedAndVerified(async () => {
  const port = String(await freePort())
  return startOp1Service({
    env: { LIVE_HOLD_HOURS: '0', PORT: port },
    entry: {
      breaker: { faultsInRow: 10_000, minCalls: 10_000 },
      timeouts: { connect: 1 },
      callback: { base: `http://127.0.0.1:${port}/inbound/op1` },
    },
  })
})
const HOUR = 3_600_000
const { fault, calm, resolve, oracle, transactions } = delegates()
function delegates() {
  return {
    fault: (name: FaultName, params: FaultParams = {}) => service.emulator.fault(name, { params }),
    calm: () => service.emulator.calm(),
    resolve: (reference: string, status: 'SUCCESSFUL' | 'FAILED' = 'SUCCESSFUL') =>
      service.emulator.resolve(reference, { status }),
    oracle: (reference: string) => service.emulator.oracle().references[reference],
    transactions: (reference: string) => service.emulator.transactions({ reference }),
  }
}
const charge = ({ live }: Shop, headers: Record<string, string> = {}) =>
  live.charge({ customer: { phone: newPayer() } }, headers)
const shown = async ({ live }: Shop, id: string) => (await live.get(`/v1/charges/${id}`)).body
const postsOf = (reference: string) =>
  service.emulator.journal(reference).filter(({ method }) => method === 'POST').length

/** Asks a few times within the first minute, in which a lost charge is posted again. */
async function askInFirstMinute(): Promise<void> {
  for (let look = 0; look < 4; look += 1) {
    service.pass(6000)
    await service.run('follow-charges')
  }
}

/** One credit, one event, one movement at the operator. */
async function assertPaidOnce(shop: Shop, { id, rail_reference }: { id: string; rail_reference: string }) {
  assert.equal((await shown(shop, id)).status, 'succeeded')
  const [events, transfers] = [await eventsOf(service, id), await transfersOf(service, id)]
  assert.deepEqual([events.length, transfers.length, oracle(rail_reference)?.moves], [1, 2, 1])
}

type Answered = { id: string; rail_reference: string }
/** A charge under this fault that the merchant sees as `authorized`, with nothing said to anybody. */
async function authorized(name: FaultName, params: FaultParams = {}): Promise<{ shop: Shop; body: Answered }> {
  const shop = await service.shop()
  await fault(name, params)
  const { status, body } = await charge(shop)
  assert.deepEqual([status, body.status, body.failure_reason], [201, 'authorized', null])
  assert.deepEqual([(await eventsOf(service, body.id)).length, (await transfersOf(service, body.id)).length], [0, 0])
  return { shop, body }
}

const BOTH = [{ record: true }, { record: false }]
const PARKED: [nn: string, FaultName, FaultParams[]][] = [
  ['04', 'dropBeforeRead', [{}]],
  ['05', 'dropAfterRead', [{}]],
  ['06', 'dropAfterAccept', [{}]],
  ['07', 'http', [500, 502, 503, 504].flatMap((status) => BOTH.map((how) => ({ status, ...how })))],
  ['09', 'htmlWith200', BOTH],
  ['10', 'garbage', BOTH],
  [
    '11',
    'truncate',
    BOTH.flatMap((how) => [
      { where: 'headers' as const, ...how },
      { where: 'body' as const, ...how },
    ]),
  ],
  ['18', 'conflictOnFirst', [{}]],
  ['46', 'hugeBody', BOTH],
  ['46', 'hugeHeaders', BOTH],
  ['47', 'redirect', BOTH],
]
for (const [nn, name, all] of PARKED)
  test(`${nn} ${name}: the charge waits, is asked about and posted again where it got lost, and is paid once`, async () => {
    for (const params of all) {
      const { shop, body } = await authorized(name, params)
      await askInFirstMinute()
      assert.equal((await shown(shop, body.id)).status, 'authorized', JSON.stringify(params))
      assert.equal(transactions(body.rail_reference).length, 1, JSON.stringify(params))
      await resolve(body.rail_reference)
      await followUntilEnded(service, body.id)
      await assertPaidOnce(shop, body)
    }
  })

const CLEAN: [nn: string, FaultName, FaultParams][] = [
  ['02', 'refuse', {}],
  ['03', 'connectTimeout', {}],
  ['14', 'unauthorizedAlways', { product: 'collection' }],
  ['15', 'forbiddenIp', {}],
  ['16', 'quota', { seconds: 30 }],
  ['17', 'tooMany', { retryAfter: 3 }],
]
for (const [nn, name, params] of CLEAN)
  test(`${nn} ${name}: 502, no charge, and the same key succeeds when it is over`, async () => {
    const shop = await service.shop()
    await fault(name, params)
    const headers = { 'Idempotency-Key': `menu-${nn}` }
    const { status, body } = await charge(shop, headers)
    assert.deepEqual(
      [status, body.error],
      [502, 'payment rail temporarily unavailable - retry with the same Idempotency-Key'],
    )
    assert.deepEqual((await shop.live.get('/v1/charges')).body.data, [])
    await calm()
    await eventually('the operator serves again', async () => (await charge(shop, headers)).status === 201)
  })

test('12 http400: 201, then failed as rail_rejected with one event', async () => {
  for (const params of [{ code: 'PAYER_NOT_FOUND' }, {}]) {
    const { shop, body } = await (async () => {
      const shop = await service.shop()
      await fault('http400', params)
      return { shop, body: (await charge(shop)).body as Answered }
    })()
    const { status, failure_reason } = await shown(shop, body.id)
    assert.deepEqual([status, failure_reason], ['failed', 'rail_rejected'])
    assert.equal((await eventsOf(service, body.id)).length, 1)
  }
})

for (const [nn, name] of [
  ['13', 'unauthorizedOnce'],
  ['19', 'tokenExpired'],
  ['20', 'tokenRevoked'],
] as const)
  test(`${nn} ${name}: a new token, the same reference, one payment`, async () => {
    const { shop, body } = await authorized(name)
    assert.ok(postsOf(body.rail_reference) <= 2)
    await calm()
    await resolve(body.rail_reference)
    await followUntilEnded(service, body.id)
    await assertPaidOnce(shop, body)
  })

test('21 tokenDown: without a token a charge is refused before anything is sent', async () => {
  const shop = await service.shop()
  await fault('tokenRevoked')
  await fault('tokenDown')
  const { status } = await charge(shop)
  assert.equal(status, 502)
  assert.deepEqual((await shop.live.get('/v1/charges')).body.data, [])
  await calm()
  service.pass(60_000)
  await eventually('there is a token again', async () => (await charge(shop)).status === 201)
})

const CALLBACKS: [nn: string, FaultName, FaultParams][] = [
  ['22', 'noCallback', {}],
  ['23', 'lateCallback', { hours: 2 }],
  ['24', 'duplicateCallback', { times: 5 }],
  ['26', 'putCallback', {}],
  ['27', 'strangerCallback', {}],
  ['28', 'lyingCallback', { status: 'FAILED' }],
  ['28', 'lyingCallback', { amount: '1' }],
]
for (const [nn, name, params] of CALLBACKS)
  test(`${nn} ${name} ${Object.values(params)}: the status decides; one credit and one event`, async () => {
    const { shop, body } = await authorized(name, params)
    await resolve(body.rail_reference)
    await followUntilEnded(service, body.id)
    await service.emulator.advance(3 * HOUR)
    await service.run('follow-charges')
    await assertPaidOnce(shop, body)
  })

const ODD: [nn: string, FaultName, FaultParams][] = [
  ['29', 'statusLag', { ms: 20_000 }],
  ['30', 'flap', {}],
  ['43', 'reasonAsObject', {}],
  ['44', 'numbersAsText', {}],
  ['44', 'numbersAsNumbers', {}],
  ['48', 'slowBody', { bytesPerSecond: 1000 }],
]
for (const [nn, name, params] of ODD)
  test(`${nn} ${name}: stays authorized until the operator says so, and is paid once`, async () => {
    const { shop, body } = await authorized(name, params)
    await service.emulator.advance(1000)
    await askInFirstMinute()
    assert.equal((await shown(shop, body.id)).status, 'authorized')
    await service.emulator.advance(60_000)
    await resolve(body.rail_reference)
    await followUntilEnded(service, body.id)
    await assertPaidOnce(shop, body)
  })

const UNBELIEVABLE: [nn: string, FaultName, FaultParams, kind: string | null][] = [
  ['31', 'contradiction', {}, 'contradictory_answer'],
  ...(['amount', 'currency', 'party', 'externalId'] as const).map((field): [string, FaultName, FaultParams, string] => [
    '32',
    'mismatch',
    { field },
    'mismatch',
  ]),
  ['45', 'unknownWord', { word: 'UNDER_REVIEW' }, null],
]
for (const [nn, name, params, kind] of UNBELIEVABLE)
  test(`${nn} ${name} ${Object.values(params)}: nothing moves, and a person hears of what cannot be`, async () => {
    const { shop, body } = await authorized(name, params)
    await resolve(body.rail_reference)
    await askInFirstMinute()
    assert.equal((await shown(shop, body.id)).status, 'authorized')
    assert.equal((await transfersOf(service, body.id)).length, 0)
    assert.deepEqual(
      (await openOf(service, body.id)).map((open) => open.kind),
      kind === null ? [] : [kind],
    )
    if (kind === 'mismatch')
      assert.match((await pay(shop.live, { recipient: { phone: newPayer() } })).text, /paused on this account/)
  })
