import assert from 'node:assert/strict'
import test from 'node:test'
import { freezeAccount, freezePlatform } from '../../../../src/merchants/account/payout-freeze.ts'
import { getMerchantNamed } from '../../../../src/merchants/account/set-merchant.ts'
import { closeAccount } from '../../../../src/operations/closing/close-account.ts'
import { openException } from '../../../../src/payments/exceptions/exception.ts'
import { decideWithdrawal } from '../../../../src/payments/withdrawals/withdraw.ts'
import { settle } from '../../../helpers/payments/following-payouts.ts'
import { startPayingService } from '../../../helpers/payments/payouts.ts'
import { orderingShop, runAfter } from '../../../helpers/payments/standing-orders.ts'
import { BY_HAND } from '../../../helpers/service/actors.ts'
import { openedAndVerified } from '../../../helpers/service/opened.ts'
import { signedInAs } from '../../../helpers/web/dashboard.ts'
import { mailsTo } from '../../../helpers/web/mailed.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const service = openedAndVerified(() => startPayingService())

/** A shop whose order is approved, with an owner who gets mails. */
async function approvedShop() {
  const shop = await orderingShop(service)
  await shop.set({})
  const { dueAt } = await shop.approve()
  const owner = await signedInAs(service, shop.merchant)
  const stillMails = async () =>
    (await mailsTo(service, owner.email)).filter(({ template }) => template === 'order-stands-still')
  const isStill = async (says: RegExp) => {
    const order = await shop.find()
    assert.match(order.stillSays ?? 'it runs', says)
    assert.deepEqual([order.dueAt, await shop.runs()], [dueAt, []], 'its time stays, and nothing was sent')
  }
  const runsOnce = async () => {
    await runAfter(service, HOUR)
    assert.deepEqual([(await shop.runs()).length, (await shop.find()).stillSays], [1, null])
  }
  return { ...shop, isStill, runsOnce, stillMails }
}

test('while payouts of the account are stopped the order stands still, says so once by mail, and runs once when they go on', async () => {
  const shop = await approvedShop()
  const freeze = (reason: string | null) => freezeAccount(service.app, BY_HAND, { merchantId: shop.merchantId, reason })
  await freeze('secret of the staff')
  await runAfter(service, HOUR)
  await shop.isStill(/^payouts are paused on this account/)
  for (let quarter = 0; quarter < 8; quarter += 1) await runAfter(service, HOUR / 4)
  await shop.isStill(/^payouts are paused on this account/)
  const mails = await shop.stillMails()
  assert.equal(mails.length, 1)
  assert.doesNotMatch(JSON.stringify(mails), /secret of the staff/)
  await freeze(null)
  await shop.runsOnce()
})

test('an open exception of the account, and a freeze of the platform, hold the order back too', async () => {
  const paused = await approvedShop()
  const { merchantId, tag } = paused
  const found = { merchantId, tag, mode: 'live', kind: 'mismatch', details: {} } as const
  const opening = openException({ ...found, subject: `txn_${tag}${'w'.repeat(16)}` }, service.clock.now())
  await service.app.db.transaction(async (tx) => ({ value: await tx.send(...opening) }))
  await runAfter(service, HOUR)
  await paused.isStill(/^payouts are paused on this account while a payment reconciliation issue/)
  const frozen = await approvedShop()
  await freezePlatform(service.gateway, BY_HAND, 'a rumour')
  await runAfter(service, HOUR)
  await frozen.isStill(/^payouts are temporarily paused platform-wide/)
  await freezePlatform(service.gateway, BY_HAND, null)
  await frozen.runsOnce()
})

for (const [what, change, back, says] of [
  ['is switched off', { active: false }, { active: true }, /^merchant is not active/],
  [
    'is not verified any more',
    { kycStatus: 'rejected' },
    { kycStatus: 'verified' },
    /^live payouts require a verified/,
  ],
] as const)
  test(`while a merchant ${what} its order stands still and says why`, async () => {
    const shop = await approvedShop()
    await service.set(shop.merchant, change)
    await runAfter(service, HOUR)
    await shop.isStill(says)
    await service.set(shop.merchant, back)
    await shop.runsOnce()
  })

test('another number makes the order wait for staff again, and the number then waits for its day', async () => {
  const shop = await approvedShop()
  await shop.setNumber('0772 000 222')
  const { state, waitsFor, approvedPhone } = await shop.find()
  assert.deepEqual([state, waitsFor, approvedPhone], ['waiting', 'number', null])
  await runAfter(service, 2 * HOUR)
  assert.deepEqual(await shop.runs(), [])
  await assert.rejects(shop.approve(), /^Error: the merchant has set another number meanwhile, or it is not verified/)
  await shop.verify('0772 000 222')
  await assert.rejects(shop.approve(), /^Error: the merchant has set another number meanwhile/, 'the number before')
  await shop.approve(undefined, '256772000222')
  await runAfter(service, HOUR)
  assert.match(
    (await shop.find()).stillSays ?? '',
    /^the number to withdraw to was changed: withdrawals to it wait until/,
  )
  await runAfter(service, DAY)
  assert.deepEqual(
    (await shop.runs()).map(({ phone }) => phone),
    ['256772000222'],
  )
})

test('a number that was changed past the service gets nothing', async () => {
  const shop = await approvedShop()
  await service.rows(`update withdrawal_numbers set phone = '256772999999' where merchant_id = $1`, [shop.merchantId])
  await runAfter(service, HOUR)
  await shop.isStill(/^no verified withdrawal number/)
  await service.rows(`update withdrawal_numbers set verified_at = set_at where merchant_id = $1`, [shop.merchantId])
  await runAfter(service, 2 * DAY)
  await shop.isStill(/^the number is not the one for which this order was approved/)
  await service.rows(`update withdrawal_numbers set phone = '256772000111' where merchant_id = $1`, [shop.merchantId])
  await service.rows(`update withdrawal_numbers set verified_at = set_at where merchant_id = $1`, [shop.merchantId])
})

test('what staff reject comes back, and is not tried again before the next day', async () => {
  const shop = await orderingShop(service)
  await shop.set({})
  await shop.approve(1000)
  service.pass(untilMorning())
  await runAfter(service, HOUR)
  const [first] = await shop.runs()
  assert.equal(first?.state, 'requested')
  const decided = { merchantId: shop.merchantId, id: first.id, decision: 'rejected', note: 'too much at once' } as const
  await decideWithdrawal(service.app, BY_HAND, decided)
  assert.equal(await shop.available(), 500_000)
  for (let hour = 0; hour < 5; hour += 1) await runAfter(service, HOUR)
  assert.equal((await shop.runs()).length, 1)
  assert.match((await shop.find()).stillSays ?? '', /^the last withdrawal of this order came back/)
  await runAfter(service, DAY)
  assert.equal((await shop.runs()).length, 2)
})

/** The time until six in the morning in Kampala, so that a test of some hours stays within a day. */
const untilMorning = () => (DAY + 3 * HOUR - (service.clock.now().getTime() % DAY)) % DAY

test('an account that closes sends nothing by its order, and when it is closed the order has ended', async () => {
  const shop = await approvedShop()
  const { merchant } = await getMerchantNamed(service.gateway, shop.merchant.id)
  await closeAccount(service.app, BY_HAND, { merchant })
  await runAfter(service, HOUR)
  await shop.isStill(/^the account is being closed: what it holds is paid out with that/)
  service.pass(4 * DAY)
  await service.run('close-accounts')
  const [last] = await service.rows<{ id: string }>(
    `select id from withdrawals where merchant_id = $1 and state = 'requested'`,
    [shop.merchantId],
  )
  assert.ok(last)
  const decided = { merchantId: shop.merchantId, id: last.id, decision: 'approved', note: null } as const
  await decideWithdrawal(service.app, BY_HAND, decided)
  await service.run('send-payouts')
  await settle(service, last.id)
  await service.run('close-accounts')
  assert.deepEqual([(await shop.find()).state, await shop.runs()], ['stopped', []])
  await assert.rejects(shop.set({}), { code: 'account_closed' })
})
