import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createKey } from '../../../src/merchants/account/api-keys.ts'
import { issueCards } from '../../../src/payments/gift-cards/issue-cards.ts'
import { requestTopUp } from '../../../src/payments/top-ups/request-top-up.ts'
import { approved } from '../../helpers/payments/approving.ts'
import { succeed } from '../../helpers/payments/following-charges.ts'
import { planned } from '../../helpers/payments/schedules.ts'
import { BY_HAND } from '../../helpers/service/actors.ts'
import { DAY, newPayer } from '../../helpers/service/live-service.ts'
import { openedAndVerified } from '../../helpers/service/opened.ts'
import { browserOf } from '../../helpers/web/browser.ts'
import { operatorSignedIn } from '../../helpers/web/console.ts'
import { mainOf, signedInAs } from '../../helpers/web/dashboard.ts'
import { mailsTo } from '../../helpers/web/mailed.ts'

import { CLOSE, closingWorld, PHONE, startHolding } from './world.ts'

// A merchant leaves: nobody can pay it any more, what it has is paid out to it, and its books stay.
const service = openedAndVerified(startHolding)
const { shop, byOwner, arrive, pageOf, turn, release, withdrawals, payOut } = closingWorld(service)
const codeOf = ({ status, body }: { status: number; body: any }) => [status, body.code]
const CLOSED = [400, 'account_closed']

test('an owner closes the account: nobody pays it any more, its money goes to its number, then keys and sessions end', async () => {
  const own = await shop()
  const { live, test: sandbox, owner, row, app } = own
  const open = await own.pay()
  const { body: link } = await live.post('/v1/payment-links', { amount: 5000, allow_multiple_uses: true })
  const schedule = await planned(sandbox)
  const plain = mainOf(await owner.get(CLOSE))
  assert.match(
    plain,
    /What will happen.*Held, and released at its time.*Payments under way 1.*Schedules that will be paused 1/,
  )
  const wrong = await owner.send(await owner.get(CLOSE), '/settings/close', { handle: 'other' })
  assert.deepEqual([wrong.status, (await own.now()).account], [400, 'open'])
  assert.equal((await byOwner(own)).status, 303)
  const charge = { amount: 5000, channel: 'op1_momo', customer: { phone: newPayer() } }
  for (const api of [live, sandbox]) {
    assert.deepEqual(codeOf(await api.post('/v1/charges', charge)), CLOSED)
    assert.deepEqual(codeOf(await api.post('/v1/payment-links', { amount: 5000 })), CLOSED)
    assert.deepEqual(codeOf(await api.post('/v1/subaccounts', { name: 'Farm' })), CLOSED)
    assert.deepEqual(codeOf(await api.post('/v1/payouts', { amount: 5000, recipient: { phone: PHONE } })), CLOSED)
    assert.deepEqual(codeOf(await api.post('/v1/payouts/bulk', { payouts: [{ amount: 5000, phone: PHONE }] })), CLOSED)
  }
  const now = await own.now()
  const caller = { ...BY_HAND, merchantId: row.id, tag: row.tag, cell: app.cell, mode: 'live' as const }
  await assert.rejects(requestTopUp(app, caller, { merchantId: row.id, amount: 5000, phone: PHONE } as never), {
    code: 'account_closed',
  })
  await assert.rejects(
    issueCards(app, BY_HAND, {
      issuer: now,
      value: 5000,
      quantity: 1,
      expires: '2031-01-01',
      notes: null,
    } as never),
    {
      code: 'account_closed',
    },
  )
  const guest = browserOf(service)
  for (const path of [`/pay/${link.id}`, `/pay/@${row.handle}`])
    assert.match(mainOf(await guest.get(path)), /has closed its account with us/, path)
  assert.equal((await sandbox.get(`/v1/scheduled-payouts/${schedule.id}`)).body.status, 'paused')
  await turn()
  assert.match(
    mainOf(await owner.get(CLOSE)),
    /closed as soon as this has ended: payments that customers are confirming money that is held/,
  )
  // What was under way ends, and a customer gets a refund.
  await succeed(service, open)
  service.pass(DAY)
  await service.run('settle-charges')
  await turn()
  assert.match(await pageOf(own), /has ended: the three days in which your customers can report/)
  const { refund } = (await live.post(`/v1/charges/${own.paid}/refund`, {})).body
  assert.equal(refund.amount, 100_000)
  await arrive(refund.id)
  await release()
  const asked = await withdrawals(own)
  assert.deepEqual([asked.length, (await own.now()).account], [1, 'closing'])
  await turn()
  const last = await payOut(own)
  assert.equal(last.recipient_phone, '256772000111')
  await turn()
  const closed = await own.now()
  assert.equal(closed.account, 'closed')
  const [head] = await service.rows<{ available: string; in_flight: string; pending: string }>(
    `select available, in_flight, pending from ledger_heads where merchant_id = $1 and mode = 'live'`,
    [row.id],
  )
  assert.ok(Number(head?.available) < 700 && Number(head?.in_flight) + Number(head?.pending) === 0)
  assert.equal((await live.get('/v1/balance')).status, 401)
  assert.deepEqual(await service.rows('select id from directory.sessions where merchant_id = $1', [row.id]), [])
  const again = await signedInAs(service, own.merchant)
  assert.match(mainOf(await again.get(CLOSE)), /The account is closed/)
  assert.equal((await again.get(`/dashboard/charges/${own.paid}`)).status, 200)
  const told = (await mailsTo(service, owner.email)).map(({ template }) => template)
  assert.ok(told.includes('account-closes') && told.includes('account-closed'), told.join())
})

test('two operators open a closed account again, whoever asks alone does not; then it takes money, and its keys stay ended', async () => {
  const own = await shop()
  await byOwner(own)
  await release()
  await payOut(own)
  await turn()
  assert.equal((await own.now()).account, 'closed')
  await assert.rejects(createKey(own.app, BY_HAND, { holder: own.row, kind: 'test' }), {
    code: 'merchant_closed',
  })
  // The database itself lets it go nowhere else.
  await assert.rejects(service.rows('update merchants set closed_at = null where id = $1', [own.row.id]), {
    constraint: 'closed_account_stays',
  })
  await assert.rejects(service.rows('update merchants set active = true where id = $1', [own.row.id]))
  const [first, second] = [await operatorSignedIn(service, 'risk'), await operatorSignedIn(service, 'admin')]
  const page = `/console/merchants/${own.merchant.id}`
  const asked = await first.send(await first.get(page), '/reopen', { reason: 'they come back' })
  assert.equal(asked.status, 303, mainOf(asked))
  const [row] = await service.rows<{ id: string }>(
    `select id from approvals where kind = 'reopen-account' and merchant_id = $1`,
    [own.row.id],
  )
  const path = `/console/approvals/${row?.id}`
  assert.match(mainOf(await second.get(path)), /is open again and takes money/)
  await first.post(`${path}/approve`, {})
  assert.equal((await own.now()).account, 'closed')
  assert.equal((await approved(second, path)).status, 303)
  assert.deepEqual([(await own.now()).account, (await own.now()).active], ['open', true])
  assert.equal((await own.live.get('/v1/balance')).status, 401)
  const { key } = await createKey(own.app, BY_HAND, { holder: own.row, kind: 'test' })
  assert.equal((await service.client(key).charge()).status, 201)
})

test('an owner keeps the account open while it closes; what an operator closes, only an operator keeps', async () => {
  const own = await shop()
  await byOwner(own)
  const kept = await own.owner.send(await own.owner.get(CLOSE), '/keep')
  assert.equal(kept.status, 303)
  await turn()
  assert.deepEqual([(await own.now()).account, (await own.pay()).slice(0, 4)], ['open', 'txn_'])
  const admin = await operatorSignedIn(service, 'admin')
  const page = `/console/merchants/${own.merchant.id}`
  await admin.send(await admin.get(page), '/close', { says: 'You asked us by letter' })
  const seen = await own.owner.get(CLOSE)
  assert.match(mainOf(seen), /We are closing it\. You asked us by letter/)
  const { fields } = seen.forms.find(({ method }) => method === 'post') ?? { fields: {} }
  assert.equal((await own.owner.post(`${CLOSE}/keep`, fields)).status, 403)
  assert.match(mainOf(await admin.get(page)), /The account closes.*It waits for: payments under way/)
  assert.equal((await admin.send(await admin.get(page), '/keep')).status, 303)
  assert.equal((await own.now()).account, 'open')
})
