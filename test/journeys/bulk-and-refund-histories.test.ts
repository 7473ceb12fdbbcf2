import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { stillClock } from '../contracts/still-clock.ts'
import { assertVerified, DAY } from '../helpers/live-service.ts'
import { balanceOf } from '../helpers/money-rows.ts'
import { opened } from '../helpers/opened.ts'
import { fund, type Payer, payer } from '../helpers/schedules.ts'
import { startService } from '../helpers/test-service.ts'

const service = opened(() =>
  startService({
    clock: stillClock(),
    env: { RATE_LIMIT_PAYOUTS: '0', RATE_LIMIT_REFUNDS: '0' },
  }),
)

const FAILING = ['256700000001', '256700000002', '256700000003']
const OUTCOME_MS = 2000
let bulks = 0

type Item = { amount: number; phone: string; reference: string }
type Step =
  | { do: 'charge'; amount: number; phone: string }
  | { do: 'payout'; amount: number; phone: string }
  | { do: 'bulk'; items: Item[]; again: boolean }
  | { do: 'refund'; which: number }
  | { do: 'fund'; amount: number }
  | { do: 'hold'; realistic: boolean }
  | { do: 'fail next'; count: number }
  | { do: 'pass'; ms: number }
  | { do: 'sweep'; name: string; twice: boolean }

const phone = fc.oneof(
  { weight: 3, arbitrary: fc.constant('256700000000') },
  { weight: 1, arbitrary: fc.constantFrom(...FAILING) },
)
const amount = fc.oneof(fc.integer({ min: 1, max: 20_000 }), fc.integer({ min: 1, max: 500_000 }))
const item = fc.record({
  amount: fc.oneof(fc.constantFrom(0, 1000, 5000), amount),
  phone,
  reference: fc.integer({ min: 0, max: 12 }).map((nth) => `r${nth}`),
})
const named = <const Name extends string>(name: Name) => ({ do: fc.constant(name) })
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ ...named('charge'), amount: amount.map((one) => one + 200), phone }),
  },
  { weight: 2, arbitrary: fc.record({ ...named('payout'), amount, phone }) },
  {
    weight: 3,
    arbitrary: fc.record({
      ...named('bulk'),
      items: fc.array(item, { minLength: 1, maxLength: 8 }),
      again: fc.boolean(),
    }),
  },
  { weight: 3, arbitrary: fc.record({ ...named('refund'), which: fc.nat(100) }) },
  { weight: 1, arbitrary: fc.record({ ...named('fund'), amount: fc.integer({ min: 1, max: 300_000 }) }) },
  { weight: 1, arbitrary: fc.record({ ...named('hold'), realistic: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ ...named('fail next'), count: fc.nat(3) }) },
  { weight: 3, arbitrary: fc.record({ ...named('pass'), ms: fc.constantFrom(1000, 2000, 3_600_000, DAY) }) },
  {
    weight: 6,
    arbitrary: fc.record({
      ...named('sweep'),
      name: fc.constantFrom(
        'follow-charges',
        'send-payouts',
        'settle-charges',
        'finish-keys',
        'finish-bulks',
        'checkpoint-ledgers',
      ),
      twice: fc.boolean(),
    }),
  },
)

type Charge = {
  id: string
  amount: number
  fails: boolean
  status: string
  dueMs: number
  heldUntilMs: number | null
}
type Payout = { id: string; cost: number; fails: boolean; status: string; dueMs: number; returns: number }
type Spent = Item & { payout: Payout }

/** What the specification says must have become of the merchant's money, and nothing of how it is done. */
class Model {
  available = 0
  pending = 0
  realistic = false
  failNext = 0
  charges: Charge[] = []
  payouts: Payout[] = []
  spent = new Map<string, Spent>()
}

const feeOf = (amount: number) => Math.min(Math.max(Math.floor((amount * 15) / 1000), 200), 5000)
const costOf = (amount: number) => amount + feeOf(amount)

function accept(
  model: Model,
  { id, amount, phone }: { id: string; amount: number; phone: string },
  returns = 0,
) {
  const failsByPhone = FAILING.includes(phone)
  const fails = model.failNext > 0 || failsByPhone
  if (model.failNext > 0) model.failNext -= 1
  const dueMs = service.clock.nowMs() + OUTCOME_MS
  const payout = { id, cost: costOf(amount), fails, status: 'authorized', dueMs, returns }
  model.available -= payout.cost
  model.payouts.push(payout)
  return payout
}

/** What the result of this item must say, before it is applied. */
function expectItem(model: Model, { amount, phone, reference }: Item): string {
  const spent = model.spent.get(reference)
  if (spent) return spent.amount === amount && spent.phone === phone ? 'replayed' : 'reference_conflict'
  if (amount === 0) return 'amount_not_positive'
  return costOf(amount) > model.available ? 'insufficient_balance' : 'paid'
}

async function playBulk({ api }: Payer, model: Model, { items, again }: Extract<Step, { do: 'bulk' }>) {
  bulks += 1
  const key = { 'idempotency-key': `bulk ${bulks}` }
  const { status, body } = await api.post('/v1/payouts/bulk', { payouts: items }, key)
  assert.equal(status, 200, JSON.stringify(body))
  for (const [index, one] of items.entries()) {
    const result = body.results[index]
    const expected = expectItem(model, one)
    assert.equal(result.ok ? (result.replayed ? 'replayed' : 'paid') : result.code, expected)
    const spent = model.spent.get(one.reference)
    if (expected === 'replayed')
      assert.deepEqual([result.id, result.status], [spent?.payout.id, spent?.payout.status])
    if (expected === 'paid')
      model.spent.set(one.reference, { ...one, payout: accept(model, { ...one, id: result.id }) })
  }
  if (!again) return
  const repeated = await api.post('/v1/payouts/bulk', { payouts: items }, key)
  const results = body.results.map((one: any) => ({ ...one, replayed: true }))
  assert.deepEqual(repeated.body, { ...body, results })
}

async function playRefund({ api }: Payer, model: Model, { which }: Extract<Step, { do: 'refund' }>) {
  const charge = model.charges[which % (model.charges.length || 1)]
  if (!charge) return
  const { status, body } = await api.post(`/v1/charges/${charge.id}/refund`)
  if (charge.status === 'refunded') return assert.equal(body.code, 'already_refunded')
  if (charge.status !== 'succeeded')
    return assert.equal(body.code, `cannot_refund_${charge.status}_transaction`)
  if (costOf(charge.amount) > model.available) return assert.equal(body.code, 'insufficient_balance')
  assert.equal(status, 202, JSON.stringify(body))
  charge.status = 'refunded'
  const { amount, recipient_phone: phone, id } = body.refund
  assert.equal(amount, charge.amount)
  accept(model, { id, amount, phone }, feeOf(charge.amount))
}

async function playOne(shop: Payer, model: Model, one: Step): Promise<void> {
  const nowMs = service.clock.nowMs()
  switch (one.do) {
    case 'charge': {
      const { body } = await shop.api.charge({ amount: one.amount, customer: { phone: one.phone } })
      const fails = FAILING.includes(one.phone)
      const born = { status: 'authorized', dueMs: nowMs + OUTCOME_MS, heldUntilMs: null }
      return void model.charges.push({ id: body.id, amount: one.amount, fails, ...born })
    }
    case 'payout': {
      const wanted = { amount: one.amount, recipient: { phone: one.phone } }
      const { status, body } = await shop.api.post('/v1/payouts', wanted)
      if (costOf(one.amount) > model.available) return assert.equal(body.code, 'insufficient_balance')
      assert.equal(status, 201, JSON.stringify(body))
      return void accept(model, { ...one, id: body.id })
    }
    case 'bulk':
      return playBulk(shop, model, one)
    case 'refund':
      return playRefund(shop, model, one)
    case 'fund':
      model.available += one.amount
      return void (await fund(service, shop, one.amount))
    case 'hold':
      model.realistic = one.realistic
      return service.set(shop.merchant, { testHold: one.realistic ? 'realistic' : 'none' })
    case 'fail next':
      model.failNext = one.count
      return service.set(shop.merchant, {
        failNextPayouts: one.count,
        failNextReason: one.count === 0 ? null : 'timeout',
      })
    case 'pass':
      return service.pass(one.ms)
    case 'sweep':
      await Promise.all(Array.from({ length: one.twice ? 2 : 1 }, () => service.run(one.name)))
      return sweep(model, one.name)
  }
}

function sweep(model: Model, name: string): void {
  const nowMs = service.clock.nowMs()
  const due = <One extends { status: string; dueMs: number }>(list: One[]) =>
    list.filter(({ status, dueMs }) => status === 'authorized' && dueMs <= nowMs)
  if (name === 'follow-charges')
    for (const charge of due(model.charges)) {
      charge.status = charge.fails ? 'failed' : 'succeeded'
      if (charge.fails) continue
      if (model.realistic) charge.heldUntilMs = nowMs + DAY
      model[model.realistic ? 'pending' : 'available'] += charge.amount - feeOf(charge.amount)
    }
  if (name === 'send-payouts')
    for (const payout of due(model.payouts)) {
      payout.status = payout.fails ? 'failed' : 'succeeded'
      model.available += payout.fails ? payout.cost : payout.returns
    }
  if (name === 'settle-charges')
    for (const charge of model.charges) {
      if (charge.heldUntilMs === null || charge.heldUntilMs > nowMs) continue
      charge.heldUntilMs = null
      model.pending -= charge.amount - feeOf(charge.amount)
      model.available += charge.amount - feeOf(charge.amount)
    }
}

async function assertSame({ api, merchantId }: Payer, model: Model): Promise<void> {
  const { available, pending } = model
  assert.deepEqual(await balanceOf(api), { available, pending })
  for (const [table, list] of [
    ['charges', model.charges],
    ['payouts', model.payouts],
  ] as const) {
    const rows = await service.rows<{ id: string; status: string }>(
      `select id, status from ${table} where merchant_id = $1`,
      [merchantId],
    )
    const statuses = Object.fromEntries(list.map(({ id, status }) => [id, status]))
    assert.deepEqual(Object.fromEntries(rows.map(({ id, status }) => [id, status])), statuses)
  }
}

test('random histories of charges, payouts, bulks and refunds keep to the model step by step, and every invariant holds', async () => {
  // To play the same histories again, write the printed number here.
  const seed = Math.floor(performance.timeOrigin) % 1_000_000_000
  console.log(`histories of seed ${seed}`)
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 30, maxLength: 80 }), async (steps) => {
      const shop = await payer(service)
      const model = new Model()
      for (const one of steps) {
        await playOne(shop, model, one)
        assert.deepEqual(await balanceOf(shop.api), { available: model.available, pending: model.pending })
      }
      await assertSame(shop, model)
      for (const ms of [OUTCOME_MS, DAY]) {
        service.pass(ms)
        for (const name of ['follow-charges', 'send-payouts', 'settle-charges']) {
          await service.run(name)
          sweep(model, name)
        }
      }
      await assertSame(shop, model)
      assert.equal(model.pending, 0)
      await assertVerified(service)
    }),
    { seed, numRuns: 15, interruptAfterTimeLimit: 120_000 },
  )
})
