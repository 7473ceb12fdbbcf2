import assert from 'node:assert/strict'
import test from 'node:test'
import { ERROR_CODES } from '../../../src/api/http/openapi/error-codes.ts'
import { payer } from '../../helpers/payments/schedules.ts'
import { made, openedAndVerified } from '../../helpers/service/opened.ts'
import { type Client, type Reply, startService } from '../../helpers/service/test-service.ts'

const service = openedAndVerified(() => startService({ env: { RATE_LIMIT_REFUNDS: '0', RATE_LIMIT_PAYOUTS: '0' } }))
const shop = made(() => payer(service, 100_000))

const told = ({ body: { error, hint, field } }: Reply) => ({
  error,
  hint: hint ?? null,
  field: field ?? null,
})
const remedyOf = (code: string) => ERROR_CODES[code]?.remedy

test('whoever sends no key, a public one or one that is gone is told which one to send', async () => {
  const asked = async (authorization: string) => told(await service.client('x').get('/v1/balance', { authorization }))
  const none = await asked('')
  assert.equal(none.error, 'missing bearer token')
  assert.match(none.hint, /"Authorization: Bearer sk_test_\.\.\."/)
  const open = await asked('Bearer pk_test_abc')
  assert.equal(open.error, 'invalid api key')
  assert.match(open.hint, /this is a public key/)
  assert.match((await asked('Bearer sk_test_gone')).hint, /unknown, was rotated or was revoked/)
})

type Told = [
  what: string,
  ask: (api: Client) => Promise<Reply>,
  error: RegExp,
  hint: RegExp | null,
  field: string | null,
]
const PAYOUT = { amount: 1000, recipient: { phone: '0700000000' } }
const CASES: Told[] = [
  ['another currency', (api) => api.charge({ currency: 'KES' }), /^demo only supports UGX$/, /send `UGX`/, 'currency'],
  [
    'a charge of less than the fee',
    (api) => api.charge({ amount: 200 }),
    /^fee exceeds amount$/,
    /at least 201/,
    'amount',
  ],
  ['a text for an amount', (api) => api.charge({ amount: '5000' }), /amount must be an integer/, null, 'amount'],
  [
    'a phone that is none',
    (api) => api.charge({ customer: { phone: '07' } }),
    /not a valid phone/,
    null,
    'customer.phone',
  ],
  [
    'a payout without a phone',
    (api) => api.post('/v1/payouts', { ...PAYOUT, recipient: {} }),
    /is required/,
    null,
    'recipient.phone',
  ],
  [
    'a schedule with a wrong recipient',
    (api) =>
      api.post('/v1/scheduled-payouts', {
        amount: 1,
        interval: 'daily',
        recipients: [{ phone: '0700000000' }, { phone: '1' }],
      }),
    /not a valid phone/,
    null,
    'recipients[1].phone',
  ],
  [
    'a word that no status is',
    (api) => api.get('/v1/charges?status=paid'),
    /^invalid status: paid$/,
    /pending, authorized, succeeded/,
    'status',
  ],
  ['a path that is none', (api) => api.get('/v1/charge'), /^not found$/, /no endpoint has this path/, null],
  ['an object that is none', (api) => api.get('/v1/charges/txn_none'), /^charge not found$/, null, null],
  [
    'no Idempotency-Key',
    (api) => api.post('/v1/payouts', PAYOUT, { 'idempotency-key': undefined }),
    /header required/,
    /best a UUID/,
    null,
  ],
  ['what is no JSON', (api) => api.post('/v1/payouts', '{'), /not valid JSON/, null, null],
  [
    'a channel that sends nothing',
    (api) => api.post('/v1/payouts', { ...PAYOUT, channel: 'card' }),
    /no disbursement adapter/,
    /Leave `channel` out/,
    'channel',
  ],
  [
    'too little test money',
    (api) => api.post('/v1/payouts', { ...PAYOUT, amount: 900_000 }),
    /^insufficient/,
    /with POST \/v1\/test\/funds or on the dashboard \(Developers, Sandbox\)/,
    null,
  ],
]

for (const [what, ask, error, hint, field] of CASES)
  test(`${what}: the text stays, and who reads it is told what to do and where`, async () => {
    const said = told(await ask(shop.api))
    assert.match(said.error, error)
    if (hint === null) assert.equal(said.hint, null)
    else assert.match(said.hint, hint)
    assert.equal(said.field, field)
  })

test('a key that was used for something else, and a charge that was refunded before, say what to do', async () => {
  const key = { 'idempotency-key': 'one key' }
  const { body: charge } = await shop.api.charge({}, key)
  const reused = await shop.api.charge({ amount: 6000 }, key)
  assert.equal(reused.body.error, 'idempotency key reused with different request body')
  assert.match(reused.body.hint, /use a new key/)
  const early = await shop.api.post(`/v1/charges/${charge.id}/refund`)
  assert.equal(early.body.hint, remedyOf('cannot_refund_authorized_transaction'))
  service.pass(2000)
  await service.run('follow-charges')
  const { body } = await shop.api.post(`/v1/charges/${charge.id}/refund`)
  const again = await shop.api.post(`/v1/charges/${charge.id}/refund`)
  assert.deepEqual([again.body.error, again.body.code], ['already_refunded', 'already_refunded'])
  assert.match(again.body.hint, new RegExp(body.refund.id))
})

test('a refusal that is kept under its key has its hint in each answer', async () => {
  const key = { 'idempotency-key': 'kept' }
  const [first, second] = [await shop.api.charge({ amount: 200 }, key), await shop.api.charge({ amount: 200 }, key)]
  assert.equal(first.text, second.text)
  assert.equal(second.headers.get('idempotent-replayed'), 'true')
  assert.equal(first.body.hint, remedyOf('fee_exceeds_amount'))
})
