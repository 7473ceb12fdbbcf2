import assert from 'node:assert/strict'
import { join } from 'node:path'
import test, { describe } from 'node:test'
import { type ChargeCreate, Gateway } from '../../clients/typescript/src/gateway-client.ts'
import { eventually } from '../helpers/service/live-service.ts'
import { openedAndVerified } from '../helpers/service/opened.ts'
import { newSigningPair } from '../helpers/service/sign-request.ts'
import { CHARGE, startService } from '../helpers/service/test-service.ts'
import { type CutPlace, openCutLine } from './cut-line.ts'
import { run } from './made-client.ts'
import { assertPart, CASES, type CutCase, call, countRows, filledIn, runSteps, type Step } from './sdk-cases.ts'
import { signingShop } from './signing-shop.ts'

// With its background work, because clients wait for ends as they come.
const service = openedAndVerified(() => startService({ role: 'all' }))

const CLIENT = join(import.meta.dirname, '..', '..', 'clients', 'typescript', 'src', 'gateway-client.js')

const gatewayOf = (apiKey: string, baseUrl = service.url) => new Gateway({ apiKey, baseUrl })

describe('at a service', { concurrency: 4 }, () => {
  for (const { name, steps } of CASES.service)
    test(name, async () => {
      const { keys } = await service.merchant()
      await runSteps(gatewayOf(keys.test), steps)
    })
})

for (const place of CASES.cuts.places)
  describe(`with the line cut ${place}`, { concurrency: true }, () => {
    for (const one of CASES.cuts.calls)
      test(`${one.name} is made once, and answered`, () => makeOverCutLine(place, one))
  })

async function makeOverCutLine(place: string, { prepare = [], count, once, ...given }: CutCase): Promise<void> {
  const { keys } = await service.merchant()
  const direct = gatewayOf(keys.test)
  const kept = {}
  await runSteps(direct, prepare, kept)
  const line = await openCutLine(service.url, place as CutPlace)
  try {
    const step = filledIn(given, kept) as Step
    const answer = await call(gatewayOf(keys.test, line.url), step.call ?? '', step)
    assertPart(answer, step.expect)
    assert.ok(line.connections() > 1, 'the line was cut')
    assert.equal(await countRows(direct, count, { limit: 1 }), once)
  } finally {
    await line.close()
  }
}

test('a client whose clock is wrong by an hour pays, with the time of the service', async () => {
  const { keys } = await service.merchant()
  const program = `
    const real = Date.now
    Date.now = () => real() - 3_600_000
    const { Gateway } = await import(${JSON.stringify(CLIENT)})
    const gateway = new Gateway({ apiKey: '${keys.test}', baseUrl: '${service.url}' })
    for (let count = 0; count < 2; count += 1) {
      const charge = await gateway.charges.create(${JSON.stringify(CHARGE)})
      console.log(charge.lastResponse.attempts)
    }`
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', program])
  assert.equal(stdout, '2\n1\n', 'refused once, and right from then on')
})

test('a stream that waits gives an event when it comes', async () => {
  const { keys } = await service.merchant()
  const gateway = gatewayOf(keys.test)
  const seen: unknown[] = []
  const signal = AbortSignal.timeout(60_000)
  const reading = (async () => {
    for await (const { event } of gateway.webhooks.events(null, { event: ['charge.succeeded'], signal })) {
      // Typed by its name: this line would not compile with another.
      seen.push(event.data.amount)
      break
    }
  })()
  await gateway.charges.create({ amount: 6000, channel: 'op1_momo', customer: { phone: '0700000000' } })
  await reading
  assert.deepEqual(seen, [6000])
})

test('the log of requests is walked row by row, and one is read by its id', async () => {
  const { keys } = await service.merchant()
  const gateway = gatewayOf(keys.test)
  const asked: (string | undefined)[] = []
  for (let count = 0; count < 5; count += 1) asked.unshift((await gateway.balance.retrieve()).lastResponse.requestId)
  await eventually('they are in the log', async () => {
    const { data } = await gateway.requests.list({ route: '/v1/balance' })
    return data.length === asked.length
  })
  const seen: string[] = []
  for await (const { request_id } of gateway.requests.list({ route: '/v1/balance', limit: 2 })) seen.push(request_id)
  assert.deepEqual(seen, asked)
  const [newest] = await gateway.requests.list({ status: '2xx', method: 'GET' }).toArray({ limit: 1 })
  assert.ok(newest)
  assert.deepEqual({ ...(await gateway.requests.retrieve(newest.id)) }, newest)
})

describe('with a key that takes signed requests only', () => {
  test('a client with the private key pays, refunds and reads', async () => {
    const gateway = new Gateway({ ...(await signingShop(service)), baseUrl: service.url })
    const charge = await gateway.charges.create(CHARGE as ChargeCreate)
    assert.equal((await gateway.charges.waitFor(charge)).status, 'succeeded')
    await gateway.test.addFunds({ amount: 10_000 })
    await gateway.charges.refund(charge.id)
    const listed = await gateway.charges.list({ status: ['refunded', 'succeeded'], limit: 1 })
    assert.equal(listed.data[0]?.id, charge.id)
    assert.equal((await gateway.account.retrieve()).mode, 'test')
  })

  test('a client without it is told why, and one with another key too', async () => {
    const { apiKey } = await signingShop(service)
    const { signingKey } = await signingShop(service)
    for (const gateway of [gatewayOf(apiKey), new Gateway({ apiKey, signingKey, baseUrl: service.url })])
      await assert.rejects(gateway.charges.create(CHARGE as ChargeCreate), { status: 401, code: 'invalid_signature' })
  })

  test('a text that is no private key is refused before anything is sent', async () => {
    for (const signingKey of ['', 'mine', newSigningPair().pem]) {
      const gateway = new Gateway({ apiKey: 'sk_test_x', signingKey, baseUrl: 'http://127.0.0.1:1' })
      await assert.rejects(gateway.balance.retrieve(), { name: 'TypeError', message: /Ed25519 private key as PEM/ })
    }
  })

  test('a clock that is wrong by an hour is mended for what is read too', async () => {
    const shop = await signingShop(service)
    const program = `
      const real = Date.now
      Date.now = () => real() + 3_600_000
      const { Gateway } = await import(${JSON.stringify(CLIENT)})
      const gateway = new Gateway({ ...${JSON.stringify(shop)}, baseUrl: '${service.url}' })
      for (let count = 0; count < 2; count += 1)
        console.log((await gateway.balance.retrieve()).lastResponse.attempts)`
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', program])
    assert.equal(stdout, '2\n1\n')
  })
})
