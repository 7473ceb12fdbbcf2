import assert from 'node:assert/strict'
import test from 'node:test'
import { SPREADSHEET_HINT } from '../../../src/platform/text/phone.ts'
import { assertFree, assertKept, caseOf, type Rule } from '../../api/http/kept-or-free.ts'
import {
  CURRENCY,
  FEE,
  INACTIVE,
  NOT_POSITIVE,
  overLimit,
  TOO_MUCH,
  unverified,
} from '../../api/http/known-refusals.ts'
import { assertRefused, domain, invalid, TOO_LARGE } from '../../api/http/refused.ts'
import { METADATA_REFUSALS } from '../../helpers/payments/metadata-refusals.ts'
import { newPayer, startLiveService } from '../../helpers/service/live-service.ts'
import { made, openedAndVerified } from '../../helpers/service/opened.ts'
import { CHARGE } from '../../helpers/service/test-service.ts'

const service = openedAndVerified(() => startLiveService())
const shop = made(() => service.shop())

const DOMAIN: Rule[] = [
  {
    expected: INACTIVE,
    fault: { active: false },
    cured: { active: true },
  },
  {
    expected: INACTIVE,
    live: true,
    fault: { active: false },
    cured: { active: true },
  },
  { expected: NOT_POSITIVE, body: { amount: 0 } },
  { expected: NOT_POSITIVE, body: { amount: -5000 } },
  {
    expected: TOO_MUCH,
    body: { amount: 1_000_000_001 },
  },
  {
    expected: overLimit('charge', 4999),
    fault: { chargeLimit: 4999 },
    cured: { chargeLimit: null },
  },
  {
    expected: overLimit('charge', 4999),
    live: true,
    fault: { chargeLimit: 4999 },
    cured: { chargeLimit: 5000 },
  },
  { expected: CURRENCY, body: { currency: 'KES' } },
  { expected: CURRENCY, body: { currency: 'ugx' } },
  {
    expected: unverified('charges'),
    live: true,
    fault: { kycStatus: 'pending' },
    cured: { kycStatus: 'verified' },
  },
  {
    expected: unverified('charges'),
    live: true,
    fault: { kycStatus: 'rejected' },
    cured: { kycStatus: 'verified' },
  },
  {
    expected: domain('channel_not_available', 'op2_money is not available for live payments yet'),
    live: true,
    body: { channel: 'op2_money' },
  },
  {
    expected: domain('channel_not_available', 'card is not available for live payments yet'),
    live: true,
    body: { channel: 'card' },
  },
  { expected: FEE, body: { amount: 200 } },
  {
    expected: domain('invalid_split', 'invalid split: split must be a non-empty list'),
    body: { split: [] },
  },
]

for (const refusal of DOMAIN)
  test(`"${refusal.expected.error}" is kept under its key for good (${caseOf(refusal)})`, async () => {
    const { expected, live, fault, cured } = refusal
    const merchant = await service.merchant({ verified: true })
    if (fault) await service.set(merchant, fault)
    const api = service.client(live ? merchant.keys.live : merchant.keys.test)
    const body = bodyOf(refusal)
    const sent = { api, path: '/v1/charges', body, expected, digest: service.digest }
    await assertKept(sent, async () => cured && service.set(merchant, cured))
    if (cured) assert.equal((await api.charge(body)).status, 201, 'a new key finds the cause gone')
  })

const FORM: Rule[] = [
  { expected: invalid('body is not valid JSON'), body: '{"amount":5000,' },
  { expected: invalid('body must be a JSON object'), body: '[]' },
  { expected: invalid('amount must be an integer'), body: { amount: '5000' } },
  { expected: invalid('currency must be a string'), body: { currency: 1 } },
  { expected: invalid('channel is required'), body: { channel: null } },
  {
    expected: invalid('channel must be one of op1_momo, op2_money, card (got cash)'),
    body: { channel: 'cash' },
  },
  { expected: invalid('customer is required'), body: { customer: null } },
  { expected: invalid('customer must be an object'), body: { customer: '0700000000' } },
  { expected: invalid('customer must be an object'), body: { customer: ['0700000000'] } },
  { expected: invalid('customer.phone is required'), body: { customer: {} } },
  { expected: invalid('customer.phone must be a string'), body: { customer: { phone: 700000000 } } },
  { expected: invalid('customer.phone is not a valid phone number'), body: { customer: { phone: '07' } } },
  {
    expected: invalid(`customer.phone is not a valid phone number${SPREADSHEET_HINT}`),
    body: { customer: { phone: '77212345.0' } },
  },
  {
    expected: invalid('customer.email is not a valid email address'),
    body: { customer: { phone: '0700000000', email: 'nobody' } },
  },
  { expected: invalid('customer.name must be a string'), body: { customer: { phone: '0700000000', name: 7 } } },
  {
    expected: invalid('customer.name must be at most 100 characters'),
    body: { customer: { phone: '0700000000', name: '\u{1f34d}'.repeat(101) } },
  },
  {
    expected: invalid('customer.name contains control characters'),
    body: { customer: { phone: '0700000000', name: 'Aisha\nNamukasa' } },
  },
  {
    expected: invalid('customer.email must be at most 254 characters'),
    body: { customer: { phone: '0700000000', email: `${'a'.repeat(250)}@b.ug` } },
  },
  { expected: invalid('reference must be a string'), body: { reference: 7 } },
  { expected: invalid('reference must be at most 255 characters'), body: { reference: 'r'.repeat(256) } },
  { expected: invalid('split must be a list'), body: { split: {} } },
  { expected: invalid('split must be a list'), body: { split: 'sub_a' } },
  { expected: invalid('split must be a list'), body: { split: '' } },
  ...METADATA_REFUSALS,
  { expected: TOO_LARGE, body: ' '.repeat(1024 * 1024 + 1) },
]

for (const refusal of FORM)
  test(`"${refusal.expected.error}" leaves the key of a charge free (${caseOf(refusal)})`, () => {
    const { expected } = refusal
    const sent = { api: shop.test, path: '/v1/charges', body: bodyOf(refusal), expected }
    return assertFree({ ...sent, digest: service.digest }, { ...CHARGE, customer: { phone: newPayer() } })
  })

test('a charge on a rail that cannot serve is answered 502, nothing remains, and its key is free', async () => {
  const bare = await startLiveService({ database: service.database, liveRails: {} })
  try {
    const { merchant, live } = await service.shop()
    const key = { 'idempotency-key': 'one order' }
    const body = { customer: { phone: newPayer() } }
    const expected = {
      status: 502,
      code: 'rail_unavailable',
      error: 'payment rail temporarily unavailable - retry with the same Idempotency-Key',
    }
    const before = await service.digest()
    assertRefused(await bare.client(merchant.keys.live).charge(body, key), expected)
    service.rail.ready('wait')
    assertRefused(await live.charge(body, key), expected, { retryAfter: '7' })
    service.rail.ready('ready')
    assert.equal(await service.digest(), before, 'zero writes')
    assert.equal((await live.get('/v1/charges')).body.data.length, 0)
    const charged = await live.charge(body, key)
    assert.equal(charged.status, 201)
    assert.equal(charged.headers.get('idempotent-replayed'), null)
  } finally {
    await bare.close()
  }
})

const bodyOf = ({ body }: Rule): any =>
  typeof body === 'string' ? body : { ...CHARGE, customer: { phone: newPayer() }, ...body }
