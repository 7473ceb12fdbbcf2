import { randomUUID } from 'node:crypto'
import { draftBulk } from '../../../../src/payments/payouts/bulk/drafts/draft-bulk.ts'
import { requestSubaccountPayout } from '../../../../src/payments/payouts/prepared/request-subaccount-payout.ts'
import { setCheckerRule } from '../../../../src/payments/payouts/prepared/set-checker-rule.ts'
import { requestSchedule } from '../../../../src/payments/scheduled-payouts/request-schedule.ts'
import { requestTopUp } from '../../../../src/payments/top-ups/request-top-up.ts'
import { requestWithdrawal } from '../../../../src/payments/withdrawals/withdraw.ts'
import { setWithdrawalNumber, verifyWithdrawalNumber } from '../../../../src/payments/withdrawals/withdrawal-number.ts'
import { parsePhone } from '../../../../src/platform/text/phone.ts'
import { succeed } from '../../../helpers/payments/following-charges.ts'
import { sendUntilEnded } from '../../../helpers/payments/following-payouts.ts'
import { approve, ask, type Crew, crewed, sendSeenDraft } from '../../../helpers/payments/preparing.ts'
import { BY_HAND } from '../../../helpers/service/actors.ts'
import { type LiveService, newPayer } from '../../../helpers/service/live-service.ts'

const NAMES = ['Akello Grace', 'Nakirunda Birabwa Namutebi-Ssemakula wa Bugolobi', '', 'Opio', '=cmd|calc']
const LONG = 'a reference of two hundred and fifty-five characters '.repeat(5).slice(0, 255)

/** A shop that pays out in every way, and the address of each of its pages. */
export async function payingShop(service: LiveService) {
  const crew = await crewed(service, { funds: 4_000_000, above: 100_000 })
  const { anna, ben, books, live, merchantId } = crew
  const { app } = service
  const failed = await ask(service, anna, { amount: 25_000 })
  service.operator.refuses(failed)
  await sendUntilEnded(service, failed)
  const { body } = await live.post('/v1/payouts', {
    ...{ amount: 60_000, reference: LONG },
    recipient: { phone: newPayer(), name: NAMES[1] },
  })
  const waiting = await ask(service, books, {
    amount: 1_250_000,
    note: 'The roof of the second shop, as agreed on Monday',
  })
  const approved = await ask(service, anna, { amount: 300_000 })
  await approve(service, ben, approved)
  const lines = Array.from(
    { length: 45 },
    (_, at) => `${at === 7 ? 'nobody' : newPayer()},${at === 9 ? 'five' : 5000 + at},w-${at},"${NAMES[at % 5]}"`,
  )
  const draft = await draftBulk(app, anna, { pasted: [...lines, `${newPayer()},5000,${LONG},x`].join('\n') })
  const sent = await draftBulk(app, anna, { pasted: lines.slice(0, 12).join('\n') })
  const batch = await sendSeenDraft(app, anna, sent)
  const bulkWaits = await sendSeenDraft(app, books, draft)
  const unsent = await draftBulk(app, anna, {
    name: 'july wages, second try.csv',
    bytes: Buffer.from(['phone,amount,reference,name', ...lines].join('\n')),
  })
  const unnamed = await draftBulk(app, anna, {
    name: 'august wages, with words of our own.csv',
    bytes: Buffer.from(`Who;Number to send to;Days;Paid in August\n${NAMES[1]};${newPayer()};26;350000\n`),
  })
  const schedule = await planned(service, anna, 'Wages of the night shift', 80_000)
  await planned(service, anna, null, 5000)
  await service.run('run-schedules')
  await setWithdrawalNumber(app, anna, { merchantId, phone: '0700000009' })
  await verifyWithdrawalNumber(app, BY_HAND, { merchantId, phone: '0700000009' })
  await requestWithdrawal(app, anna, { merchantId, amount: 50_000, key: 'one' })
  const { topUp } = await requestTopUp(app, anna, { merchantId, amount: 90_000, phone: newPayer() })
  const farm = await live.post('/v1/subaccounts', {
    name: NAMES[1],
    payout_phone: '0700000009',
    external_ref: LONG,
  })
  const paysOut = await subaccountPayout(service, crew, farm.body.id)
  await setCheckerRule(app, ben, 500_000)
  const payouts = '/dashboard/payouts'
  return {
    merchant: crew.merchant,
    pages: {
      payouts,
      'payouts-new': `${payouts}/new`,
      'payout-failed': `${payouts}/${failed}`,
      'payout-open': `${payouts}/${body.id}`,
      prepared: `${payouts}/prepared`,
      'prepared-waiting': `${payouts}/prepared/${waiting}`,
      'prepared-subaccount': `${payouts}/prepared/${paysOut}`,
      'prepared-bulk': `${payouts}/prepared/${bulkWaits}`,
      bulk: '/dashboard/bulk',
      'bulk-draft': `/dashboard/bulk/drafts/${unsent}`,
      'bulk-columns': `/dashboard/bulk/drafts/${unnamed}/columns`,
      'bulk-call': `/dashboard/bulk/${batch}`,
      payroll: '/dashboard/payroll',
      'payroll-new': '/dashboard/payroll/new',
      schedule: `/dashboard/payroll/${schedule}`,
      wallet: '/dashboard/wallet',
      settlements: '/dashboard/wallet/settlements',
      statements: '/dashboard/wallet/statements',
      withdrawals: '/dashboard/wallet/withdrawals',
      'top-ups': '/dashboard/wallet/top-ups',
      'top-up': `/dashboard/wallet/top-ups/${topUp.id}`,
      subaccounts: '/dashboard/subaccounts',
      subaccount: `/dashboard/subaccounts/${farm.body.id}`,
      limits: '/dashboard/settings/limits',
      'payouts-empty': '/dashboard/test/payouts',
      'bulk-empty': '/dashboard/test/bulk',
      'payroll-empty': '/dashboard/test/payroll',
      'wallet-empty': '/dashboard/test/wallet',
    },
  }
}

/** A pay-out of a subaccount that waits for a second person; answers the id of the prepared payout. */
async function subaccountPayout(service: LiveService, { anna, live }: Crew, subaccount: string): Promise<string> {
  const { body } = await live.charge({
    ...{ amount: 400_000, customer: { phone: newPayer() } },
    split: [{ subaccount, amount: 300_000 }],
  })
  await succeed(service, body.id)
  const { objectId } = await requestSubaccountPayout(service.app, {
    ...{ caller: anna, key: randomUUID(), fingerprint: Buffer.alloc(32), requestId: 'req_test' },
    ...{ note: 'The share of July', subaccountId: subaccount, amount: 250_000 },
  })
  return objectId ?? ''
}

async function planned(
  { app }: LiveService,
  caller: Parameters<typeof requestSchedule>[1]['caller'],
  name: string | null,
  amount: number,
): Promise<string> {
  const recipients = NAMES.slice(0, 1).map((one) => ({ phone: parsePhone(newPayer()) ?? '', name: one }))
  const { objectId } = await requestSchedule(app, {
    ...{ caller, key: randomUUID(), fingerprint: Buffer.alloc(32), requestId: 'req_test', note: null },
    input: { amount, interval: 'weekly', recipients, ...(name === null ? {} : { name }) },
  })
  return objectId ?? ''
}
