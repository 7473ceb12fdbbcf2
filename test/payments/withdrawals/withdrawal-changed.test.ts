import assert from 'node:assert/strict'
import test from 'node:test'
import { getMerchantNamed } from '../../../src/merchants/account/set-merchant.ts'
import {
  decideWithdrawal,
  requestWithdrawal,
  type WithdrawalDecision,
} from '../../../src/payments/withdrawals/withdraw.ts'
import {
  getWithdrawalNumber,
  setWithdrawalNumber,
  verifyWithdrawalNumber,
} from '../../../src/payments/withdrawals/withdrawal-number.ts'
import { richShop, startPayingService } from '../../helpers/payments/payouts.ts'
import { availableOf } from '../../helpers/payments/schedules.ts'
import { BY_HAND } from '../../helpers/service/actors.ts'
import { openedAndVerified } from '../../helpers/service/opened.ts'

// What a withdrawal was judged by when it was asked for may have changed when it is approved.
const NUMBER = '0772 000 111'
const DAY = 86_400_000
const service = openedAndVerified(() => startPayingService())

/** A merchant whose withdrawal waits. */
async function waiting() {
  const { merchant, live } = await richShop(service)
  const { merchant: row } = await getMerchantNamed(service.gateway, merchant.id)
  const merchantId = row.id
  const setNumber = (phone: string) => setWithdrawalNumber(service.app, BY_HAND, { merchantId, phone })
  const verify = (phone: string) => verifyWithdrawalNumber(service.app, BY_HAND, { merchantId, phone })
  await setNumber(NUMBER)
  await verify(NUMBER)
  const { id } = await requestWithdrawal(service.app, BY_HAND, { merchantId, amount: 100_000 })
  const decide = (decision: WithdrawalDecision) =>
    decideWithdrawal(service.app, BY_HAND, { merchantId, id, decision, note: null })
  return { merchant, live, id, setNumber, verify, decide }
}

test('a withdrawal is not approved after its number, its merchant or the verification has changed since; it waits', async () => {
  const { merchant, id, setNumber, verify, decide } = await waiting()
  const refused = (message: RegExp) =>
    assert.rejects(decide('approved'), (error: any) => {
      assert.deepEqual([error.status, error.code], [409, 'conflict'])
      assert.match(error.message, message)
      return true
    })
  await setNumber('0772 000 999')
  await refused(/^the merchant has set another number since: reject the withdrawal, and it can be asked for/)
  await verify('0772 000 999')
  await refused(/^the merchant has set another number since/)
  await setNumber(NUMBER)
  await refused(/^the number was set anew since and is not verified: verify it and approve the withdrawal then/)
  await verify(NUMBER)
  await refused(/^the number to withdraw to was changed: withdrawals to it wait until \d+ \w+ 20\d\d, \d\d:\d\d$/)
  service.pass(DAY)
  await service.set(merchant, { kycStatus: 'rejected' })
  await refused(/^this merchant is not verified any more: reject the withdrawal, or approve it when/)
  await service.set(merchant, { active: false })
  await refused(/^this merchant is inactive now: reject the withdrawal, or approve it when/)
  const sent = () => service.rail.submitted.filter(({ publicId }) => publicId === id).length
  await service.run('send-payouts')
  assert.equal(sent(), 0)
  await service.set(merchant, { active: true, kycStatus: 'verified' })
  await decide('approved')
  await setNumber('0772 000 999')
  await decide('approved')
  await service.run('send-payouts')
  assert.equal(sent(), 1)
})

test('one that cannot be approved any more is rejected, and its money comes back', async () => {
  const { merchant, live, decide } = await waiting()
  await service.set(merchant, { active: false, kycStatus: 'rejected' })
  await decide('rejected')
  await service.set(merchant, { active: true, kycStatus: 'verified' })
  assert.equal(await availableOf(live), 500_000)
})

test('of a number that changes while somebody verifies the one before, only that one is ever verified', async () => {
  const { merchant, setNumber, verify } = await waiting()
  const { merchant: row } = await getMerchantNamed(service.gateway, merchant.id)
  for (let round = 0; round < 8; round += 1) {
    await setNumber(NUMBER)
    const [verified] = await Promise.allSettled([verify(NUMBER), setNumber(`077200100${round}`)])
    if (verified.status === 'rejected')
      assert.match(verified.reason.message, /^the merchant has set another number meanwhile/)
    const { phone, verified: is } = await getWithdrawalNumber(service.app, row.id)
    assert.deepEqual([phone, is], [`25677200100${round}`, false])
  }
})
