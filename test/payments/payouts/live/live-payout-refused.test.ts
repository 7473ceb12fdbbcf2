import assert from 'node:assert/strict'
import test from 'node:test'
import { assertRefused, domain, type Refused } from '../../../api/http/refused.ts'
import { balanceOf, eventsOf } from '../../../helpers/database/money-rows.ts'
import { settle } from '../../../helpers/payments/following-payouts.ts'
import { heardOf } from '../../../helpers/payments/operator-heard.ts'
import { COST, PAID, postingsOf, RETURNED } from '../../../helpers/payments/payout-money.ts'
import {
  changedTables,
  pay,
  payNew,
  payoutDigest,
  payoutOf,
  richShop,
  startPayingService,
} from '../../../helpers/payments/payouts.ts'
import { newPayer } from '../../../helpers/service/live-service.ts'
import { openedAndVerified } from '../../../helpers/service/opened.ts'
import { startService } from '../../../helpers/service/test-service.ts'

const service = openedAndVerified(() => startPayingService())

const FUNDS = 500_000
const AWAY: Refused = {
  status: 503,
  code: 'rail_unavailable',
  error: 'disbursement temporarily unavailable - retry with the same Idempotency-Key',
}
const unavailable = (why: string) => domain('rail_unavailable', `disbursement rail unavailable: ${why}`)
const keysOf = (id: string) => service.rows('select status from idempotency_keys where object_id = $1', [id])

/** The traces of a payout that the operator provably never took: reservation and reversal, and no payout to see. */
async function assertTakenBack(shop: Awaited<ReturnType<typeof richShop>>, reference: string) {
  const rows = await service.rows<{ id: string }>(
    `select p.id, p.status, p.published, p.voided_at is not null as voided, p.follow_at, p.completed_at, a.state
     from payouts p join rail_attempts a on a.subject = p.id where p.reference = $1`,
    [reference],
  )
  const id = rows[0]?.id ?? ''
  const hidden = { status: 'pending', published: false, voided: true, follow_at: null, completed_at: null }
  assert.deepEqual(rows, [{ id, ...hidden, state: 'void' }])
  assert.deepEqual(await postingsOf(service, id), RETURNED)
  assert.deepEqual(await balanceOf(shop.live), { available: FUNDS, pending: 0 })
  assert.equal((await shop.live.get(`/v1/payouts/${id}`)).status, 404)
  for (const filter of ['', '?status=pending', '?status=failed'])
    assert.deepEqual((await shop.live.get(`/v1/payouts${filter}`)).body.data, [])
  assert.deepEqual(await eventsOf(service, id), [])
  service.pass(3_600_000)
  await service.run('send-payouts')
  await service.run('finish-keys')
  assert.equal(service.entryOf(id), undefined, 'and it is never sent again')
  assert.deepEqual(await eventsOf(service, id), [])
  return id
}

const CLEAN = [
  [
    'nobody listens at its address',
    '7',
    { before: () => service.operator.shut(), afterwards: () => service.operator.open() },
  ],
  [
    'it proves that it took nothing',
    '7',
    {
      before: async () => service.operator.onSubmit({ answer: 'refuse to serve' }),
      afterwards: async () => service.operator.onSubmit({ answer: 'accept' }),
    },
  ],
] as const
for (const [trouble, retryAfter, { before, afterwards }] of CLEAN)
  test(`a payout that the operator never took (${trouble}) is a 503, everything is returned, and its key is free`, async () => {
    const shop = await richShop(service, FUNDS)
    const key = { 'idempotency-key': 'first in vain' }
    const order = { recipient: { phone: newPayer() }, reference: `vain ${trouble}` }
    const tables = await payoutDigest(service)
    await before()
    const refused = await pay(shop.live, order, key).finally(afterwards)
    assertRefused(refused, AWAY, { retryAfter })
    assert.deepEqual(changedTables(tables, await payoutDigest(service)), [
      'payouts',
      'transfers',
      'ledger_heads',
      'rail_attempts',
    ])
    const id = await assertTakenBack(shop, order.reference)
    assert.deepEqual(await keysOf(id), [])
    const taken = await pay(shop.live, order, key)
    assert.deepEqual([taken.status, taken.headers.get('idempotent-replayed')], [201, null])
    assert.notEqual(taken.body.id, id)
    await settle(service, taken.body.id)
    assert.deepEqual(await balanceOf(shop.live), { available: FUNDS - COST, pending: 0 })
  })

test('a payout that only a person can unblock (the account is barred) is a 400 kept under its key, everything is returned', async () => {
  const shop = await richShop(service, FUNDS)
  const key = { 'idempotency-key': 'barred' }
  const order = { recipient: { phone: newPayer() }, reference: 'barred' }
  service.operator.onSubmit({ answer: 'bar the account' }, order.recipient.phone)
  const refused = await pay(shop.live, order, key)
  assertRefused(refused, unavailable('account barred'))
  await assertTakenBack(shop, 'barred')
  service.operator.onSubmit({ answer: 'accept' }, order.recipient.phone)
  const again = await pay(shop.live, order, key)
  assert.deepEqual([again.status, again.text], [400, refused.text])
  assert.equal(again.headers.get('idempotent-replayed'), 'true')
  const anew = await pay(shop.live, order)
  assert.equal(anew.status, 201)
  await settle(service, anew.body.id)
})

test('a rail that is not ready for a while is a 503 before any write, and the key is free', async () => {
  const { live } = await richShop(service, FUNDS)
  const key = { 'idempotency-key': 'not ready' }
  const order = { recipient: { phone: newPayer() } }
  const [before, asked] = [await everything(), service.operator.journal.length]
  service.rail.ready('wait')
  const refused = await pay(live, order, key)
  service.rail.ready('ready')
  assertRefused(refused, AWAY, { retryAfter: '7' })
  assert.equal(await everything(), before, 'zero writes, not even a key')
  assert.equal(service.operator.journal.length, asked)
  assert.equal((await pay(live, order, key)).status, 201)
})

const REASONS: [string, string][] = [
  ['rail not configured', 'rail not configured'],
  ['credentials refused', 'credentials refused'],
  ['product not enabled', 'product not enabled'],
  ['address not allow-listed', 'address not allow-listed'],
  ['account barred', 'account barred'],
  ['operator configuration', 'operator configuration'],
  ['HTTP 401 {"secret": "0700000000"}', 'operator configuration'],
]
for (const [why, told] of REASONS)
  test(`a rail that waits for a person (${why}) is a 400 that says "${told}", kept, with nothing else written`, async () => {
    const { live } = await richShop(service, FUNDS)
    const key = { 'idempotency-key': 'not ready' }
    const order = { recipient: { phone: newPayer() } }
    const [before, asked] = [await payoutDigest(service), service.operator.journal.length]
    service.rail.ready('person', why)
    const refused = await pay(live, order, key)
    service.rail.ready('ready')
    assertRefused(refused, unavailable(told))
    assert.equal(await payoutDigest(service), before, 'zero writes')
    assert.equal(service.operator.journal.length, asked)
    const again = await pay(live, order, key)
    assert.deepEqual([again.status, again.text], [400, refused.text])
    assert.equal((await pay(live, order)).status, 201, 'a new key finds the cause gone')
  })

test('without a live rail, or with one that cannot pay out, live money is refused and the reason is kept', async () => {
  const shop = await richShop(service, FUNDS)
  const { disburse: _, ...collecting } = service.rail
  for (const [name, liveRails] of [
    ['none', {}],
    ['collecting', { op1_momo: collecting }],
  ] as const) {
    const bare = await startService({ database: service.database, clock: service.clock, liveRails })
    try {
      const before = await payoutDigest(service)
      const api = bare.client(shop.merchant.keys.live)
      const refused = await pay(api, {}, { 'idempotency-key': name })
      assertRefused(refused, unavailable('rail not configured'))
      assert.equal(await payoutDigest(service), before, 'zero writes')
      assert.equal((await pay(shop.live, {}, { 'idempotency-key': name })).text, refused.text, 'stored')
    } finally {
      await bare.close()
    }
  }
})

test('every rule comes before the rail: a low balance is reported although the rail is away', async () => {
  const { live } = await service.shop()
  for (const verdict of ['wait', 'person'] as const) {
    service.rail.ready(verdict)
    const refused = await payNew(live)
    service.rail.ready('ready')
    assert.equal(refused.body.code, 'insufficient_balance')
  }
})

test('a live payout never reaches a simulated rail: nothing is written', async () => {
  const shop = await richShop(service, FUNDS)
  const wrong = await startService({
    database: service.database,
    clock: service.clock,
    liveRails: { op1_momo: { ...service.rail, simulated: true } },
  })
  try {
    const [before, asked] = [await everything(), service.operator.submits()]
    const refused = await payNew(wrong.client(shop.merchant.keys.live))
    assert.ok(refused.status >= 500, `answered ${refused.status}`)
    assert.equal(await everything(), before)
    assert.equal(service.operator.submits(), asked)
  } finally {
    await wrong.close()
  }
})

test('a throw inside the submit is ambiguous: parked, asked about, paid once', async () => {
  const shop = await richShop(service, FUNDS)
  const { disburse } = service.rail
  const throwing = await startService({
    database: service.database,
    clock: service.clock,
    liveRails: {
      op1_momo: {
        ...service.rail,
        disburse: {
          submit: async (attempt, deadline) => {
            await disburse?.submit(attempt, deadline)
            throw new Error('a mistake of the adapter, after sending')
          },
          status: async () => {
            throw new Error('a mistake of the adapter')
          },
        },
      },
    },
  })
  try {
    const { status, body } = await payNew(throwing.client(shop.merchant.keys.live))
    assert.deepEqual([status, body.status], [201, 'authorized'])
    service.operator.pays(body.id)
    service.pass(6000)
    await throwing.run('send-payouts')
    assert.equal((await payoutOf(shop.live, body.id)).status, 'authorized', 'a throw in a question ends nothing')
    await settle(service, body.id)
    assert.deepEqual(await postingsOf(service, body.id), PAID)
    assert.equal(heardOf(service, 'submit', body.rail_reference).length, 1)
  } finally {
    await throwing.close()
  }
})

const everything = async () =>
  JSON.stringify([
    await payoutDigest(service),
    await service.rows('select * from idempotency_keys order by 1, 2, 3'),
    await service.rows('select count(*)::int, max(seq)::float8 from rail_evidence'),
  ])
