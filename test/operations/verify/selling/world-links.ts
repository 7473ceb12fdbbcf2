import { moveCharge } from '../../../../src/payments/charges/move-charge.ts'
import type { App } from '../../../../src/program/app.ts'
import { payLink } from '../../../../src/selling/payment-links/pay-link.ts'
import type { PaymentLink } from '../../../../src/selling/payment-links/payment-link.ts'
import { addLinks } from '../../../../src/selling/payment-links/write-links.ts'
import { CUSTOMER } from '../../../helpers/service/actors.ts'
import { LINK, LINKED, TAGS } from '../names.ts'
import { write } from '../world-charges.ts'

const PRICE = 8000

/** Test links of merchant 1: one is paid, one failed and is tried again, one was paid by two people. */
export async function payLinks(app: App): Promise<void> {
  const { paid, retried, reusable } = LINK
  await write(
    app.db,
    ...addLinks([newLink(app, paid, false), newLink(app, retried, false), newLink(app, reusable, true)]),
  )
  await attempt(app, paid, LINKED.paid)
  await end(app, LINKED.paid, true)
  await attempt(app, retried, LINKED.failed)
  await end(app, LINKED.failed, false)
  await attempt(app, retried, LINKED.again)
  await attempt(app, reusable, LINKED.first)
  await end(app, LINKED.first, true)
  await attempt(app, reusable, LINKED.second)
  await end(app, LINKED.second, true)
}

const newLink = (app: App, id: string, allowMultipleUses: boolean): PaymentLink => ({
  merchantId: 1,
  id,
  mode: 'test',
  kind: 'link',
  amount: PRICE,
  description: null,
  reference: 'stall 4',
  successUrl: null,
  cancelUrl: null,
  allowMultipleUses,
  chargeId: null,
  switchedOffAt: null,
  expiresAt: null,
  invalidatedAt: null,
  createdAt: app.clock.now(),
  metadata: null,
})

async function attempt(app: App, id: string, chargeId: string): Promise<void> {
  const link = {
    merchantId: 1,
    id,
    mode: 'test' as const,
    allowMultipleUses: id === LINK.reusable,
    tag: TAGS[1],
  }
  await payLink(app, CUSTOMER, {
    link,
    payment: {
      channel: 'op1_momo',
      phone: '256772000005',
      email: null,
      card: null,
      chargeId,
    },
  })
}

const end = (app: App, id: string, pays: boolean) =>
  moveCharge(app, {
    charge: { merchantId: 1, id, mode: 'test', giftCardAmount: 0 },
    to: pays ? { status: 'succeeded', railTransactionId: '900' } : { status: 'failed', reason: 'user_cancelled' },
  })
