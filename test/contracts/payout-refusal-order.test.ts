import assert from 'node:assert/strict'
import { freezeAccount, freezePlatform } from '../../src/merchants/payout-freeze.ts'
import { findMerchant } from '../../src/merchants/set-merchant.ts'
import { BY_HAND } from '../helpers/actors.ts'
import type { Shop } from '../helpers/live-service.ts'
import { opened } from '../helpers/opened.ts'
import { PAYOUT, payoutDigest, startPayingService } from '../helpers/payouts.ts'
import { type Fault, field, fieldOf, header, requestWith, testOrder } from './refusal-order-of.ts'
import {
  assertRefused,
  badRequest,
  domain,
  insufficient,
  invalid,
  KEY_REUSED,
  type Refused,
  unauthorized,
} from './refused.ts'

const service = opened(() => startPayingService())

type State = 'inactive' | 'limited' | 'unverified' | 'frozen' | 'held' | 'poor' | 'no rail'
/** In the order in which they must be reported (contract 3 h, fields of spec 2.4, G14a). Nobody here has any money. */
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
    name: 'a collections-only key',
    kind: 'scope',
    expected: {
      status: 403,
      code: 'forbidden',
      error: 'this endpoint requires a full secret key; collections-only keys cannot move money out',
    },
    spoil: (request) => {
      request.collections = true
    },
  },
  {
    name: 'no timestamp',
    kind: 'timestamp',
    expected: badRequest('X-Timestamp header required. Send the current Unix time in seconds.'),
    spoil: header('x-timestamp', undefined),
  },
  {
    name: 'no Idempotency-Key',
    kind: 'key',
    expected: badRequest('Idempotency-Key header required'),
    spoil: header('idempotency-key', undefined),
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
    name: 'a number as channel',
    kind: 'channel',
    expected: invalid('channel must be a string'),
    spoil: field('channel', 1),
  },
  {
    name: 'a bad phone',
    kind: 'phone',
    expected: invalid('recipient.phone is not a valid phone number'),
    spoil: fieldOf('recipient', 'phone', 'none'),
  },
  {
    name: 'a number as name',
    kind: 'name',
    expected: invalid('recipient.name must be a string'),
    spoil: fieldOf('recipient', 'name', 7),
  },
  {
    name: 'a number as reference',
    kind: 'reference',
    expected: invalid('reference must be a string'),
    spoil: field('reference', 1),
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
    expected: domain('amount_too_large', "amount exceeds this account's per-payout limit of 100"),
    state: 'limited',
  },
  {
    name: 'another currency',
    kind: 'currency',
    expected: domain('unsupported_currency', 'demo only supports UGX'),
    spoil: field('currency', 'USD'),
  },
  {
    name: 'a channel without an adapter',
    kind: 'channel',
    expected: domain('unsupported_payout_channel', 'no disbursement adapter for channel card'),
    spoil: field('channel', 'card'),
  },
  {
    name: 'no verification',
    kind: 'unverified',
    expected: domain(
      'verification_required',
      'live payouts require a verified business - complete verification on your dashboard (test keys work immediately)',
    ),
    state: 'unverified',
  },
  {
    name: 'the freeze of the platform',
    kind: 'frozen',
    expected: domain(
      'payouts_frozen',
      'payouts are temporarily paused platform-wide for a safety review - no action needed on your side; money in is unaffected',
    ),
    state: 'frozen',
  },
  {
    name: 'the pause of the account',
    kind: 'held',
    expected: domain(
      'payouts_paused',
      'payouts are paused on this account while a payment reconciliation issue is investigated - support has been notified; your balance is safe and money in is unaffected',
    ),
    state: 'held',
  },
  {
    name: 'no money',
    kind: 'poor',
    expected: insufficient(0, [5000, 200], 'live'),
    state: 'poor',
  },
  {
    name: 'no rail',
    kind: 'rail',
    expected: domain('rail_unavailable', 'disbursement rail unavailable: rail not configured'),
    state: 'no rail',
  },
]

testOrder(FAULTS, refuseWith)

/** One live request with these faults hears the first of them, and nothing is written. */
async function refuseWith(faults: readonly Fault<State>[], because: string): Promise<void> {
  const states = new Set(faults.flatMap((fault) => fault.state ?? []))
  const shop = await shopIn(states)
  const request = requestWith(faults, PAYOUT)
  const key = request.collections ? shop.merchant.keys.live_collections : shop.merchant.keys.live
  if (states.has('frozen')) await freezePlatform(service.gateway, BY_HAND, 'a review')
  if (states.has('no rail')) service.rail.ready('person')
  const before = await payoutDigest(service)
  const reply = await service.client(key).post('/v1/payouts', request.body, request.headers)
  const after = await payoutDigest(service)
  service.rail.ready('ready')
  if (states.has('frozen')) await freezePlatform(service.gateway, BY_HAND, null)
  assertRefused(reply, faults[0]?.expected as Refused, { because })
  assert.equal(after, before, 'zero writes')
}

const shops = new Map<string, Shop>()

/** A merchant in these states, whose key `used` has been used. It has money only where that is not the fault. */
async function shopIn(states: ReadonlySet<State>): Promise<Shop> {
  const own = [...states].filter((state) => state !== 'frozen' && state !== 'no rail')
  const name = own.sort().join(' ')
  const known = shops.get(name)
  if (known) return known
  const shop = await service.shop()
  const used = await shop.live.post('/v1/payouts', { ...PAYOUT, amount: -1 }, { 'idempotency-key': 'used' })
  assert.equal(used.status, 400, 'stored under its key')
  const { app, merchant } = await findMerchant(service.gateway, shop.merchant.id)
  if (!states.has('poor'))
    await service.rows(
      `update ledger_heads set available = 1000000 where merchant_id = $1 and mode = 'live'`,
      [merchant.id],
    )
  if (states.has('held'))
    await freezeAccount(app, BY_HAND, { merchantId: merchant.id, reason: 'a person asked' })
  await service.set(shop.merchant, {
    active: !states.has('inactive'),
    kycStatus: states.has('unverified') ? 'pending' : 'verified',
    payoutLimit: states.has('limited') ? 100 : null,
  })
  shops.set(name, shop)
  return shop
}
