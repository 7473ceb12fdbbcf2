import assert from 'node:assert/strict'
import test from 'node:test'
import { getMerchantNamed } from '../../../src/merchants/account/set-merchant.ts'
import { approve } from '../../../src/operations/reconciliation/approve.ts'
import { askEndAsTold } from '../../../src/operations/reconciliation/end-as-told.ts'
import { moveCharge } from '../../../src/payments/charges/move-charge.ts'
import { requestTopUp } from '../../../src/payments/top-ups/request-top-up.ts'
import { eventsOf, transfersOf } from '../../helpers/database/money-rows.ts'
import { approved, idIn, pair } from '../../helpers/payments/approving.ts'
import { passUntil } from '../../helpers/payments/following-charges.ts'
import { pay } from '../../helpers/payments/payouts.ts'
import { openOf, paidBy } from '../../helpers/payments/reconciling.ts'
import { BY_HAND, operator } from '../../helpers/service/actors.ts'
import { newPayer, type Shop } from '../../helpers/service/live-service.ts'
import { startOp1Service } from '../../helpers/service/op1-service.ts'
import { openedAndVerified } from '../../helpers/service/opened.ts'
import { mainOf } from '../../helpers/web/dashboard.ts'
import { LINKS } from '../../helpers/web/paid-links.ts'
import { pay as payOnPage, visitor } from '../../helpers/web/paying-on-pages.ts'
import { commandsOn } from '../../program/commands/commands-on.ts'

// An operator that says it has moved another amount than it was asked for (docs/decisions/0042).
const service = openedAndVerified(() => startOp1Service({ env: { LIVE_HOLD_HOURS: '0' } }))
const { json } = commandsOn(service)
const [ASKS, APPROVES] = [operator('finance', 81), operator('admin', 82)]
const HOUR = 3_600_000
const WORDS = { told: 'The operator moved another amount', reason: 'its statement, line 7' }

/** The operator says that it moved this much of it, and is asked. Answers the exception. */
async function tell(id: string, amount: number): Promise<string> {
  const [row] = await service.rows<{ reference: string }>(
    'select id as reference from rail_attempts where subject = $1',
    [id],
  )
  assert.ok(row)
  const [transaction] = service.emulator.transactions({ reference: row.reference })
  assert.ok(transaction)
  transaction.amount = amount
  await service.emulator.resolve(row.reference, { status: 'SUCCESSFUL' })
  await askAbout(id)
  const [found] = await service.rows<{ id: string; kind: string }>(
    `select id, kind from exceptions where subject = $1 and closed_at is null and kind = 'mismatch'`,
    [id],
  )
  return found?.id ?? assert.fail(`nothing was found about ${id}`)
}
const TABLES = {
  txn: ['charges', 'follow-charges'],
  pout: ['payouts', 'send-payouts'],
  top: ['top_ups', 'follow-top-ups'],
} as const
async function askAbout(id: string): Promise<void> {
  const [table, sweep] = TABLES[id.slice(0, id.indexOf('_')) as keyof typeof TABLES]
  const [row] = await service.rows<{ follow_at: Date }>(`select follow_at from ${table} where id = $1`, [id])
  assert.ok(row?.follow_at, `${id} is open`)
  passUntil(service, row.follow_at)
  await service.run(sweep)
}
async function endAsTold(exception: string): Promise<void> {
  const { id } = await askEndAsTold(service.gateway, ASKS, { exception, ...WORDS })
  await approve(service.gateway, APPROVES, { id })
}
const openPayout = async ({ live }: Shop, amount = 10_000): Promise<string> =>
  (await pay(live, { amount, recipient: { phone: newPayer() } })).body.id
const moneyOf = async ({ merchant }: Shop) => {
  const [head] = await service.rows<{ available: number; pending: number; in_flight: number }>(
    `select h.available::int, h.pending::int, h.in_flight::int from ledger_heads h join merchants m on m.id = h.merchant_id
     where m.public_id = $1 and h.mode = 'live'`,
    [merchant.id],
  )
  return head ?? assert.fail('a merchant has its head')
}
const sumsOf = async (id: string) =>
  service.rows(
    `select t.kind, t.debit, t.credit, t.amount::int from transfers t left join adjustments d on (d.merchant_id, d.id) = (t.merchant_id, t.subject)
     where d.about = $1 or t.subject = $1 order by t.seq`,
    [id],
  )

// First: a command has the clock of the machine.
test('twelve approvals at once, beside the operator being asked, end it once; the command asks as well', async () => {
  const { shop } = await paidBy(service)
  const id = await openPayout(shop)
  const before = await moneyOf(shop)
  const exception = await tell(id, 9_000)
  const { approval } = await json('exceptions', 'end-as-told', '--id', exception, '--told', 'x', '--reason', 'y')
  const callers = [83, 84, 85].map((nth) => operator('finance', nth))
  const [, ...all] = await Promise.allSettled([
    askAbout(id),
    ...Array.from({ length: 12 }, (_, nth) => approve(service.gateway, callers[nth % 3] ?? APPROVES, { id: approval })),
  ])
  const refused = all.flatMap((settled) => (settled.status === 'rejected' ? [settled.reason.message] : []))
  assert.ok(refused.length < 12, refused[0])
  for (const message of refused) assert.equal(message, 'this was already approved')
  const after = await moneyOf(shop)
  assert.deepEqual([after.in_flight, after.available - before.available], [0, 1_000])
  assert.equal((await eventsOf(service, id)).length, 1)
  await service.verify()
})

test('a payout of which less arrived: two operators end it, its money leaves, and the difference comes back', async () => {
  const { shop } = await paidBy(service)
  const [anna, ben] = await pair(service)
  const id = await openPayout(shop)
  const before = await moneyOf(shop)
  const exception = await tell(id, 9_000)
  const page = await anna.get(`/console/reconciliation/exceptions/${exception}`)
  const sent = await anna.send(page, '/end-as-told', WORDS)
  assert.equal(sent.status, 303, mainOf(sent))
  const shown = mainOf(await ben.get(sent.location))
  assert.match(shown, new RegExp(`${id} ends as succeeded: its operator says that it moved UGX 9,000`))
  assert.match(shown, /UGX 1,000 is added to what the merchant has available/)
  await assert.rejects(approve(service.gateway, { ...APPROVES, role: 'support' }, { id: idIn(sent.location) }), {
    status: 403,
  })
  assert.equal((await shop.live.get(`/v1/payouts/${id}`)).body.status, 'authorized', 'nothing has moved yet')
  assert.equal((await approved(ben, sent.location)).status, 303)
  assert.equal((await shop.live.get(`/v1/payouts/${id}`)).body.status, 'succeeded')
  const after = await moneyOf(shop)
  assert.deepEqual([after.in_flight, after.available - before.available], [0, 1_000])
  assert.deepEqual((await sumsOf(id)).slice(-3), [
    { kind: 'payout_sent', debit: 'in_flight', credit: 'rail:op1_momo', amount: 10_000 },
    { kind: 'payout_fee', debit: 'in_flight', credit: 'fees', amount: 200 },
    { kind: 'correction_in', debit: 'rail:op1_momo', credit: 'available', amount: 1_000 },
  ])
  assert.equal((await eventsOf(service, id)).length, 1)
  assert.deepEqual(await openOf(service, id), [])
  assert.match(
    mainOf(await ben.get(`/console/reconciliation/exceptions/${exception}`)),
    /ended as the operator reports it/,
  )
  assert.equal((await pay(shop.live, { recipient: { phone: newPayer() } })).status, 201, 'payouts run again')
  const audited = await service.rows(`select 1 from audit where action = 'movement.end-as-told' and subject = $1`, [id])
  assert.equal(audited.length, 1)
  await service.verify()
})

test('a payout of which more left takes the difference, and waits while the merchant has not got it', async () => {
  const { shop } = await paidBy(service)
  const id = await openPayout(shop)
  const before = await moneyOf(shop)
  const exception = await tell(id, 10_000 + before.available + 1)
  const { id: asked } = await askEndAsTold(service.gateway, ASKS, { exception, ...WORDS })
  await assert.rejects(approve(service.gateway, APPROVES, { id: asked }), { code: 'insufficient_funds' })
  assert.deepEqual(await moneyOf(shop), before, 'nothing was written')
  assert.equal((await shop.live.get(`/v1/payouts/${id}`)).body.status, 'authorized')
  assert.equal((await openOf(service, id)).length, 1)
  service.pass(30 * HOUR)
  await service.run('expire-prepared')
  await topUp(shop, 20_000)
  await approve(service.gateway, APPROVES, { id: asked })
  const after = await moneyOf(shop)
  assert.deepEqual([after.in_flight, after.available], [0, 19_999])
  await service.verify()
})

async function topUp({ merchant }: Shop, amount: number, moved = amount): Promise<string> {
  const merchantId = (await getMerchantNamed(service.gateway, merchant.id)).merchant.id
  const { topUp: made } = await requestTopUp(service.app, BY_HAND, { merchantId, amount, phone: newPayer() })
  if (moved !== amount) return made.id
  await service.emulator.resolve(made.railReference, { status: 'SUCCESSFUL' })
  await askAbout(made.id)
  return made.id
}

test('a top-up of which more came: all of it is there', async () => {
  const { shop } = await paidBy(service)
  const before = await moneyOf(shop)
  const id = await topUp(shop, 20_000, 25_000)
  await endAsTold(await tell(id, 25_000))
  assert.equal((await moneyOf(shop)).available - before.available, 25_000)
  await service.verify()
})

test('a one-shot link of which less was paid is taken, and told as paid once', async () => {
  const { shop } = await paidBy(service)
  const made = await shop.live.post(LINKS, { amount: 50_000, reusable: false })
  assert.equal(made.status, 201, made.text)
  const link = made.body.id
  await payOnPage(visitor(service), link)
  const [row] = await service.rows<{ id: string }>('select id from charges where payment_link_id = $1', [link])
  const body = row ?? assert.fail('the page made a charge')
  const before = await moneyOf(shop)
  await endAsTold(await tell(body.id, 45_000))
  const charge = (await shop.live.get(`/v1/charges/${body.id}`)).body
  assert.equal(charge.status, 'succeeded')
  const { fee } = charge
  assert.equal((await shop.live.get(`${LINKS}/${link}`)).body.status, 'succeeded')
  const after = await moneyOf(shop)
  assert.equal(after.available + after.pending - before.available - before.pending, 45_000 - fee)
  assert.deepEqual([(await eventsOf(service, body.id)).length, (await transfersOf(service, body.id)).length], [1, 2])
  await service.verify()
})

test('it is refused where it makes no sense, and where the operator has said something else since', async () => {
  const { shop, id: paid } = await paidBy(service)
  const id = await openPayout(shop)
  const exception = await tell(id, 9_000)
  const ask = () => askEndAsTold(service.gateway, ASKS, { exception, ...WORDS })
  await assert.rejects(askEndAsTold(service.gateway, ASKS, { exception, ...WORDS, told: ' ' }), {
    message: 'invalid request: told is required',
  })
  const { id: asked } = await ask()
  await assert.rejects(approve(service.gateway, { ...ASKS }, { id: asked }), { code: 'same_person' })
  assert.equal(await tell(id, 8_000), exception, 'the same exception')
  await assert.rejects(approve(service.gateway, APPROVES, { id: asked }), {
    message: 'its operator reports something else now: ask for it again',
  })
  await assert.rejects(ask(), { code: 'conflict' }, 'one waits at a time')
  await tell(id, 10_000)
  assert.equal((await shop.live.get(`/v1/payouts/${id}`)).body.status, 'succeeded')
  await assert.rejects(approve(service.gateway, APPROVES, { id: asked }), {
    message: 'this movement has ended: there is nothing to end any more',
  })
  const charge = {
    ...{ merchantId: (await getMerchantNamed(service.gateway, shop.merchant.id)).merchant.id, id: paid },
    ...{ mode: 'live' as const, giftCardAmount: 0 },
  }
  await moveCharge(service.app, { charge, to: { status: 'failed', reason: 'timeout' } })
  const [late] = await service.rows<{ id: string }>('select id from exceptions where subject = $1', [paid])
  await assert.rejects(askEndAsTold(service.gateway, ASKS, { exception: late?.id ?? '', ...WORDS }), {
    message: /^only a movement of which its operator reports another amount can be ended so/,
  })
})
