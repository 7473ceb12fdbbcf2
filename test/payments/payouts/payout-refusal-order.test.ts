import { freezeAccount, freezePlatform } from '../../../src/merchants/account/payout-freeze.ts'
import { getMerchantNamed } from '../../../src/merchants/account/set-merchant.ts'
import { FROZEN, noAdapter, PAUSED, unverified } from '../../api/http/known-refusals.ts'
import { moneyRules, NO_CURRENCY, NO_REFERENCE, TEXT_AMOUNT } from '../../api/http/money-faults.ts'
import { type Fault, field, fieldOf, requestWith, testOrder } from '../../api/http/refusal-order-of.ts'
import { domain, insufficient, invalid } from '../../api/http/refused.ts'
import { PAYOUT, payoutDigest, startPayingService } from '../../helpers/payments/payouts.ts'
import { BY_HAND } from '../../helpers/service/actors.ts'
import type { Shop } from '../../helpers/service/live-service.ts'
import { opened } from '../../helpers/service/opened.ts'
import type { Reply } from '../../helpers/service/test-service.ts'

const service = opened(() => startPayingService())

type State = 'inactive' | 'limited' | 'unverified' | 'frozen' | 'held' | 'poor' | 'no rail'
/** In the order in which they must be reported (fields of spec 2.4, G14a); what comes before the body is in `endpoints/`. */
const FAULTS: Fault<State>[] = [
  TEXT_AMOUNT,
  NO_CURRENCY,
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
  NO_REFERENCE,
  ...moneyRules('payout'),
  {
    name: 'a channel without an adapter',
    kind: 'channel',
    expected: noAdapter('card'),
    spoil: field('channel', 'card'),
  },
  {
    name: 'no verification',
    kind: 'unverified',
    expected: unverified('payouts'),
    state: 'unverified',
  },
  {
    name: 'the freeze of the platform',
    kind: 'frozen',
    expected: FROZEN,
    state: 'frozen',
  },
  {
    name: 'the pause of the account',
    kind: 'held',
    expected: PAUSED,
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

testOrder(FAULTS, {
  prepare: (faults) => shopIn(statesOf(faults)),
  send,
  digest: () => payoutDigest(service),
})

const statesOf = (faults: readonly Fault<State>[]) => new Set(faults.flatMap((fault) => fault.state ?? []))

async function send(faults: readonly Fault<State>[]): Promise<Reply> {
  const states = statesOf(faults)
  const { live } = await shopIn(states)
  const { body, headers } = requestWith(faults, PAYOUT)
  if (states.has('frozen')) await freezePlatform(service.gateway, BY_HAND, 'a review')
  if (states.has('no rail')) service.rail.ready('person')
  const reply = await live.post('/v1/payouts', body, headers)
  service.rail.ready('ready')
  if (states.has('frozen')) await freezePlatform(service.gateway, BY_HAND, null)
  return reply
}

const shops = new Map<string, Shop>()

/** A merchant in these states. It has money only where that is not the fault. */
async function shopIn(states: ReadonlySet<State>): Promise<Shop> {
  const own = [...states].filter((state) => state !== 'frozen' && state !== 'no rail')
  const name = own.sort().join(' ')
  const known = shops.get(name)
  if (known) return known
  const shop = await service.shop()
  const { app, merchant } = await getMerchantNamed(service.gateway, shop.merchant.id)
  if (!states.has('poor'))
    await service.rows(`update ledger_heads set available = 1000000 where merchant_id = $1 and mode = 'live'`, [
      merchant.id,
    ])
  if (states.has('held')) await freezeAccount(app, BY_HAND, { merchantId: merchant.id, reason: 'a person asked' })
  await service.set(shop.merchant, {
    active: !states.has('inactive'),
    kycStatus: states.has('unverified') ? 'pending' : 'verified',
    payoutLimit: states.has('limited') ? 100 : null,
  })
  shops.set(name, shop)
  return shop
}
