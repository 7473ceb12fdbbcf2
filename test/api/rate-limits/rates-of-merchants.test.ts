import assert from 'node:assert/strict'
import test from 'node:test'
import { getMerchantNamed, setMerchant } from '../../../src/merchants/account/set-merchant.ts'
import { newApiKey } from '../../../src/platform/text/api-key-format.ts'
import { BY_HAND } from '../../helpers/service/actors.ts'
import { eventually } from '../../helpers/service/live-service.ts'
import { opened } from '../../helpers/service/opened.ts'
import { type Client, startService } from '../../helpers/service/test-service.ts'
import { operatorSignedIn } from '../../helpers/web/console.ts'
import { mainOf, signedInAs } from '../../helpers/web/dashboard.ts'
import { stillClock } from './still-clock.ts'

const MINUTE = 60_000
const USUAL = 4
const clock = stillClock()
const env = {
  RATE_LIMIT_CHARGES: String(USUAL),
  RATE_LIMIT_PAYMENT_LINKS: String(USUAL),
  RATE_LIMIT_READS: String(USUAL),
}
const service = opened(() => startService({ clock, env }))
const other = opened(() => startService({ clock, env, database: service.database }))

type Made = Awaited<ReturnType<typeof service.merchant>>

const ofBoth = (merchant: Made) =>
  [service.client(merchant.keys.test), other.client(merchant.keys.test)] as [Client, Client]

/** How many of so many requests are accepted in a minute of its own, sent to both processes in turn. */
async function accepted(merchant: Made, ask: (api: Client) => Promise<{ status: number }>): Promise<number> {
  clock.advance(2 * MINUTE)
  const clients = ofBoth(merchant)
  let count = 0
  for (let nth = 0; nth < 20; nth += 1) if ((await ask(clients[nth % 2] as Client)).status < 300) count += 1
  return count
}
const LINK = { title: 'Socks', amount: 5000 }
const charge = (api: Client) => api.charge()
const link = (api: Client) => api.post('/v1/payment-links', LINK)

// A process that nobody asks follows nothing.
const knows = (merchantId: number, most: number | undefined) => async () => {
  await other.client(newApiKey('test')).get('/v1/me')
  return other.gateway.grantedRates.rateOf('charges', merchantId) === most
}
const rowOf = async (merchant: Made) => (await getMerchantNamed(service.gateway, merchant.id)).merchant

test('a merchant is granted more than others on the console, every process follows, and the merchant sees it', async () => {
  const [busy, quiet] = [await service.merchant(), await service.merchant()]
  assert.equal(await accepted(busy, charge), USUAL)
  const operator = await operatorSignedIn(service, 'risk')
  const page = `/console/merchants/${busy.id}`
  const sent = await operator.send(await operator.get(page), '/rates', { charges: '9', payment_links: '2' })
  assert.equal(sent.status, 303, mainOf(sent))
  await eventually('the other process knows', knows((await rowOf(busy)).id, 9))
  assert.deepEqual([await accepted(busy, charge), await accepted(busy, link)], [9, 2])
  assert.deepEqual([await accepted(quiet, charge), await accepted(quiet, link)], [USUAL, USUAL])
  clock.advance(2 * MINUTE)
  const { rate_limits } = (await service.client(busy.keys.test).get('/v1/me')).body
  assert.deepEqual([rate_limits.charges, rate_limits.payment_links, rate_limits.reads], [9, 2, USUAL])
  const person = await signedInAs(service, busy)
  assert.match(mainOf(await person.get('/dashboard/settings/limits')), /Charges 9, for this business/)
  assert.match(mainOf(await operator.get(page)), /Own rates a minute Charges: 9; Payment links: 2/)
  const [act] = await service.rows<{ after: { rateLimits?: unknown } }>(
    `select after from audit where action = 'merchant.terms' and merchant_id = $1`,
    [(await rowOf(busy)).id],
  )
  assert.deepEqual(act?.after.rateLimits, { charges: 9, payment_links: 2 })
})

test('what was granted is taken back, and reads and large numbers are granted too', async () => {
  const merchant = await service.merchant()
  const { id } = await rowOf(merchant)
  await service.set(merchant, { rateLimits: { charges: 1000, reads: 7 } })
  await eventually('the other process knows', knows(id, 1000))
  assert.equal(await accepted(merchant, charge), 20)
  clock.advance(2 * MINUTE)
  const [here] = ofBoth(merchant)
  const reads: number[] = []
  for (let nth = 0; nth < 9; nth += 1) reads.push((await here.get('/v1/charges')).status)
  assert.deepEqual(reads, [...Array(7).fill(200), 429, 429])
  await service.set(merchant, { rateLimits: { charges: null } })
  await eventually('the other process has heard', knows(id, undefined))
  assert.equal(await accepted(merchant, charge), USUAL)
  assert.deepEqual((await rowOf(merchant)).rateLimits, { reads: 7 })
})

test('two operators who grant different rates at once both have their way', async () => {
  const merchant = await rowOf(await service.merchant())
  const grant = (rateLimits: object) => setMerchant(service.app, BY_HAND, { merchant, change: { rateLimits } })
  await Promise.all([grant({ charges: 50 }), grant({ reads: 60 }), grant({ payouts: 70 })])
  const { rateLimits } = (await getMerchantNamed(service.gateway, merchant.publicId)).merchant
  assert.deepEqual(rateLimits, { charges: 50, reads: 60, payouts: 70 })
})

test('a number outside is refused beside its field, and nothing is granted', async () => {
  const merchant = await service.merchant()
  const operator = await operatorSignedIn(service, 'admin')
  const page = await operator.get(`/console/merchants/${merchant.id}`)
  for (const charges of ['0', '1000001', '-5', '1.5', 'many']) {
    const sent = await operator.send(page, '/rates', { charges })
    assert.equal(sent.status, 400, charges)
    assert.match(mainOf(sent), /from 1 to 1,000,000|whole number/i)
  }
  assert.deepEqual((await rowOf(merchant)).rateLimits, {})
})
