import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { stillClock } from '../../../api/rate-limits/still-clock.ts'
import { balanceOf } from '../../../helpers/database/money-rows.ts'
import { fund, type Payer, payer } from '../../../helpers/payments/schedules.ts'
import { assertVerified, DAY } from '../../../helpers/service/live-service.ts'
import { opened } from '../../../helpers/service/opened.ts'
import { sized } from '../../../helpers/service/parts.ts'
import { startService } from '../../../helpers/service/test-service.ts'
import { accept, costOf, expectItem, feeOf, Model, OUTCOME_MS, sweep } from './bulk-and-refund-model.ts'
import { FAILING, type Step, step } from './bulk-and-refund-steps.ts'

const service = opened(() =>
  startService({
    clock: stillClock(),
    env: { RATE_LIMIT_PAYOUTS: '0', RATE_LIMIT_REFUNDS: '0' },
  }),
)
let bulks = 0

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
    if (expected === 'replayed') assert.deepEqual([result.id, result.status], [spent?.payout.id, spent?.payout.status])
    if (expected === 'paid')
      model.spent.set(one.reference, {
        ...one,
        payout: accept(model, service.clock.nowMs(), { ...one, id: result.id }),
      })
  }
  if (!again) return
  const repeated = await api.post('/v1/payouts/bulk', { payouts: items }, key)
  const results = body.results.map((result: any) => ({ ...result, replayed: true }))
  assert.deepEqual(repeated.body, { ...body, results })
}

async function playRefund({ api }: Payer, model: Model, { which }: Extract<Step, { do: 'refund' }>) {
  const charge = model.charges[which % (model.charges.length || 1)]
  if (!charge) return
  const { status, body } = await api.post(`/v1/charges/${charge.id}/refund`)
  if (charge.status === 'refunded') return assert.equal(body.code, 'already_refunded')
  if (charge.status !== 'succeeded') return assert.equal(body.code, `cannot_refund_${charge.status}_transaction`)
  if (costOf(charge.amount) > model.available) return assert.equal(body.code, 'insufficient_balance')
  assert.equal(status, 202, JSON.stringify(body))
  charge.status = 'refunded'
  const { amount, recipient_phone: phone, id } = body.refund
  assert.equal(amount, charge.amount)
  accept(model, service.clock.nowMs(), { id, amount, phone, returns: feeOf(charge.amount) })
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
      return void accept(model, nowMs, { ...one, id: body.id })
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
      return sweep(model, nowMs, one.name)
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

test('random histories of charges, payouts, bulks and refunds match the model after every step, and every invariant holds', async () => {
  // To repeat a failed run, write the printed number here.
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
          sweep(model, service.clock.nowMs(), name)
        }
      }
      await assertSame(shop, model)
      assert.equal(model.pending, 0)
      await assertVerified(service)
    }),
    { seed, numRuns: sized(2, 15), interruptAfterTimeLimit: 120_000 },
  )
})
