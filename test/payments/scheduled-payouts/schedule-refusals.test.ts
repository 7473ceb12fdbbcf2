import assert from 'node:assert/strict'
import test from 'node:test'
import { freezePlatform } from '../../../src/merchants/account/payout-freeze.ts'
import { assertFree, assertKept } from '../../api/http/kept-or-free.ts'
import { CURRENCY, NOT_POSITIVE, noAdapter, overLimit, TOO_MUCH, unverified } from '../../api/http/known-refusals.ts'
import { assertRefused, domain, invalid, type Refused } from '../../api/http/refused.ts'
import { payer, plan, planned, SCHEDULE, SCHEDULES } from '../../helpers/payments/schedules.ts'
import { BY_HAND } from '../../helpers/service/actors.ts'
import { made, opened, prepare } from '../../helpers/service/opened.ts'
import { type Client, startService } from '../../helpers/service/test-service.ts'

let api: Client
const service = opened(() => startService({ env: { RATE_LIMIT_SCHEDULES: '0' } }))
const shop = made(() => payer(service))
prepare(async () => {
  api = shop.api
})

const LIST = 'recipients must be a non-empty list'
const INTERVAL = 'interval must be one of daily, weekly, monthly'
const one = (recipient: unknown) => ({ recipients: [{ phone: '0700000000' }, recipient] })
const people = (count: number) => Array.from({ length: count }, () => ({ phone: '0700000000' }))
const letters = (count: number) => 'x'.repeat(count)

// Faults of form: never kept under the key.
const FORMS: [string, object, string][] = [
  ['no amount', { amount: null }, 'amount must be an integer'],
  ['an amount in words', { amount: '5000' }, 'amount must be an integer'],
  ['half a shilling', { amount: 5000.5 }, 'amount must be an integer'],
  ['an unknown interval', { interval: 'hourly' }, INTERVAL],
  ['an interval in capitals', { interval: 'Daily' }, INTERVAL],
  ['an inherited interval', { interval: 'constructor' }, INTERVAL],
  ['C22: null as interval', { interval: null }, INTERVAL],
  ['C22: no interval', { interval: undefined }, INTERVAL],
  ['C22: a blank interval', { interval: ' ' }, INTERVAL],
  ['C22: a number as interval', { interval: 7 }, INTERVAL],
  ['nobody', { recipients: [] }, LIST],
  ['a person instead of a list', { recipients: { phone: '0700000000' } }, LIST],
  ['a text instead of a list', { recipients: '0700000000' }, LIST],
  ['C22: null as recipients', { recipients: null }, LIST],
  ['C22: no recipients', { recipients: undefined }, LIST],
  ['1001 people', { recipients: people(1001) }, 'recipients supports at most 1000 entries'],
  ['one without phone', one({ name: 'Ann' }), 'recipients[1].phone is required'],
  ['one with a blank phone', one({ phone: ' ' }), 'recipients[1].phone is required'],
  ['one with no phone at all', one({ phone: 'abc' }), 'recipients[1].phone is not a valid phone number'],
  ['one whose phone is a number', one({ phone: 700000000 }), 'recipients[1].phone must be a string'],
  ['one that is a text', one('0700000000'), 'recipients[1] must be an object'],
  ['one that is null', one(null), 'recipients[1] must be an object'],
  [
    'one with a long name',
    one({ phone: '0700000000', name: letters(201) }),
    'recipients[1].name must be at most 200 characters',
  ],
  [
    'one with a long reference',
    one({ phone: '0700000000', reference: letters(256) }),
    'recipients[1].reference must be at most 255 characters',
  ],
  ['a number as currency', { currency: 1 }, 'currency must be a string'],
  ['a number as channel', { channel: 1 }, 'channel must be a string'],
  ['a long name', { name: letters(201) }, 'name must be at most 200 characters'],
  ['a cap in words', { max_per_recipient: '5000' }, 'max_per_recipient must be an integer'],
  ['a cap beyond all numbers', { max_per_recipient: 1e30 }, 'max_per_recipient must be at most 9007199254740991'],
  ['a start in words', { start_at: 'tomorrow' }, 'start_at must be an ISO 8601 datetime'],
  ['a start on no real day', { start_at: '2027-02-30' }, 'start_at must be an ISO 8601 datetime'],
  ['a start as a number', { start_at: 1767225600 }, 'start_at must be a string'],
  ['a number in its metadata', { metadata: { order: 7 } }, 'metadata.order must be a string; write it in quotes: "7"'],
  ['a list as metadata', { metadata: [] }, 'metadata must be an object'],
  ['a bad start and bad metadata', { start_at: 'x', metadata: 1 }, 'start_at must be an ISO 8601 datetime'],
  ['a bad interval and nobody', { interval: 'hourly', recipients: [] }, INTERVAL],
  ['a bad amount and a bad interval', { amount: 'x', interval: 'hourly' }, 'amount must be an integer'],
]

for (const [name, difference, problem] of FORMS)
  test(`a schedule with ${name} is refused with "${problem}", nothing is written and the key is free`, () =>
    assertFree(sentWith(difference, invalid(problem)), SCHEDULE))

// Refusals of the business: kept under the key.
const RULES: [string, object, Refused][] = [
  ['nothing for each', { amount: 0 }, NOT_POSITIVE],
  ['less than nothing', { amount: -1 }, NOT_POSITIVE],
  ['more than the ceiling', { amount: 1_000_000_001 }, TOO_MUCH],
  ['more than any number', { amount: 1e30 }, TOO_MUCH],
  ['dollars', { currency: 'USD' }, CURRENCY],
  ['another channel', { channel: 'op2_money' }, noAdapter('op2_money')],
  [
    'a cap below the amount',
    { max_per_recipient: 4999 },
    domain('cap_exceeded', 'amount 5000 exceeds the per-recipient cap of 4999'),
  ],
  [
    'a cap below zero',
    { max_per_recipient: -1 },
    domain('cap_exceeded', 'amount 5000 exceeds the per-recipient cap of -1'),
  ],
  ['dollars over a bad channel', { currency: 'USD', channel: 'card' }, CURRENCY],
]

for (const [name, difference, refused] of RULES)
  test(`a schedule with ${name} is refused with "${refused.error}" and that is kept under its key`, () =>
    assertKept(sentWith(difference, refused)))

function sentWith(difference: object, expected: Refused) {
  return { api, path: SCHEDULES, body: { ...SCHEDULE, ...difference }, expected, digest: service.digest }
}

test('what is just right passes: the ceiling, the cap, a thousand people, long texts', async () => {
  assert.equal((await planned(api, { amount: 1_000_000_000 })).amount, 1_000_000_000)
  assert.equal((await planned(api, { max_per_recipient: 5000 })).max_per_recipient, 5000)
  assert.equal((await planned(api, { recipients: people(1000) })).recipients.length, 1000)
  const full = { phone: '0700000000', name: letters(200), reference: letters(255) }
  const { recipients, name } = await planned(api, { recipients: [full], name: letters(200) })
  assert.deepEqual(recipients, [{ ...full, phone: '256700000000' }])
  assert.equal(name, letters(200))
})

test('blank optional texts are absent, unknown fields are ignored', async () => {
  const made = await planned(api, {
    name: ' ',
    currency: '',
    channel: null,
    max_per_recipient: null,
    start_at: '',
    status: 'cancelled',
    recipients: [{ phone: '0700000000', name: '', reference: null, colour: 'red' }],
  })
  assert.deepEqual(
    [made.name, made.currency, made.channel, made.max_per_recipient, made.start_at, made.status],
    [null, 'UGX', 'op1_momo', null, null, 'active'],
  )
  assert.deepEqual(made.recipients, [{ phone: '256700000000', name: null, reference: null }])
})

test("the account's own limit on a payout holds for each recipient", async () => {
  const limited = await payer(service)
  await service.set(limited.merchant, { payoutLimit: 4000 })
  const refused = overLimit('payout', 4000)
  assertRefused(await plan(limited.api), refused)
  assert.equal((await plan(limited.api, { amount: 4000 })).status, 201)
})

test('a live schedule needs a verified business, a test one does not', async () => {
  const merchant = await service.merchant()
  const live = service.client(merchant.keys.live)
  const before = await service.digest()
  const refused = unverified('payouts')
  assertRefused(await plan(live), refused)
  assert.equal(await service.digest(), before, 'zero writes')
  assert.equal((await plan(service.client(merchant.keys.test))).status, 201)
})

test('a schedule is made without money and during a freeze: that counts when it runs', async () => {
  const poor = await payer(service)
  await freezePlatform(service.gateway, BY_HAND, 'review')
  assert.equal((await plan(service.client(poor.merchant.keys.live))).status, 201)
  await freezePlatform(service.gateway, BY_HAND, null)
  assert.equal((await plan(poor.api)).status, 201)
})

test('the 101st schedule of a mode is refused until one is cancelled', async () => {
  const busy = await payer(service)
  await service.rows(
    `insert into schedules (merchant_id, id, mode, status, amount, channel, interval, recipients, anchor_at, next_run_at, created_at)
     select $1, 'spo_filler' || n, 'test', case n % 2 when 0 then 'active' else 'paused' end, 5000, 'op1_momo', 'daily',
       '[{"phone": "256700000000"}]', $2, $2, $2 from generate_series(1, 99) n`,
    [busy.merchantId, service.clock.now().toISOString()],
  )
  const { id } = await planned(busy.api)
  const key = { 'idempotency-key': 'one too many' }
  const full = domain('too_many_schedules', 'too many schedules (max 100 not cancelled)')
  assertRefused(await plan(busy.api, {}, key), full)
  assert.equal((await plan(service.client(busy.merchant.keys.live))).status, 201, 'the other mode has its own')
  await busy.api.post(`${SCHEDULES}/${id}/cancel`)
  const kept = await plan(busy.api, {}, key)
  assert.equal(kept.headers.get('idempotent-replayed'), 'true')
  assert.equal((await plan(busy.api)).status, 201)
  assertRefused(await plan(busy.api), full)
})
