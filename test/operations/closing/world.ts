import assert from 'node:assert/strict'
import type { CreatedMerchant } from '../../../src/merchants/account/create-merchant.ts'
import type { Merchant } from '../../../src/merchants/account/merchant.ts'
import { getMerchantNamed } from '../../../src/merchants/account/set-merchant.ts'
import { decideWithdrawal } from '../../../src/payments/withdrawals/withdraw.ts'
import { setWithdrawalNumber, verifyWithdrawalNumber } from '../../../src/payments/withdrawals/withdrawal-number.ts'
import { succeed } from '../../helpers/payments/following-charges.ts'
import { settle } from '../../helpers/payments/following-payouts.ts'
import { startPayingService } from '../../helpers/payments/payouts.ts'
import { BY_HAND } from '../../helpers/service/actors.ts'
import { DAY, type LiveService, newPayer } from '../../helpers/service/live-service.ts'
import { mainOf, type Planted, signedInAs } from '../../helpers/web/dashboard.ts'

export const CLOSE = '/dashboard/settings/close'
export const PHONE = '0772000111'
const MINUTE = 60_000

/** Live money is held for a day. */
export const startHolding = () => startPayingService({ env: { LIVE_HOLD_HOURS: '24' } })

/** A merchant, and its owner at a browser. */
type Own = { merchant: CreatedMerchant; row: Merchant; owner: Planted }

/** What the tests of accounts that close do with their service. */
export function closingWorld(service: LiveService) {
  /** A verified merchant with 100,000 that a customer has just paid, and an owner at a browser. */
  async function shop({ number = true } = {}) {
    const own = await service.shop()
    const { merchant: row, app } = await getMerchantNamed(service.gateway, own.merchant.id)
    const pay = async (more: object = {}) => {
      const { status, body } = await own.live.charge({
        amount: 100_000,
        customer: { phone: newPayer() },
        ...more,
      })
      assert.equal(status, 201, JSON.stringify(body))
      return body.id as string
    }
    const paid = await pay()
    await succeed(service, paid)
    if (number) await setNumber(row.id)
    const owner = await signedInAs(service, own.merchant)
    const now = async () => (await getMerchantNamed(service.gateway, own.merchant.id)).merchant
    return { ...own, app, row, owner, paid, pay, now }
  }

  async function setNumber(merchantId: number) {
    await setWithdrawalNumber(service.app, BY_HAND, { merchantId, phone: PHONE })
    await verifyWithdrawalNumber(service.app, BY_HAND, { merchantId, phone: PHONE })
  }
  const byOwner = async ({ owner, row }: Own) =>
    owner.send(await owner.get(CLOSE), '/settings/close', { handle: row.handle })
  /** The operator takes it, pays it and says so. */
  async function arrive(payoutId: string) {
    await service.run('send-payouts')
    await settle(service, payoutId)
  }
  /** The page as its owner sees it, who has signed in again. */
  const pageOf = async ({ merchant }: Pick<Own, 'merchant'>) =>
    mainOf(await (await signedInAs(service, merchant)).get(CLOSE))
  const turn = async () => {
    service.pass(2 * MINUTE)
    await service.run('close-accounts')
  }
  async function release() {
    service.pass(3 * DAY)
    await service.run('settle-charges')
    await turn()
  }
  const withdrawals = ({ row }: Pick<Own, 'row'>) =>
    service.rows<{ id: string; amount: string; recipient_phone: string; state: string }>(
      `select p.id, p.amount::text, p.recipient_phone, w.state from payouts p join withdrawals w using (merchant_id, id)
     where p.merchant_id = $1 order by p.created_at, p.id`,
      [row.id],
    )
  async function payOut(own: Own) {
    const [last] = (await withdrawals(own)).slice(-1)
    assert.ok(last)
    await decideWithdrawal(service.app, BY_HAND, {
      ...{ merchantId: own.row.id, id: last.id, decision: 'approved', note: null },
    })
    await arrive(last.id)
    return last
  }
  return { shop, setNumber, byOwner, arrive, pageOf, turn, release, withdrawals, payOut }
}
