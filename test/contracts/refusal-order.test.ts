import assert from 'node:assert/strict'
import type { CreatedMerchant } from '../../src/merchants/create-merchant.ts'
import { opened } from '../helpers/opened.ts'
import { CHARGE, startService } from '../helpers/test-service.ts'
import { type Fault, field, fieldOf, header, requestWith, testOrder } from './refusal-order-of.ts'
import {
  assertRefused,
  badRequest,
  domain,
  invalid,
  KEY_REUSED,
  type Refused,
  unauthorized,
} from './refused.ts'

// Without a live rail: every live request that passes all else still meets the last refusal, 502.
const service = opened(() => startService())

type State = 'inactive' | 'unverified' | 'limited'

const KYC =
  'live charges require a verified business - complete verification on your dashboard (test keys work immediately)'
/** In the order in which they must be reported (contract 3 h, fields of spec 2.1, G11c). */
const FAULTS: Fault<State>[] = [
  {
    name: 'no key',
    kind: 'bearer',
    expected: unauthorized('missing bearer token'),
    spoil: header('authorization', undefined),
  },
  {
    name: 'an unknown key',
    kind: 'bearer',
    expected: unauthorized('invalid api key'),
    spoil: header('authorization', 'Bearer sk_live_nobody'),
  },
  {
    name: 'no timestamp',
    kind: 'timestamp',
    expected: badRequest('X-Timestamp header required. Send the current Unix time in seconds.'),
    spoil: header('x-timestamp', undefined),
  },
  {
    name: 'a wrong timestamp',
    kind: 'timestamp',
    expected: badRequest('X-Timestamp must be an integer Unix timestamp'),
    spoil: header('x-timestamp', 'soon'),
  },
  {
    name: 'no Idempotency-Key',
    kind: 'key',
    expected: badRequest('Idempotency-Key header required'),
    spoil: header('idempotency-key', undefined),
  },
  {
    name: 'too long a key',
    kind: 'key',
    expected: badRequest('Idempotency-Key must be 1 to 255 characters'),
    spoil: header('idempotency-key', 'k'.repeat(256)),
  },
  {
    name: 'a used key',
    kind: 'key',
    expected: KEY_REUSED,
    spoil: header('idempotency-key', 'used'),
  },
  {
    name: 'a text as amount',
    kind: 'amount',
    expected: invalid('amount must be an integer'),
    spoil: field('amount', '5000'),
  },
  {
    name: 'a number as currency',
    kind: 'currency',
    expected: invalid('currency must be a string'),
    spoil: field('currency', 800),
  },
  {
    name: 'no channel',
    kind: 'channel',
    expected: invalid('channel is required'),
    spoil: field('channel', undefined),
  },
  {
    name: 'a bad phone',
    kind: 'phone',
    expected: invalid('customer.phone is not a valid phone number'),
    spoil: fieldOf('customer', 'phone', 'none'),
  },
  {
    name: 'a bad email',
    kind: 'email',
    expected: invalid('customer.email is not a valid email address'),
    spoil: fieldOf('customer', 'email', 'none'),
  },
  {
    name: 'a number as reference',
    kind: 'reference',
    expected: invalid('reference must be a string'),
    spoil: field('reference', 1),
  },
  {
    name: 'an object as split',
    kind: 'split',
    expected: invalid('split must be a list'),
    spoil: field('split', {}),
  },
  {
    name: 'an inactive merchant',
    kind: 'inactive',
    expected: domain('merchant_inactive', 'merchant is not active'),
    state: 'inactive',
  },
  {
    name: 'an amount of 0',
    kind: 'amount',
    expected: domain('amount_not_positive', 'amount must be positive'),
    spoil: field('amount', 0),
  },
  {
    name: 'an amount above the ceiling',
    kind: 'amount',
    expected: domain('amount_too_large', 'amount exceeds the maximum of 1000000000'),
    spoil: field('amount', 1_000_000_001),
  },
  {
    name: 'an amount above the limit of the account',
    kind: 'limit',
    expected: domain('amount_too_large', "amount exceeds this account's per-charge limit of 100"),
    state: 'limited',
  },
  {
    name: 'another currency',
    kind: 'currency',
    expected: domain('unsupported_currency', 'demo only supports UGX'),
    spoil: field('currency', 'USD'),
  },
  {
    name: 'no verification',
    kind: 'unverified',
    expected: domain('verification_required', KYC),
    state: 'unverified',
  },
  {
    name: 'a channel that is not live',
    kind: 'channel',
    expected: domain('channel_not_available', 'card is not available for live payments yet'),
    spoil: field('channel', 'card'),
  },
  {
    name: 'an amount below the fee',
    kind: 'amount',
    expected: domain('fee_exceeds_amount', 'fee exceeds amount'),
    spoil: field('amount', 150),
  },
  {
    name: 'an empty split',
    kind: 'split',
    expected: domain('invalid_split', 'invalid split: split must be a non-empty list'),
    spoil: field('split', []),
  },
  {
    name: 'no rail',
    kind: 'rail',
    expected: {
      status: 502,
      code: 'rail_unavailable',
      error: 'payment rail temporarily unavailable - retry with the same Idempotency-Key',
    },
  },
]

testOrder(FAULTS, async (faults, because) => {
  const merchant = await merchantIn(faults)
  const before = await service.digest()
  const { body, headers } = requestWith(faults, CHARGE)
  const reply = await service.client(merchant.keys.live).post('/v1/charges', body, headers)
  assertRefused(reply, faults[0]?.expected as Refused, { because })
  assert.equal(await service.digest(), before, 'zero writes')
})

const merchants = new Map<string, CreatedMerchant>()

/** A merchant in the states that these faults ask for, whose key `used` has been used. */
async function merchantIn(faults: readonly Fault<State>[]): Promise<CreatedMerchant> {
  const states = new Set(faults.flatMap((fault) => fault.state ?? []))
  const name = [...states].sort().join(' ')
  const known = merchants.get(name)
  if (known) return known
  const merchant = await service.merchant({ verified: true })
  const used = await service
    .client(merchant.keys.live)
    .post('/v1/charges', { ...CHARGE, amount: 1 }, { 'idempotency-key': 'used' })
  assert.equal(used.status, 400, 'stored under its key')
  await service.set(merchant, {
    active: !states.has('inactive'),
    kycStatus: states.has('unverified') ? 'pending' : 'verified',
    chargeLimit: states.has('limited') ? 100 : null,
  })
  merchants.set(name, merchant)
  return merchant
}
