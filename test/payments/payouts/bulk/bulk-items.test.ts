import assert from 'node:assert/strict'
import test from 'node:test'
import { BULK_RECORDS } from '../../../helpers/payments/payouts.ts'
import { availableOf, payer } from '../../../helpers/payments/schedules.ts'
import { openedAndVerified } from '../../../helpers/service/opened.ts'
import { startService } from '../../../helpers/service/test-service.ts'

const service = openedAndVerified(() => startService({ env: { RATE_LIMIT_PAYOUTS: '0' } }))

const BULK = '/v1/payouts/bulk'
const phone = '0700000000'
const nested = (recipient: unknown) => ({ amount: 1000, recipient })

// What is wrong with the item, the item, and the text and code in its result. The merchant has 5,000 and a limit of 600,000.
const ITEMS: [string, unknown, string, string][] = [
  ['null', null, 'invalid item: item must be an object', 'invalid_item'],
  ['a text', 'x', 'invalid item: item must be an object', 'invalid_item'],
  ['a list', [{ amount: 1000, phone }], 'invalid item: item must be an object', 'invalid_item'],
  ['no amount', { phone }, 'invalid item: amount must be an integer', 'invalid_item'],
  ['an amount of null', { amount: null, phone }, 'invalid item: amount must be an integer', 'invalid_item'],
  ['an amount in text', { amount: '1000', phone }, 'invalid item: amount must be an integer', 'invalid_item'],
  ['half a shilling', { amount: 0.5, phone }, 'invalid item: amount must be an integer', 'invalid_item'],
  ['true as amount', { amount: true, phone }, 'invalid item: amount must be an integer', 'invalid_item'],
  ['no phone', { amount: 1000 }, 'invalid item: recipient.phone is required', 'invalid_item'],
  ['a blank phone', nested({ phone: ' ' }), 'invalid item: recipient.phone is required', 'invalid_item'],
  [
    'a short phone',
    { amount: 1000, phone: '12' },
    'invalid item: recipient.phone is not a valid phone number',
    'invalid_item',
  ],
  [
    'a number as phone',
    { amount: 1000, phone: 700000000 },
    'invalid item: recipient.phone must be a string',
    'invalid_item',
  ],
  ['a text as recipient', nested('x'), 'invalid item: recipient must be an object', 'invalid_item'],
  [
    'a long name',
    nested({ phone, name: 'n'.repeat(201) }),
    'invalid item: recipient.name must be at most 200 characters',
    'invalid_item',
  ],
  [
    'a tab in the name',
    nested({ phone, name: 'a\tb' }),
    'invalid item: recipient.name contains control characters',
    'invalid_item',
  ],
  [
    'a number as reference',
    { amount: 1000, phone, reference: 7 },
    'invalid item: reference must be a string',
    'invalid_item',
  ],
  [
    'a long reference',
    { amount: 1000, phone, reference: 'r'.repeat(256) },
    'invalid item: reference must be at most 255 characters',
    'invalid_item',
  ],
  [
    'a number as channel',
    { amount: 1000, phone, channel: 5 },
    'invalid item: channel must be a string',
    'invalid_item',
  ],
  ['an amount of 0', { amount: 0, phone }, 'amount must be positive', 'amount_not_positive'],
  ['a negative amount', { amount: -1000, phone }, 'amount must be positive', 'amount_not_positive'],
  [
    'one above the ceiling',
    { amount: 1_000_000_001, phone },
    'amount exceeds the maximum of 1000000000',
    'amount_too_large',
  ],
  ['1e30', { amount: 1e30, phone }, 'amount exceeds the maximum of 1000000000', 'amount_too_large'],
  [
    'more than the account may',
    { amount: 600_001, phone },
    "amount exceeds this account's per-payout limit of 600000",
    'amount_too_large',
  ],
  [
    'op2_money',
    { amount: 1000, phone, channel: 'op2_money' },
    'no disbursement adapter for channel op2_money',
    'unsupported_payout_channel',
  ],
  [
    'a long channel',
    { amount: 1000, phone, channel: 'x'.repeat(60) },
    `no disbursement adapter for channel ${'x'.repeat(40)}`,
    'unsupported_payout_channel',
  ],
  [
    'an amount of 0 on card: the amount comes first',
    { amount: 0, phone, channel: 'card' },
    'amount must be positive',
    'amount_not_positive',
  ],
  [
    'too much on card: the channel comes before the balance',
    { amount: 600_000, phone, channel: 'card' },
    'no disbursement adapter for channel card',
    'unsupported_payout_channel',
  ],
  [
    'more than there is',
    { amount: 10_000, phone },
    'insufficient available balance: have 3800, need 10200 (amount 10000 + fee 200)',
    'insufficient_balance',
  ],
  [
    'as much as there is, which leaves nothing for the fee',
    { amount: 3800, phone },
    'insufficient available balance: have 3800, need 4000 (amount 3800 + fee 200)',
    'insufficient_balance',
  ],
  [
    'what the capped fee makes too dear',
    { amount: 400_000, phone },
    'insufficient available balance: have 3800, need 405000 (amount 400000 + fee 5000)',
    'insufficient_balance',
  ],
]

test('every item that is wrong says why by itself, and those around it are paid', async () => {
  const { merchant, api } = await payer(service, 5000)
  await service.set(merchant, { payoutLimit: 600_000 })
  const first = { amount: 1000, phone, reference: 'first' }
  const last = { amount: 3600, phone, reference: 'last' }
  const payouts = [first, ...ITEMS.map(([, item]) => item), last]
  const { status, body } = await api.post(BULK, { payouts }, { 'idempotency-key': 'mixed' })
  assert.equal(status, 200)
  assert.match(body.batch_id, /^batch_[a-z0-9]{21,}$/)
  const { batch_id, results, ...counts } = body
  assert.deepEqual(counts, { total: ITEMS.length + 2, accepted: 2, failed: ITEMS.length })
  for (const [at, [what, item, error, code]] of ITEMS.entries()) {
    const reference = `mixed-${at + 1}`
    const index = at + 1
    assert.deepEqual(
      { what, ...results[index] },
      { what, index, ok: false, error, code, reference, replayed: false, retryable: false, metadata: {} },
      JSON.stringify(item),
    )
  }
  for (const [index, paid] of [
    [0, first],
    [ITEMS.length + 1, last],
  ] as const)
    assert.deepEqual(results[index], {
      index,
      ok: true,
      id: results[index].id,
      status: 'authorized',
      amount: paid.amount,
      recipient_phone: '256700000000',
      reference: paid.reference,
      replayed: false,
      retryable: false,
      metadata: {},
    })
  assert.equal(await availableOf(api), 5000 - 1200 - 3800)
})

test('a wrong item keeps its own reference where that can be read', async () => {
  const { api } = await payer(service, 5000)
  const { body } = await api.post(
    BULK,
    {
      items: [
        { amount: 'x', phone, reference: 'mine' },
        { phone, reference: ' ' },
      ],
    },
    { 'idempotency-key': 'k' },
  )
  assert.deepEqual(
    body.results.map((result: any) => result.reference),
    ['mine', 'k-1'],
  )
})

test('a bulk call in which nothing can be paid is still 200, moves nothing and is kept', async () => {
  const { api } = await payer(service, 1000)
  const before = await service.digest(...BULK_RECORDS)
  const body = { payouts: [{ amount: 1000, phone }, null] }
  const first = await api.post(BULK, body, { 'idempotency-key': 'nothing' })
  assert.deepEqual([first.status, first.body.accepted, first.body.failed], [200, 0, 2])
  const again = await api.post(BULK, body, { 'idempotency-key': 'nothing' })
  assert.equal(again.body.batch_id, first.body.batch_id)
  assert.equal(await service.digest(...BULK_RECORDS), before)
})

test('a reference of 255 characters and a key of 255 characters make references of their own', async () => {
  const { api } = await payer(service, 10_000)
  const key = 'k'.repeat(255)
  const long = `${'r'.repeat(253)}é漢`
  const { body } = await api.post(
    BULK,
    {
      payouts: [
        { amount: 1000, phone, reference: long },
        { amount: 1000, phone },
      ],
    },
    { 'idempotency-key': key },
  )
  assert.deepEqual(
    body.results.map((result: any) => [result.ok, result.reference]),
    [
      [true, long],
      [true, `${key}-1`],
    ],
  )
  const listed = (await api.get(`/v1/payouts/${body.results[1].id}`)).body
  assert.equal(listed.reference, `${key}-1`)
})
