import type { CreatedMerchant } from '../../../src/merchants/account/create-merchant.ts'
import { opened } from '../../helpers/service/opened.ts'
import { CHARGE, startService } from '../../helpers/service/test-service.ts'
import { FEE, unverified } from './known-refusals.ts'
import { moneyRules, NO_CURRENCY, NO_REFERENCE, TEXT_AMOUNT } from './money-faults.ts'
import { type Fault, field, fieldOf, requestWith, testOrder } from './refusal-order-of.ts'
import { domain, invalid } from './refused.ts'

// Without a live rail: every live request that passes all else still meets the last refusal, 502.
const service = opened(() => startService())

type State = 'inactive' | 'unverified' | 'limited'

/** In the order in which they must be reported (fields of spec 2.1, G11c); what comes before the body is in `endpoints/`. */
const FAULTS: Fault<State>[] = [
  TEXT_AMOUNT,
  NO_CURRENCY,
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
  NO_REFERENCE,
  {
    name: 'an object as split',
    kind: 'split',
    expected: invalid('split must be a list'),
    spoil: field('split', {}),
  },
  ...moneyRules('charge'),
  {
    name: 'no verification',
    kind: 'unverified',
    expected: unverified('charges'),
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
    expected: FEE,
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

testOrder(FAULTS, {
  prepare: merchantIn,
  send: async (faults) => {
    const { body, headers } = requestWith(faults, CHARGE)
    return service.client((await merchantIn(faults)).keys.live).post('/v1/charges', body, headers)
  },
  digest: () => service.digest(),
})

const merchants = new Map<string, CreatedMerchant>()

/** A merchant in the states that these faults ask for. */
async function merchantIn(faults: readonly Fault<State>[]): Promise<CreatedMerchant> {
  const states = new Set(faults.flatMap((fault) => fault.state ?? []))
  const name = [...states].sort().join(' ')
  const known = merchants.get(name)
  if (known) return known
  const merchant = await service.merchant({ verified: true })
  await service.set(merchant, {
    active: !states.has('inactive'),
    kycStatus: states.has('unverified') ? 'pending' : 'verified',
    chargeLimit: states.has('limited') ? 100 : null,
  })
  merchants.set(name, merchant)
  return merchant
}
