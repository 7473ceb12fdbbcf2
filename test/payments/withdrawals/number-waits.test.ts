import assert from 'node:assert/strict'
import { test } from 'node:test'
import { getMerchantNamed } from '../../../src/merchants/account/set-merchant.ts'
import { verifyCell } from '../../../src/operations/verify/verify.ts'
import { requestWithdrawal } from '../../../src/payments/withdrawals/withdraw.ts'
import { setWithdrawalNumber, verifyWithdrawalNumber } from '../../../src/payments/withdrawals/withdrawal-number.ts'
import { richShop, startPayingService } from '../../helpers/payments/payouts.ts'
import { BY_HAND } from '../../helpers/service/actors.ts'
import { openedAndVerified } from '../../helpers/service/opened.ts'
import { mainOf, signedInAs } from '../../helpers/web/dashboard.ts'
import { mailsTo } from '../../helpers/web/mailed.ts'

// Another number than before waits for a day: time for its owner to read the mail, and for the look at the books of the night.
const DAY = 86_400_000
const WAITS = /the number to withdraw to was changed: withdrawals to it wait until \d+ \w+ 20\d\d, \d\d:\d\d$/
const FIRST = '0772000111'
const service = openedAndVerified(() => startPayingService())

async function shop() {
  const { merchant } = await richShop(service)
  const { merchant: row } = await getMerchantNamed(service.gateway, merchant.id)
  const merchantId = row.id
  const set = async (phone: string) => {
    await setWithdrawalNumber(service.app, BY_HAND, { merchantId, phone })
    await verifyWithdrawalNumber(service.app, BY_HAND, { merchantId, phone })
  }
  await set(FIRST)
  const ask = () => requestWithdrawal(service.app, BY_HAND, { merchantId, amount: 50_000 })
  const bySql = (sql: string) => service.app.db.pool.query(`${sql} where merchant_id = $1`, [merchantId])
  return { merchant, merchantId, set, ask, bySql }
}

// The first test of the file, because it looks at the clock of the database, which nobody moves.
test('whoever signs in to the database as the service does changes no number at once, whatever times it gives', async () => {
  const { merchantId, set, ask, bySql } = await shop()
  await ask()
  await bySql(
    `update withdrawal_numbers set phone = '256772000333', set_at = '2020-01-01', verified_at = '2020-01-01', waits_until = null`,
  )
  await assert.rejects(ask(), { message: 'no verified withdrawal number' })
  await bySql(`update withdrawal_numbers set verified_at = '2020-01-01', waits_until = '2020-01-02'`)
  await assert.rejects(ask(), WAITS)
  for (const sql of [
    'delete from withdrawal_numbers',
    'update withdrawal_numbers set merchant_id = merchant_id + 1000',
  ])
    await assert.rejects(bySql(sql), { constraint: 'withdrawal_number_stays' })
  const found = await verifyCell(service.app.db, service.clock.now())
  assert.deepEqual(
    found.find(({ id }) => id === 'TE3')?.offenders.map(({ offender }) => offender),
    [`the number of merchant ${merchantId}`],
  )
  // It is put right by the road that every number takes.
  await set(FIRST)
  service.pass(DAY + 60_000)
  await ask()
})

test('another number waits for a day whoever sets it, and the owners hear of it; a first one and the same again do not', async () => {
  const { merchant, set, ask } = await shop()
  const owner = await signedInAs(service, merchant)
  await set(FIRST)
  await ask()
  await set('0772000222')
  await assert.rejects(ask(), WAITS)
  const told = (await mailsTo(service, owner.email)).filter(({ template }) => template === 'number-changed')
  assert.deepEqual(
    told.map(({ values }) => [values.ends, /20\d\d/.test(values.until ?? '')]),
    [['222', true]],
  )
  assert.match(mainOf(await owner.get('/dashboard/wallet/withdrawals')), /Withdrawals from \d+ \w+, \d\d:\d\d/)
  service.pass(DAY - 60_000)
  await assert.rejects(ask(), WAITS)
  service.pass(120_000)
  await ask()
  const later = await signedInAs(service, merchant)
  assert.doesNotMatch(mainOf(await later.get('/dashboard/wallet/withdrawals')), /Withdrawals from/)
})
