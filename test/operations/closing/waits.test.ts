import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closeAccount } from '../../../src/operations/closing/close-account.ts'
import { openException } from '../../../src/payments/exceptions/exception.ts'
import { decideWithdrawal } from '../../../src/payments/withdrawals/withdraw.ts'
import { setWithdrawalNumber, verifyWithdrawalNumber } from '../../../src/payments/withdrawals/withdrawal-number.ts'
import { closeDispute } from '../../../src/selling/disputes/close-dispute.ts'
import { openDispute } from '../../../src/selling/disputes/open-dispute.ts'
import { approved, askFor, pair } from '../../helpers/payments/approving.ts'
import { followUntilEnded, succeed } from '../../helpers/payments/following-charges.ts'
import { BY_HAND, CUSTOMER } from '../../helpers/service/actors.ts'
import { DAY, newPayer } from '../../helpers/service/live-service.ts'
import { openedAndVerified } from '../../helpers/service/opened.ts'

import { closingWorld, startHolding } from './world.ts'

// What an account still has to do before it is closed, and what comes afterwards.
const service = openedAndVerified(startHolding)
const { shop, setNumber, byOwner, arrive, pageOf, turn, release, withdrawals, payOut } = closingWorld(service)

test('an account waits for its number, for reports of customers and for what operators stop; a withdrawal that came back is not repeated', async () => {
  const own = await shop({ number: false })
  await closeAccount(own.app, BY_HAND, { merchant: own.row })
  await release()
  assert.deepEqual(await withdrawals(own), [])
  const waits = async () => /has ended: (.*?) What the account/.exec(await pageOf(own))?.[1] ?? ''
  assert.match(await waits(), /^a verified number for your money/)
  await setNumber(own.row.id)
  const report = { reason: 'other', details: null, contact: null } as const
  await openDispute(own.app, CUSTOMER, { merchantId: own.row.id, chargeId: own.paid, report })
  const [dispute] = await service.rows<{ id: string }>('select id from disputes where merchant_id = $1', [own.row.id])
  await turn()
  assert.match(await waits(), /^reports of customers/)
  await closeDispute(own.app, BY_HAND, { merchantId: own.row.id, id: dispute?.id ?? '' })
  await turn()
  const [first, ...others] = await withdrawals(own)
  assert.ok(first && others.length === 0)
  await decideWithdrawal(service.app, BY_HAND, {
    ...{ merchantId: own.row.id, id: first.id, decision: 'rejected', note: 'another name' },
  })
  for (let round = 0; round < 3; round += 1) await turn()
  assert.equal((await withdrawals(own)).length, 1)
  assert.match(await waits(), /your money: the last withdrawal came back/)
  await setWithdrawalNumber(service.app, BY_HAND, { merchantId: own.row.id, phone: '0772000222' })
  await verifyWithdrawalNumber(service.app, BY_HAND, { merchantId: own.row.id, phone: '0772000222' })
  await turn()
  assert.match(await waits(), /^the day that another number waits/)
  service.pass(DAY)
  await turn()
  assert.equal((await payOut(own)).recipient_phone, '256772000222')
  await turn()
  assert.equal((await own.now()).account, 'closed')
})

test('the money of a subaccount goes to its own number before the account is closed; one without a number is told and stays', async () => {
  const own = await shop()
  const [farm, bare] = await Promise.all(
    [{ payout_phone: '0772000333' }, {}].map(
      async (more) => (await own.live.post('/v1/subaccounts', { name: 'Farm', ...more })).body.id as string,
    ),
  )
  const split = [farm, bare].map((subaccount) => ({ subaccount, amount: 20_000 }))
  await succeed(service, await own.pay({ split }))
  await byOwner(own)
  service.pass(3 * DAY)
  await service.run('settle-charges')
  assert.match(await pageOf(own), /Of subaccounts without a number that works UGX 20,000/)
  await turn()
  const [share] = await service.rows<{ id: string; recipient_phone: string; amount: string }>(
    `select id, recipient_phone, amount::text from payouts where merchant_id = $1 and kind = 'subaccount'`,
    [own.row.id],
  )
  assert.deepEqual([share?.recipient_phone, share?.amount], ['256772000333', '19705'])
  await arrive(share?.id ?? '')
  await turn()
  await payOut(own)
  await turn()
  assert.equal((await own.now()).account, 'closed')
})

test('charges made while the account closes either end before it is closed or are refused, from two processes at once', async () => {
  const own = await shop()
  const sent = Array.from({ length: 8 }, () => own.live.charge({ amount: 5000, customer: { phone: newPayer() } }))
  const [replies] = await Promise.all([Promise.all(sent), byOwner(own)])
  const taken = replies.filter(({ status }) => status === 201).map(({ body }) => body.id as string)
  for (const { status, body } of replies)
    assert.ok(status === 201 || body.code === 'account_closed', JSON.stringify(body))
  await release()
  assert.equal((await own.now()).account, 'closing')
  for (const id of taken) {
    service.operator.pays(id)
    await followUntilEnded(service, id)
  }
  await release()
  while ((await own.now()).account === 'closing') {
    await payOut(own)
    await turn()
  }
  const [row] = await service.rows<{ pending: string; open: number }>(
    `select h.pending, (select count(*)::int from charges where merchant_id = $1 and follow_at is not null and mode = 'live') as open
     from ledger_heads h where h.merchant_id = $1 and h.mode = 'live'`,
    [own.row.id],
  )
  assert.deepEqual([Number(row?.pending), row?.open], [0, 0])
})

test('what comes to a closed account later is paid out too, and no payment moves money of it by itself', async () => {
  const own = await shop()
  const late = await own.pay()
  await byOwner(own)
  service.operator.refuses(late)
  await followUntilEnded(service, late)
  await release()
  await payOut(own)
  await turn()
  assert.equal((await own.now()).account, 'closed')
  const before = (await withdrawals(own)).length
  const found = {
    merchantId: own.row.id,
    tag: own.row.tag,
    mode: 'live',
    kind: 'late_contradiction',
    subject: late,
  } as const
  const calls = openException({ ...found, details: { rail_said: 'succeeded' } }, service.clock.now())
  await own.app.db.transaction(async (tx) => ({ value: await tx.send(...calls) }))
  const [exception] = await service.rows<{ id: string }>('select id from exceptions where merchant_id = $1', [
    own.row.id,
  ])
  await turn()
  assert.equal((await withdrawals(own)).length, before)
  // Two operators find that it was paid after all.
  const [first, second] = await pair(service)
  assert.equal((await approved(second, await askFor(first, exception?.id ?? ''))).status, 303)
  await turn()
  const paid = await payOut(own)
  assert.deepEqual([paid.recipient_phone, (await withdrawals(own)).length], ['256772000111', before + 1])
  assert.equal((await own.now()).account, 'closed')
})
