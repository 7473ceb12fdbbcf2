import assert from 'node:assert/strict'
import test from 'node:test'
import { kampalaIso } from '../../../src/platform/time/kampala.ts'
import { fund, payer } from '../../helpers/payments/schedules.ts'
import { addSubaccounts } from '../../helpers/payments/splits.ts'
import { monthNow, statementOf, totalOf } from '../../helpers/payments/statements.ts'
import { opened } from '../../helpers/service/opened.ts'
import { startService } from '../../helpers/service/test-service.ts'

const service = opened(() => startService())

async function settle() {
  service.pass(3000)
  await service.run('follow-charges')
  await service.run('send-payouts')
}
const iso = (at: string) => kampalaIso(new Date(at))

test('a month with everything in it: each movement has its line, and the closing balance is the current balance', async () => {
  const { merchant, api } = await payer(service, 1_000_000)
  const [share = ''] = await addSubaccounts(api, 'Driver')
  const month = monthNow(service)
  const paid = await api.charge({ amount: 20_000, reference: 'order "1" \\ ŋ' })
  const declined = await api.charge({ customer: { phone: '0700000001' } })
  const split = await api.charge({ amount: 10_000, split: [{ subaccount: share, amount: 3000 }] })
  await settle()
  const refunded = await api.post(`/v1/charges/${paid.body.id}/refund`)
  const sent = await api.post('/v1/payouts', {
    amount: 50_000,
    reference: 'pay-1',
    recipient: { phone: '0772000111' },
  })
  const lost = await api.post('/v1/payouts', {
    amount: 40_000,
    reference: 'pay-2',
    recipient: { phone: '0700000001' },
  })
  await settle()
  const bulk = await api.post('/v1/payouts/bulk', {
    payouts: [{ amount: 1000, phone: '0772000222', reference: 'bulk-1' }],
  })
  assert.deepEqual(
    [paid, declined, split, refunded, sent, lost, bulk].map(({ status }) => status),
    [201, 201, 201, 202, 201, 201, 200],
  )
  const statement = await statementOf(api, month)
  const charge = (await api.get(`/v1/charges/${paid.body.id}`)).body
  const lineOf = (id: string) => statement.money_in.find((line: any) => line.id === id)
  assert.deepEqual(lineOf(charge.id), {
    date: iso(charge.completed_at),
    reference: charge.reference,
    id: charge.id,
    rail_reference: charge.rail_reference,
    party: '256700000000',
    channel: 'op1_momo',
    gross: 20_000,
    gift_card: 0,
    fee: 300,
    net: 19_700,
  })
  assert.deepEqual(
    statement.money_in.map(({ id }: any) => id).sort(),
    [paid.body.id, split.body.id].sort(),
    'what failed is not in it, what was refunded later is',
  )
  const payout = (await api.get(`/v1/payouts/${sent.body.id}`)).body
  assert.deepEqual(statement.money_out[1], {
    date: iso(payout.created_at),
    reference: 'pay-1',
    id: payout.id,
    rail_reference: payout.rail_reference,
    party: '256772000111',
    kind: 'payout',
    amount: 50_000,
    fee: 750,
    total: 50_750,
    status: 'succeeded',
  })
  assert.deepEqual(
    statement.money_out.map(({ kind, status, amount }: any) => [kind, status, amount]),
    [
      ['refund', 'succeeded', 20_000],
      ['payout', 'succeeded', 50_000],
      ['payout', 'failed', 40_000],
      ['bulk', 'authorized', 1000],
    ],
  )
  const { rail_reference } = (await api.get(`/v1/payouts/${lost.body.id}`)).body
  const byKind = new Map<string, any>(statement.adjustments.map((line: any) => [line.kind, line]))
  assert.deepEqual([...byKind.keys()].sort(), ['add_funds', 'payout_returned', 'refund_fee_returned', 'split_share'])
  const { date: _, ...returned } = byKind.get('payout_returned')
  assert.deepEqual(returned, {
    kind: 'payout_returned',
    reference: 'pay-2',
    id: lost.body.id,
    rail_reference,
    amount: 40_600,
    note: 'recipient_not_found',
  })
  const { id, reference, amount, note } = byKind.get('refund_fee_returned')
  assert.deepEqual([id, reference, amount, note], [charge.id, charge.reference, 300, refunded.body.refund.id])
  assert.deepEqual(
    [byKind.get('split_share').id, byKind.get('split_share').amount, byKind.get('split_share').note],
    [split.body.id, -3000, share],
  )
  assert.deepEqual([byKind.get('add_funds').amount, byKind.get('add_funds').note], [1_000_000, null])

  assert.equal(statement.closing_balance, await totalOf(api))
  assert.equal(statement.opening_balance, 0)
  assert.equal(statement.complete, false)
  assert.equal(statement.merchant_handle, merchant.handle)
})

test('the fields have the order of the description, and the head names merchant and month', async () => {
  const merchant = await service.merchant({ name: 'Nakato & Sons' })
  const api = service.client(merchant.keys.live)
  const month = monthNow(service)
  const { body, headers } = await api.get(`/v1/statements/${month}`)
  assert.deepEqual(Object.keys(body), [
    'object',
    'mode',
    'merchant_name',
    'merchant_handle',
    'vat_number',
    'period',
    'period_key',
    'period_label',
    'timezone',
    'period_start',
    'period_end',
    'currency',
    'generated_at',
    'complete',
    'opening_balance',
    'closing_balance',
    'money_in',
    'money_out',
    'adjustments',
    'totals',
  ])
  const { object, mode, merchant_name, period, period_key, timezone, period_start, currency } = body
  assert.deepEqual(
    [object, mode, merchant_name, period, period_key, timezone, period_start, currency],
    ['statement', 'live', 'Nakato & Sons', month, month, 'Africa/Kampala', `${month}-01T00:00:00.000+03:00`, 'UGX'],
  )
  assert.match(body.period_label, /^[A-Z][a-z]+ 20[0-9]{2}$/)
  assert.match(body.generated_at, /Z$/)
  assert.equal(headers.get('content-type'), 'application/json; charset=utf-8')
  assert.equal(headers.get('x-content-type-options'), 'nosniff')
  assert.ok(headers.get('x-request-id'))
})

test('future months and months before sign-up are valid and empty', async () => {
  const { api } = await payer(service, 5000)
  for (const [month, balance] of [
    [monthNow(service, 1), 5000],
    ['9999-12', 5000],
    [monthNow(service, -1), 0],
    ['0001-01', 0],
  ] as const) {
    const statement = await statementOf(api, month)
    assert.deepEqual([statement.opening_balance, statement.closing_balance], [balance, balance], month)
    assert.deepEqual([statement.money_in, statement.money_out, statement.adjustments], [[], [], []])
  }
})

test('any number of months before sign-up keeps one header', async () => {
  const { api, merchantId } = await payer(service)
  for (const month of ['1999-01', '2000-02', '2001-03']) await statementOf(api, month)
  const rows = await service.rows('select 1 from statement_headers where merchant_id = $1', [merchantId])
  assert.equal(rows.length, 1)
})

test('held money is in the balance of a statement, and its release has no line', async () => {
  const merchant = await service.merchant()
  await service.set(merchant, { testHold: 'realistic' })
  const api = service.client(merchant.keys.test)
  await api.charge({ amount: 20_000 })
  await settle()
  const held = await statementOf(api, monthNow(service))
  assert.deepEqual([held.closing_balance, (await api.get('/v1/balance')).body.balances[0].pending], [19_700, 19_700])
  service.pass(86_400_000)
  assert.equal(await service.run('settle-charges'), 1)
  const released = await statementOf(api, monthNow(service))
  assert.equal((await api.get('/v1/balance')).body.balances[0].pending, 0)
  assert.equal(released.closing_balance, 19_700)
  assert.equal(released.adjustments.length, 0)
})

test('after a checkpoint the ledger is summed from the checkpoint on', async () => {
  const own = await payer(service)
  const { api, merchantId } = own
  const funds = `insert into transfers (merchant_id, mode, seq, kind, subject, debit, credit, amount, at)
    select $1, 'test', n, 'test_funds', 'fund_' || n, 'sandbox', 'available', 10, $2 from generate_series(1, 1500) n`
  await service.rows(funds, [merchantId, new Date(service.clock.nowMs() - 40 * 86_400_000)])
  await service.rows(`update ledger_heads set seq = 1500, available = 15000 where merchant_id = $1 and mode = 'test'`, [
    merchantId,
  ])
  await fund(service, own, 1000)
  const month = monthNow(service)
  const before = await statementOf(api, month)
  assert.deepEqual([before.opening_balance, before.closing_balance], [15_000, 16_000])
  assert.ok((await service.run('checkpoint-ledgers')) > 0)
  assert.deepEqual({ ...(await statementOf(api, month)), generated_at: '' }, { ...before, generated_at: '' })
  assert.equal(before.closing_balance, await totalOf(api))
})
