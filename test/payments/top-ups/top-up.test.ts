import assert from 'node:assert/strict'
import test from 'node:test'
import { requestTopUp } from '../../../src/payments/top-ups/request-top-up.ts'
import { transactionOf } from '../../fakes/operator-answers.ts'
import { gate } from '../../helpers/database/gate.ts'
import { balanceOf, eventsOf, postingsOf } from '../../helpers/database/money-rows.ts'
import { heardOf } from '../../helpers/payments/operator-heard.ts'
import { monthNow, statementOf } from '../../helpers/payments/statements.ts'
import { refusalOf, topUpShop } from '../../helpers/payments/top-ups.ts'
import { owner } from '../../helpers/service/actors.ts'
import { eventually, startLiveService } from '../../helpers/service/live-service.ts'
import { openedAndVerified } from '../../helpers/service/opened.ts'
import { readPdf, textOf } from '../../helpers/web/pdf-text.ts'

const service = openedAndVerified(() => startLiveService())
const shop = () => topUpShop(service)

test('a top-up is collected from the phone, credited whole to available, and stands on the statement', async () => {
  const { merchant, live, phone, ask, ended } = await shop()
  const asked = await ask()
  assert.equal(asked.status, 'authorized')
  assert.deepEqual(service.entryOf(asked.id), {
    reference: asked.railReference,
    external_id: asked.id,
    amount: 20_000,
    currency: 'UGX',
    phone,
    state: 'open',
  })
  service.operator.pays(asked.id)
  const paid = await ended(asked)
  assert.deepEqual([paid?.status, paid?.railTransactionId], ['succeeded', transactionOf(asked.railReference)])
  assert.deepEqual(await balanceOf(live), { available: 20_000, pending: 0 })
  assert.deepEqual(await postingsOf(service, asked.railReference), ['top_up rail:op1_momo available 20000'])

  const month = monthNow(service)
  const { adjustments, money_in, totals } = await statementOf(live, month)
  assert.deepEqual(
    adjustments.map(({ date, ...line }: any) => line),
    [
      {
        kind: 'top_up',
        reference: null,
        id: null,
        rail_reference: asked.railReference,
        amount: 20_000,
        note: null,
      },
    ],
  )
  assert.deepEqual([money_in, totals.fees, totals.adjustments_net], [[], 0, 20_000])
  const pdf = await fetch(`${service.url}/v1/statements/${month}.pdf`, {
    headers: { authorization: `Bearer ${merchant.keys.live}` },
  })
  assert.match(textOf(readPdf(Buffer.from(await pdf.arrayBuffer()))), /Top-up/)
})

test('a top-up is no charge: no event, not listed, not found by id', async () => {
  const { live, ask, ended } = await shop()
  const asked = await ask()
  service.operator.pays(asked.id)
  await ended(asked)
  assert.deepEqual(await eventsOf(service, asked.id), [])
  assert.deepEqual((await live.get('/v1/charges')).body.data, [])
  assert.equal((await live.get(`/v1/charges/${asked.id}`)).status, 404)
  assert.deepEqual(await service.rows('select 1 from events where subject = $1', [asked.railReference]), [])
})

test('what the operator refuses fails with its reason and credits nothing', async () => {
  const { live, ask, ended } = await shop()
  const asked = await ask()
  service.operator.refuses(asked.id, 'APPROVAL_REJECTED')
  const failed = await ended(asked)
  assert.deepEqual([failed?.status, failed?.failureReason], ['failed', 'user_cancelled'])
  service.operator.onSubmit({ answer: 'refuse', code: 'NOT_ENOUGH_FUNDS' }, '256700999001')
  const refused = await ask({ phone: '256700999001' })
  assert.deepEqual([refused.status, refused.failureReason], ['failed', 'insufficient_funds'])
  assert.deepEqual(await balanceOf(live), { available: 0, pending: 0 })
})

test('what the operator provably did not take is a 502 that leaves nothing, and its key is free', async () => {
  const { live, phone, ask, listed, ended } = await shop()
  service.operator.onSubmit({ answer: 'refuse to serve' }, phone)
  const refused = await refusalOf(ask({ key: 'first in vain' }))
  assert.deepEqual([refused.status, refused.code], [502, 'rail_unavailable'])
  assert.deepEqual(await listed(), [])
  assert.deepEqual(
    await service.rows(
      `select t.published, t.voided_at is not null as voided, t.follow_at, a.state
       from top_ups t join rail_attempts a on a.subject = t.id where t.phone = $1`,
      [phone],
    ),
    [{ published: false, voided: true, follow_at: null, state: 'void' }],
  )
  service.operator.onSubmit({ answer: 'accept' }, phone)
  const taken = await ask({ key: 'first in vain' })
  service.operator.pays(taken.id)
  assert.equal((await ended(taken))?.status, 'succeeded')
  assert.deepEqual(await balanceOf(live), { available: 20_000, pending: 0 })
})

test('a rail that is not ready is refused before any write', async () => {
  const { ask } = await shop()
  const before = await service.digest()
  for (const verdict of ['wait', 'person'] as const) {
    service.rail.ready(verdict)
    const refused = await refusalOf(ask()).finally(() => service.rail.ready('ready'))
    assert.deepEqual([refused.status, refused.code], [502, 'rail_unavailable'])
  }
  assert.equal(await service.digest(), before)
})

test('the rules refuse before any write and before a phone is asked', async () => {
  const { merchant, ask } = await shop()
  const heard = service.operator.journal.length
  const before = await service.digest()
  const cases: [Parameters<typeof ask>[0], string][] = [
    [{ amount: 0 }, 'amount_not_positive'],
    [{ amount: 1_000_000_001 }, 'amount_too_large'],
    [{ amount: 499 }, 'amount_too_small'],
    [{ amount: 5_000_001 }, 'amount_too_large'],
    [{ phone: 'nobody' }, 'bad_request'],
  ]
  for (const [more, code] of cases) assert.equal((await refusalOf(ask(more))).code, code)
  await service.set(merchant, { kycStatus: 'pending' })
  assert.equal((await refusalOf(ask())).code, 'verification_required')
  await service.set(merchant, { active: false })
  assert.equal((await refusalOf(ask())).code, 'merchant_inactive')
  await service.set(merchant, { active: true, kycStatus: 'verified' })
  assert.equal(await service.digest(), before)
  assert.equal(service.operator.journal.length, heard)
  for (const amount of [500, 5_000_000]) assert.equal((await ask({ amount })).status, 'authorized')
})

test('one key asks a phone once, however often it is sent, and never for another amount', async () => {
  const { phone, ask, listed } = await shop()
  const answering = gate()
  service.operator.onSubmit({ answer: 'accept', until: answering.opened }, phone)
  const first = ask({ key: 'k' })
  await eventually('the phone is asked', () => service.rail.submitted.some((attempt) => attempt.phone === phone))
  const others = await Promise.all([1, 2, 3].map(() => refusalOf(ask({ key: 'k' }))))
  assert.deepEqual([...new Set(others.map(({ status, code }) => `${status} ${code}`))], ['409 conflict'])
  answering.open()
  const made = await first
  const again = await ask({ key: 'k' })
  assert.deepEqual([again.id, again.status], [made.id, 'authorized'])
  assert.match((await refusalOf(ask({ key: 'k', amount: 20_001 }))).message, /key reused/)
  assert.equal(heardOf(service, 'submit', made.railReference).length, 1)
  assert.equal((await listed()).length, 1)
  const together = await Promise.all([1, 2, 3, 4].map(() => ask({ key: 'two' }).catch(() => null)))
  assert.equal(new Set(together.flatMap((topUp) => topUp?.id ?? [])).size, 1)
  assert.equal((await listed()).length, 2)
})

test('row, reference and attempt are durable before the first byte reaches the operator', async () => {
  const { phone, ask, listed } = await shop()
  const seen: unknown[] = []
  const look = async () => {
    const rows = await service.rows(
      `select t.status, t.published, a.state, a.side, a.id = t.rail_reference as same
       from top_ups t join rail_attempts a on a.subject = t.id where t.phone = $1`,
      [phone],
    )
    seen.push(...rows, await listed())
  }
  service.operator.onSubmit(() => ({ answer: 'accept', until: look() }), phone)
  await ask()
  assert.deepEqual(seen, [{ status: 'pending', published: false, state: 'sending', side: 'collect', same: true }, []])
})

test('it is for the owner, and leaves its row in the audit', async () => {
  const { merchantId, phone } = await shop()
  const [tag] = await service.rows<{ tag: string }>('select tag from merchants where id = $1', [merchantId])
  const person = owner({ merchantId, tag: tag?.tag ?? '', cell: service.app.cell, mode: 'live' })
  const wanted = { merchantId, amount: 6000, phone }
  const cashier = { ...person, role: 'cashier' } as typeof person
  assert.equal((await refusalOf(requestTopUp(service.app, cashier, wanted))).status, 403)
  const { topUp } = await requestTopUp(service.app, person, wanted)
  assert.deepEqual(
    await service.rows(`select action, actor_kind, mode, after->>'amount' as amount from audit where subject = $1`, [
      topUp.id,
    ]),
    [{ action: 'top-up.request', actor_kind: 'person', mode: 'live', amount: '6000' }],
  )
})
