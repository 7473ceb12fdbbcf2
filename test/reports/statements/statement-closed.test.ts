import assert from 'node:assert/strict'
import test from 'node:test'
import { movableClock } from '../../../src/platform/time/clock.ts'
import type { AnswerEvidence, Attempt, Rail, SubmitAnswer } from '../../../src/rails/rail.ts'
import { gate } from '../../helpers/database/gate.ts'
import { fund, type Payer, payer } from '../../helpers/payments/schedules.ts'
import { boundsOf, monthNow, nextMonth, passMonth, statementOf, totalOf } from '../../helpers/payments/statements.ts'
import { contractOf } from '../../helpers/service/http-rail.ts'
import { newPayer } from '../../helpers/service/live-service.ts'
import { opened } from '../../helpers/service/opened.ts'
import { startService } from '../../helpers/service/test-service.ts'

const clock = movableClock()
/** What the operator answers to the next payout request. */
let onSubmit: () => Promise<SubmitAnswer<never>> = async () => accepted()
const service = opened(() => startService({ clock, liveRails: { op1_momo: operator() } }))

const evidence = (): AnswerEvidence => ({
  at: clock.now(),
  operation: 'submit',
  elapsedMs: 1,
  stage: 'answered',
})
const accepted = () => ({ kind: 'accepted' as const, repeated: false, evidence: evidence() })
const unreached = () => ({
  kind: 'unavailable' as const,
  cure: 'wait' as const,
  why: 'connection refused',
  retryAfterSeconds: 1,
  evidence: evidence(),
})

/** An operator that pays whatever it has taken. */
function operator(): Rail {
  const status = async ({ amount, currency, phone, publicId: externalId }: Attempt) => ({
    kind: 'succeeded' as const,
    ...{ amount, currency, phone, externalId, railTransactionId: '4711', evidence: evidence() },
  })
  return {
    name: 'operator',
    simulated: false,
    installations: [contractOf('one')],
    collect: { submit: async () => accepted(), status },
    disburse: { submit: () => onSubmit(), status },
    readiness: async () => ({ kind: 'ready', installation: 'one' }),
  }
}

const textOf = async ({ api }: Payer, month: string) => {
  const { status, text } = await api.get(`/v1/statements/${month}`)
  assert.equal(status, 200, text)
  return text
}
async function settle() {
  service.pass(3000)
  await service.run('follow-charges')
  await service.run('send-payouts')
}
const payOut = (own: Payer, phone = '0772000111') =>
  own.api.post('/v1/payouts', { amount: 10_000, reference: 'over the border', recipient: { phone } })

test('a past month is the same byte for byte for ever, whatever happens later and however the merchant is renamed', async () => {
  const own = await payer(service, 100_000)
  await own.api.charge({ amount: 20_000 })
  await settle()
  const late = await payOut(own, '0700000001')
  assert.equal(late.status, 201)
  const month = monthNow(service)
  passMonth(service, 5)
  const first = await textOf(own, month)
  const statement = JSON.parse(first)
  assert.equal(statement.complete, true)
  assert.equal(statement.generated_at, boundsOf(month).end.toISOString())
  assert.equal(statement.money_out[0].status, 'pending', 'as it was at the end of the month')

  await settle()
  assert.equal((await own.api.get(`/v1/payouts/${late.body.id}`)).body.status, 'failed')
  const charge = (await own.api.get('/v1/charges')).body.data[0]
  assert.equal((await own.api.post(`/v1/charges/${charge.id}/refund`)).status, 202)
  await fund(service, own, 5000)
  await service.rows(
    `update cell_0.merchants set name = 'Renamed', handle = handle || '-2', vat_number = '1000' where id = $1`,
    [own.merchantId],
  )
  await settle()
  assert.equal(await textOf(own, month), first)
  passMonth(service)
  assert.equal(await textOf(own, month), first)

  const following = await statementOf(own.api, nextMonth(month))
  assert.equal(following.merchant_name, 'Renamed')
  assert.equal(following.opening_balance, statement.closing_balance)
  const kinds = following.adjustments.map(({ kind, amount }: any) => [kind, amount])
  assert.deepEqual(kinds.sort(), [
    ['add_funds', 5000],
    ['payout_returned', 10_200],
    ['refund_fee_returned', 300],
  ])
  const running = await statementOf(own.api, monthNow(service))
  assert.equal(running.opening_balance, following.closing_balance)
  assert.equal(running.closing_balance, await totalOf(own.api))
})

test('a running month shows the latest status of its payouts', async () => {
  const own = await payer(service, 100_000)
  const { body } = await payOut(own)
  const statusIn = async () => (await statementOf(own.api, monthNow(service))).money_out[0].status
  assert.equal(await statusIn(), body.status)
  await settle()
  assert.equal(await statusIn(), 'succeeded')
})

test('months begin and end at midnight in Kampala, to the millisecond', async () => {
  const own = await payer(service)
  const month = monthNow(service)
  const { end } = boundsOf(month)
  const insert = `insert into transfers (merchant_id, mode, seq, kind, subject, debit, credit, amount, at)
    values ($1, 'test', $2::bigint, 'test_funds', 'fund_' || $2::text, 'sandbox', 'available', $3, $4)`
  // The first has the higher number but the earlier time, as when two wait for one lock.
  await service.rows(insert, [own.merchantId, 1, 100, end])
  await service.rows(insert, [own.merchantId, 2, 20, new Date(end.getTime() - 1)])
  await service.rows(`update ledger_heads set seq = 2, available = 120 where merchant_id = $1 and mode = 'test'`, [
    own.merchantId,
  ])
  passMonth(service, 1)
  const [before, behind] = [await statementOf(own.api, month), await statementOf(own.api, nextMonth(month))]
  assert.deepEqual([before.opening_balance, before.closing_balance], [0, 20])
  assert.deepEqual([behind.opening_balance, behind.closing_balance], [20, 120])
  assert.equal(before.adjustments[0].date, `${month}-${before.adjustments[0].date.slice(8, 10)}T23:59:59.999+03:00`)
  assert.equal(behind.adjustments[0].date, `${nextMonth(month)}-01T00:00:00.000+03:00`)
})

test('once a past month has been shown, nothing is posted in it any more', async () => {
  const own = await payer(service, 1000)
  const month = monthNow(service)
  passMonth(service, 1)
  await textOf(own, month)
  const closed = () =>
    service.rows<{ until: Date }>(
      `select closed_until as until from ledger_heads where merchant_id = $1 and mode = 'test'`,
      [own.merchantId],
    )
  assert.deepEqual(await closed(), [{ until: boundsOf(month).end }])
  await statementOf(own.api, monthNow(service, -5))
  assert.deepEqual(await closed(), [{ until: boundsOf(month).end }], 'an older month does not open it again')
})

test('twenty first readings at once agree byte for byte', async () => {
  const own = await payer(service, 1000)
  const month = monthNow(service)
  passMonth(service, 1)
  const first = await textOf(own, month)
  const api = service.client(own.merchant.keys.live)
  const answers = await Promise.all(Array.from({ length: 20 }, () => api.get(`/v1/statements/${month}`)))
  // More than two at a time may be told to come again, but get no other answer.
  const texts = new Set(answers.filter(({ status }) => status === 200).map(({ text }) => text))
  assert.equal(texts.size, 1)
  assert.deepEqual(
    answers.map(({ status }) => status).filter((status) => status !== 200 && status !== 503),
    [],
  )
  assert.equal(await textOf(own, month), first)
})

test('a reservation that becomes no payout shows as leaving and coming back, and a month waits until that is decided', async () => {
  const own = await payer(service)
  const live = { ...own, api: service.client(own.merchant.keys.live) }
  await service.set(own.merchant, { instantSettlement: true })
  await live.api.charge({ amount: 100_000, customer: { phone: newPayer() } })
  service.pass(60_000)
  await service.run('follow-charges')
  const month = monthNow(service)
  passMonth(service, -30_000)
  const [asked, answered] = [gate(), gate()]
  onSubmit = async () => {
    asked.open()
    await answered.opened
    return unreached()
  }
  const refused = payOut(live)
  await asked.opened
  const running = await statementOf(live.api, month)
  assert.deepEqual(running.money_out, [], 'nobody has an id of it yet')
  assert.deepEqual(
    running.adjustments.map(({ kind, id, reference, amount }: any) => [kind, id, reference, amount]),
    [['released_reservation', null, 'over the border', -10_200]],
  )
  passMonth(service)
  const waiting = await live.api.get(`/v1/statements/${month}`)
  assert.deepEqual([waiting.status, waiting.headers.get('retry-after')], [503, '5'])
  answered.open()
  assert.equal((await refused).status, 503)

  const closed = await statementOf(live.api, month)
  assert.deepEqual(closed.adjustments, running.adjustments)
  const following = await statementOf(live.api, nextMonth(month))
  assert.deepEqual(
    following.adjustments.map(({ kind, id, rail_reference, amount }: any) => [kind, id, rail_reference, amount]),
    [['released_reservation', null, null, 10_200]],
  )
  assert.deepEqual([closed.money_out, following.money_out], [[], []])
  assert.equal(following.closing_balance, await totalOf(live.api))
})
