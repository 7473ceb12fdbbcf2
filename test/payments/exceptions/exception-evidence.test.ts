import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import test from 'node:test'
import type { Leg } from '../../../src/operations/reconciliation/leg.ts'
import { reconcileNow } from '../../../src/operations/reconciliation/reconcile.ts'
import { moveCharge } from '../../../src/payments/charges/move-charge.ts'
import { resolvePlatformException } from '../../../src/payments/exceptions/platform-exceptions.ts'
import { resolveException } from '../../../src/payments/exceptions/resolve-exception.ts'
import { followUntilEnded } from '../../helpers/payments/following-charges.ts'
import { importLines, movedLine } from '../../helpers/payments/operator-statements.ts'
import { pay } from '../../helpers/payments/payouts.ts'
import { openOf, paidBy } from '../../helpers/payments/reconciling.ts'
import { BY_HAND } from '../../helpers/service/actors.ts'
import { newPayer, type Shop } from '../../helpers/service/live-service.ts'
import { startOp1Service } from '../../helpers/service/op1-service.ts'
import { made, openedAndVerified } from '../../helpers/service/opened.ts'

// What closes an exception, and what opens it again (rails.md 5.4): the leg that found it, and its evidence.
const service = openedAndVerified(() => startOp1Service({ env: { LIVE_HOLD_HOURS: '0' } }))
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** When the operator has listed what, and under which number: always the same. */
const listed = new Map<string, { number: string; at: number }>()
/** Without a payment of ours a list is of no side of which something could be missing. */
const another = made(() => paidBy(service))
/** The number that the operator has told us, if it has told one. */
async function numberFor(id: string): Promise<string> {
  const [row] = await service.rows<{ number: string | null }>(
    'select rail_transaction_id as number from charges where id = $1',
    [id],
  )
  return row?.number ?? `${9000 + listed.size}`
}
/** Imports the operator's word about these, in a list of the hours around them. */
async function importing(lines: readonly { id: string; amount: number }[]): Promise<Leg> {
  const now = service.clock.nowMs()
  for (const { id } of lines) if (!listed.has(id)) listed.set(id, { number: await numberFor(id), at: now })
  const moments = [now, ...lines.map(({ id }) => listed.get(id)?.at ?? now)]
  return importLines(service, [
    movedLine('1', '', 1, new Date(Math.min(...moments) - 3 * HOUR), 'other'),
    ...lines.map(({ id, amount }) => {
      const line = listed.get(id)
      assert.ok(line)
      return movedLine(line.number, id, amount, new Date(line.at))
    }),
    movedLine(await numberFor(another.id), another.id, 500_000, new Date(now)),
    movedLine('2', '', 1, new Date(Math.max(...moments) + 3 * HOUR), 'other'),
  ])
}

const kindsOf = async (id: string) => (await openOf(service, id)).map(({ kind }) => kind)
/** Looks again at what ended, a day later; answers with the leg of references. */
async function lookAgain(): Promise<Leg> {
  service.pass(DAY + HOUR)
  const legs = await reconcileNow(service.gateway, BY_HAND)
  return legs.find(({ leg }) => leg === 'references') as Leg
}
/** Asked with more than there is, so that nothing is sent. */
const isPaused = async ({ live }: Shop) =>
  /paused on this account/.test((await pay(live, { amount: 600_000, recipient: { phone: newPayer() } })).text)

/** What the operator answers about this payment from now on. */
function operatorSays(reference: string, word: { status?: 'SUCCESSFUL' | 'FAILED'; amount?: number }): void {
  const [transaction] = service.emulator.transactions({ reference })
  assert.ok(transaction)
  if (word.status) transaction.reason = word.status === 'FAILED' ? 'EXPIRED' : null
  Object.assign(transaction, word)
}

async function resolve(subject: string): Promise<void> {
  const [row] = await service.rows<{ id: string; merchant_id: string }>(
    'select id, merchant_id from exceptions where subject = $1 and closed_at is null',
    [subject],
  )
  assert.ok(row, `${subject} has an open exception`)
  const of = { merchantId: Number(row.merchant_id), id: row.id }
  await resolveException(service.app, BY_HAND, {
    ...of,
    note: 'looked into',
    resolution: 'operator_corrected',
  })
}
const countOf = async (subject: string) =>
  (await service.rows('select 1 from exceptions where subject = $1', [subject])).length

test('what a statement found, answers to questions do not close: payouts stay paused until a person has looked', async () => {
  const { shop, id } = await paidBy(service)
  await importing([{ id, amount: 450_000 }])
  assert.deepEqual(await kindsOf(id), ['mismatch'])
  for (let look = 0; look < 3; look += 1) assert.equal((await lookAgain()).closed, 0)
  assert.deepEqual(await kindsOf(id), ['mismatch'])
  assert.ok(await isPaused(shop))
})

test('a payment that one statement lacks is found by the next: twice, an hour apart, closes it', async () => {
  const { shop, id } = await paidBy(service)
  await importing([])
  assert.deepEqual(await kindsOf(id), ['ours_only'])
  await lookAgain()
  await lookAgain()
  assert.deepEqual(await kindsOf(id), ['ours_only'], 'the operator lists nothing, whatever it answers')
  assert.equal((await importing([{ id, amount: 500_000 }])).closed, 0)
  assert.deepEqual(await kindsOf(id), ['ours_only'])
  service.pass(HOUR)
  assert.equal((await importing([{ id, amount: 500_000 }])).closed, 1)
  assert.deepEqual(await kindsOf(id), [])
  assert.ok(!(await isPaused(shop)))
})

test('what two legs found is closed when both agree', async () => {
  const { shop, id, reference } = await paidBy(service)
  operatorSays(reference, { amount: 450_000 })
  await importing([])
  await lookAgain()
  assert.deepEqual((await kindsOf(id)).sort(), ['mismatch', 'ours_only'])
  operatorSays(reference, { amount: 500_000 })
  await lookAgain()
  assert.equal((await lookAgain()).closed, 1)
  assert.deepEqual(await kindsOf(id), ['ours_only'])
  assert.ok(await isPaused(shop))
})

test('what agreement closed opens again when the operator says the same again', async () => {
  const { id, reference } = await paidBy(service)
  for (const round of [1, 2]) {
    operatorSays(reference, { amount: 450_000 })
    assert.equal((await lookAgain()).opened, 1, `round ${round}`)
    operatorSays(reference, { amount: 500_000 })
    await lookAgain()
    await lookAgain()
    assert.deepEqual(await kindsOf(id), [], `round ${round}`)
  }
})

test('a payment that is reversed, taken back and resolved, and then reversed for good, is told twice', async () => {
  const { shop, id, reference } = await paidBy(service)
  operatorSays(reference, { status: 'FAILED' })
  assert.equal((await lookAgain()).opened, 1)
  await resolve(id)
  assert.equal((await lookAgain()).opened, 0, 'the same answer again is no evidence')
  assert.deepEqual(await kindsOf(id), [])
  operatorSays(reference, { status: 'SUCCESSFUL' })
  await lookAgain()
  assert.ok(!(await isPaused(shop)))
  operatorSays(reference, { status: 'FAILED' })
  assert.equal((await lookAgain()).opened, 1)
  assert.deepEqual(await kindsOf(id), ['late_contradiction'])
  assert.ok(await isPaused(shop))
  operatorSays(reference, { status: 'SUCCESSFUL' })
})

test('a success that was taken back while its exception was open, and reversed after it was resolved, is told again', async () => {
  const { id, reference } = await paidBy(service)
  operatorSays(reference, { status: 'FAILED' })
  await lookAgain()
  operatorSays(reference, { status: 'SUCCESSFUL' })
  await lookAgain()
  assert.deepEqual(await kindsOf(id), ['late_contradiction'], 'only a person closes it')
  await resolve(id)
  operatorSays(reference, { status: 'FAILED' })
  assert.equal((await lookAgain()).opened, 1)
  operatorSays(reference, { status: 'SUCCESSFUL' })
})

test('one contradiction is told once, whatever road it comes by', async () => {
  const { shop, id, reference } = await paidBy(service)
  const merchantId = Number((await service.rows('select merchant_id from charges where id = $1', [id]))[0]?.merchant_id)
  const charge = { merchantId, id, mode: 'live' as const, giftCardAmount: 0 }
  assert.equal(await moveCharge(service.app, { charge, to: { status: 'failed', reason: 'timeout' } }), 'contradicted')
  await resolve(id)
  operatorSays(reference, { status: 'FAILED' })
  assert.equal((await lookAgain()).opened, 0)
  assert.equal(await countOf(id), 1)
  assert.ok(!(await isPaused(shop)))
  operatorSays(reference, { status: 'SUCCESSFUL' })
})

test('a payment that failed here and is in a statement is one contradiction, by line, by answer, and once resolved by neither', async () => {
  const shop = await service.shop()
  const { body } = await shop.live.charge({ amount: 500_000, customer: { phone: newPayer() } })
  const { id, rail_reference: reference } = body
  await service.emulator.resolve(reference, { status: 'FAILED', reason: 'EXPIRED' })
  await followUntilEnded(service, id)
  operatorSays(reference, { status: 'SUCCESSFUL' })
  assert.equal((await importing([{ id, amount: 500_000 }])).opened, 1)
  assert.deepEqual(await kindsOf(id), ['rail_only'])
  assert.equal((await lookAgain()).opened, 0)
  assert.deepEqual(await kindsOf(id), ['rail_only'])
  await resolve(id)
  assert.equal((await lookAgain()).opened, 0)
  assert.equal((await importing([{ id, amount: 500_000 }])).opened, 0)
  assert.equal(await countOf(id), 1)
})

test('what the release before this one resolved keeps what it was resolved on, in each of its forms', async () => {
  const statements = readFileSync('migrations/cell/0078_exceptions_know_their_evidence.sql', 'utf8')
  const [, filling = ''] = statements.split('-- What is known of those that are there.')
  const old = async (id: string, kind: string, details: object) => {
    const columns = 'merchant_id, id, mode, kind, severity, subject, details, opened_at, closed_at, note, resolved_by'
    await service.rows(
      `insert into exceptions (${columns}) select merchant_id, 'exc_' || right(id, 21), 'live', $2, 'critical', id, $3, $4, $4, 'n', 'eva'
       from charges where id = $1`,
      [id, kind, JSON.stringify(details), service.clock.now()],
    )
    await service.rows(filling.slice(filling.indexOf('with ours')))
  }
  const [late, wrong, lined] = [await paidBy(service), await paidBy(service), await paidBy(service)]
  await old(late.id, 'late_contradiction', { rail_said: { status: 'failed', reason: 'timeout' } })
  await old(wrong.id, 'mismatch', { amount: 450_000, currency: 'UGX', external_id: wrong.id })
  await old(lined.id, 'mismatch', { we_say: 500_000, rail_said: 450_000, side: 'collect' })
  operatorSays(late.reference, { status: 'FAILED' })
  operatorSays(wrong.reference, { amount: 450_000 })
  const rest = [late, wrong].map(({ id }) => ({ id, amount: 500_000 }))
  await importing([{ id: lined.id, amount: 450_000 }, ...rest])
  assert.equal((await lookAgain()).opened, 0)
  for (const { id } of [late, wrong, lined]) assert.equal(await countOf(id), 1)
  operatorSays(wrong.reference, { amount: 440_000 })
  assert.equal((await lookAgain()).opened, 1, 'another amount is other evidence')
  operatorSays(late.reference, { status: 'SUCCESSFUL' })
  operatorSays(wrong.reference, { amount: 500_000 })
})

test('a line about nobody, once resolved, is not told again; another amount is', async () => {
  const subject = `nobody ${newPayer()}`
  assert.equal((await importing([{ id: subject, amount: 700 }])).opened, 1)
  assert.equal((await importing([{ id: subject, amount: 700 }])).opened, 0)
  const [row] = await service.rows<{ id: string }>('select id from directory.platform_exceptions where subject = $1', [
    subject,
  ])
  const how = { id: row?.id ?? '', note: 'a sweep', resolution: 'no_difference' } as const
  await resolvePlatformException(service.gateway, BY_HAND, how)
  assert.equal((await importing([{ id: subject, amount: 700 }])).opened, 0)
  assert.equal((await importing([{ id: subject, amount: 900 }])).opened, 1)
})
