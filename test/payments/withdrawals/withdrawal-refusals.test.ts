import assert from 'node:assert/strict'
import test from 'node:test'
import { freezeAccount, freezePlatform } from '../../../src/merchants/account/payout-freeze.ts'
import { readOpenExceptions, resolveException } from '../../../src/payments/exceptions/resolve-exception.ts'
import { requestWithdrawal } from '../../../src/payments/withdrawals/withdraw.ts'
import { setWithdrawalNumber, verifyWithdrawalNumber } from '../../../src/payments/withdrawals/withdrawal-number.ts'
import { openMismatch } from '../../helpers/payments/open-exceptions.ts'
import { payer } from '../../helpers/payments/schedules.ts'
import { BY_HAND } from '../../helpers/service/actors.ts'
import { openedAndVerified } from '../../helpers/service/opened.ts'
import { startService } from '../../helpers/service/test-service.ts'

const service = openedAndVerified(() => startService({ env: { WITHDRAWAL_MIN: '5000' } }))

test('the refusals come in order, with their exact texts and nothing written', async () => {
  const { merchant, merchantId, tag } = await payer(service)
  await service.set(merchant, { active: false, kycStatus: 'rejected' })
  await freezePlatform(service.gateway, BY_HAND, 'drill')
  await freezeAccount(service.app, BY_HAND, { merchantId, reason: 'drill' })
  await openMismatch(service, { merchantId, tag }, 'live')
  const paused =
    'payouts are paused on this account while a payment reconciliation issue is investigated - support has been notified; your balance is safe and money in is unaffected'
  const setNumber = (phone: string) => setWithdrawalNumber(service.app, BY_HAND, { merchantId, phone })
  const steps: [number, string, string, () => Promise<unknown>][] = [
    [1, 'merchant_inactive', 'merchant is not active', () => service.set(merchant, { active: true })],
    [
      1,
      'verification_required',
      'live payouts require a verified business - complete verification on your dashboard (test keys work immediately)',
      () => service.set(merchant, { kycStatus: 'verified' }),
    ],
    [
      1,
      'payouts_frozen',
      'payouts are temporarily paused platform-wide for a safety review - no action needed on your side; money in is unaffected',
      () => freezePlatform(service.gateway, BY_HAND, null),
    ],
    [1, 'payouts_paused', paused, () => freezeAccount(service.app, BY_HAND, { merchantId, reason: null })],
    [
      1,
      'payouts_paused',
      paused,
      async () => {
        for (const { id } of await readOpenExceptions(service.app, merchantId))
          await resolveException(service.app, BY_HAND, {
            merchantId,
            id,
            note: 'looked into',
            resolution: 'no_difference',
          })
      },
    ],
    [1, 'no_withdrawal_number', 'no verified withdrawal number', () => setNumber('0772000111')],
    [
      1,
      'no_withdrawal_number',
      'no verified withdrawal number',
      () => verifyWithdrawalNumber(service.app, BY_HAND, { merchantId, phone: '0772000111' }),
    ],
    [4999, 'amount_too_small', 'amount is below the withdrawal minimum of 5000', async () => {}],
    [
      5000,
      'insufficient_balance',
      'insufficient available balance: have 0, need 5200 (amount 5000 + fee 200)',
      async () => {},
    ],
  ]
  for (const [amount, code, message, cure] of steps) {
    const before = await service.digest()
    await assert.rejects(requestWithdrawal(service.app, BY_HAND, { merchantId, amount }), {
      status: 400,
      code,
      message,
    })
    assert.equal(await service.digest(), before, message)
    await cure()
  }
})

test('test money is never withdrawn: however much there is, live has none', async () => {
  const shop = await payer(service, 100_000_000)
  const own = { merchantId: shop.merchantId, phone: '0772000111' }
  await setWithdrawalNumber(service.app, BY_HAND, own)
  await verifyWithdrawalNumber(service.app, BY_HAND, own)
  const before = await service.digest()
  await assert.rejects(requestWithdrawal(service.app, BY_HAND, { merchantId: shop.merchantId, amount: 5000 }), {
    message: 'insufficient available balance: have 0, need 5200 (amount 5000 + fee 200)',
  })
  assert.equal(await service.digest(), before)
})

test('a number that was never set cannot be verified', async () => {
  const { merchantId } = await payer(service)
  await assert.rejects(verifyWithdrawalNumber(service.app, BY_HAND, { merchantId, phone: '0772000111' }), {
    ...{ status: 404, message: 'withdrawal number not found' },
  })
})
