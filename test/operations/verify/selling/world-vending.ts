import { fingerprintRequest } from '../../../../src/api/http/bodies/body-content.ts'
import { addKeys } from '../../../../src/api/idempotency/keys.ts'
import { moveCharge } from '../../../../src/payments/charges/move-charge.ts'
import { refundCharge } from '../../../../src/payments/refunds/refund-charge.ts'
import { assert } from '../../../../src/platform/assert.ts'
import type { App } from '../../../../src/program/app.ts'
import { payLink } from '../../../../src/selling/payment-links/pay-link.ts'
import { addLinks } from '../../../../src/selling/payment-links/write-links.ts'
import type { DispenseClaim } from '../../../../src/selling/vending/dispensing/claim.ts'
import { claimOrder } from '../../../../src/selling/vending/dispensing/claim-order.ts'
import type { DispenseMove, DispenseOutcome } from '../../../../src/selling/vending/dispensing/dispense-move.ts'
import { addDispenseClaim } from '../../../../src/selling/vending/dispensing/move-claim.ts'
import { moveDispense } from '../../../../src/selling/vending/dispensing/move-dispense.ts'
import { sendCommand } from '../../../../src/selling/vending/dispensing/send-command.ts'
import { CUSTOMER, fullKey } from '../../../helpers/service/actors.ts'
import { CALLBACK, DIRECT, DIRECTLY, ORDER, orderedBy, TAGS } from '../names.ts'
import { pay, write } from '../world-charges.ts'

const PRICE = 8000
const LIFETIME_MS = 120_000
const GOODS = [{ spbh: '1', spmc: 'Water', spdj: 8000 }]
const OWNER = { merchantId: 1, tag: TAGS[1], mode: 'test' as const }

/** Test orders of merchant 1: unpaid, paid, and in every state of vending; and two direct dispenses. */
export async function dispenseGoods(app: App): Promise<void> {
  await openShop(app)
  await dispense(app, ORDER.delivered, [delivered])
  await app.db.pool.query(`update merchants set auto_refund_on_jam = 'test' where id = 1`)
  await dispense(app, ORDER.jammed, [jam])
  await app.db.pool.query(`update merchants set auto_refund_on_jam = 'off' where id = 1`)
  await dispense(app, ORDER.again, [jam])
  await command(app, ORDER.again)
  await dispense(app, ORDER.lost, [])
  await dispense(app, ORDER.refunded, [jam])
  await refundCharge(app, fullKey({ ...OWNER, cell: app.cell }), { chargeId: orderedBy(ORDER.refunded) })
  await dispenseTrustingly(app)
  await switchOff(app)
  await payFor(app, ORDER.claimed)
  await app.db.pool.query(`update payment_links set invalidated_at = created_at where id = $1`, [ORDER.takenBack])
  await dispenseDirectly(app)
}

/** A dispense that is about to be sent. */
export const claimGoods = (app: App) => claimOrder(app, { merchantId: 1, id: ORDER.claimed })

const delivered: DispenseOutcome = {
  status: 'dispensed',
  confirmed: true,
  result: [{ spbh: '1', chsl: 1 }],
  note: null,
}
const jam: DispenseOutcome = {
  status: 'failed',
  confirmed: true,
  result: [{ spbh: '1', chsl: 0 }],
  error: 'the machine reported a jam',
}

async function openShop(app: App): Promise<void> {
  const at = app.clock.now()
  const machines = ['M-1', 'M-LOST']
  await app.db.pool.query(`update merchants set vending_enabled = true where id = 1`)
  await app.db.pool.query(
    `insert into machines (merchant_id, machine, name, created_at) select 1, one, one, $2 from unnest($1::text[]) one`,
    [machines, at],
  )
  const links = Object.values(ORDER).map((id) => newOrderLink(id, at))
  await write(app.db, ...addLinks(links))
  await app.db.pool.query(
    `insert into vending_orders (merchant_id, id, mode, machine, goods, created_at)
     select 1, one, 'test', case one when $2 then 'M-LOST' else 'M-1' end, $3, $4 from unnest($1::text[]) one`,
    [Object.values(ORDER), ORDER.lost, JSON.stringify(GOODS), at],
  )
}

const newOrderLink = (id: string, createdAt: Date) => ({
  ...{ merchantId: 1, id, mode: 'test' as const, kind: 'order' as const, amount: PRICE, description: null },
  ...{ reference: 'shelf 2', successUrl: null, cancelUrl: null, allowMultipleUses: false, chargeId: null },
  ...{
    switchedOffAt: null,
    expiresAt: new Date(createdAt.getTime() + LIFETIME_MS),
    invalidatedAt: null,
    createdAt,
    metadata: null,
  },
})

async function payFor(app: App, id: string): Promise<void> {
  const link = { merchantId: 1, id, mode: 'test' as const, allowMultipleUses: false, tag: TAGS[1] }
  const chargeId = orderedBy(id)
  const payment = { channel: 'op1_momo', phone: '256772000005', email: null, card: null, chargeId } as const
  const { kind } = await payLink(app, CUSTOMER, { link, payment })
  assert(kind === 'stored', `the order was paid: ${kind}`)
  const charge = { merchantId: 1, id: chargeId, mode: 'test' as const, giftCardAmount: 0 }
  await moveCharge(app, { charge, to: { status: 'succeeded', railTransactionId: '901' } })
}

async function command(app: App, id: string): Promise<void> {
  const claimed = await claimOrder(app, { merchantId: 1, id })
  assert(claimed.kind === 'claimed', `the order was claimed: ${claimed.kind}`)
  await sendCommand(app, claimed.claim)
}

const say = (app: App, id: string, to: DispenseOutcome, source: DispenseMove['source'] = 'callback') =>
  moveDispense(app, { kind: 'order', merchantId: 1, id, to, source })

async function dispense(app: App, id: string, reports: readonly DispenseOutcome[]): Promise<void> {
  await payFor(app, id)
  await command(app, id)
  for (const one of reports) await say(app, id, one)
}

/** With a supplier whose acceptance counts as delivery: one order stays so; the machine of the other reports a jam, then a delivery. */
async function dispenseTrustingly(app: App): Promise<void> {
  await app.db.pool.query(
    `insert into vending_profiles (merchant_id, profile, changed_at) values (1, 'optimistic', $1)`,
    [app.clock.now()],
  )
  await dispense(app, ORDER.believed, [])
  await dispense(app, ORDER.contradicted, [])
  ;(app.clock as unknown as { at: number }).at += 1000
  await say(app, ORDER.contradicted, jam)
  ;(app.clock as unknown as { at: number }).at += 1000
  await say(app, ORDER.contradicted, delivered)
  await app.db.pool.query('delete from vending_profiles')
}

async function switchOff(app: App): Promise<void> {
  await payFor(app, ORDER.off)
  const off = { status: 'failed', confirmed: false, result: null, error: 'vending is disabled' } as const
  await moveDispense(app, {
    kind: 'order',
    merchantId: 1,
    id: ORDER.off,
    to: off,
    source: 'command',
    about: 'none',
  })
}

/** Each is paid by a charge of the API. The idempotency key of one is kept. */
async function dispenseDirectly(app: App): Promise<void> {
  await pay(app, 1, ['test', 'directone', PRICE])
  await pay(app, 1, ['test', 'directtwo', PRICE])
  await commandDirectly(app, DIRECT.delivered, DIRECTLY.delivered)
  await commandDirectly(app, DIRECT.open, DIRECTLY.open)
  const said = { merchantId: 1, id: DIRECTLY.delivered, to: delivered } as const
  await moveDispense(app, { kind: 'direct', ...said, source: 'callback' })
  await app.db.pool.query(
    `insert into vendor_callbacks (merchant_id, id, order_id, charge_id, machine, sign, outcome, body, received_at)
     values (1, $1, $2, $3, 'M-1', $4, 'dispensed', '{}', $5)`,
    [CALLBACK, ORDER.delivered, orderedBy(ORDER.delivered), 'a'.repeat(32), app.clock.now()],
  )
}

async function commandDirectly(app: App, id: string, chargeId: string): Promise<void> {
  const at = app.clock.now()
  const claim: DispenseClaim = {
    ...{ ...OWNER, id, chargeId, kind: 'direct', orderId: `own-${id}`, machine: 'M-1' },
    ...{ goods: GOODS, payAccount: null, attempt: 1 },
  }
  const fingerprint = fingerprintRequest('POST', '/v1/vending/dispense', {})
  const answer = { status: 200, body: `{"charge_id":"${chargeId}"}`, objectId: id }
  const use = { merchantId: 1, mode: OWNER.mode, key: `key-${id}`, fingerprint, answer, objectId: id }
  await write(app.db, addDispenseClaim(claim, at), ...addKeys([use], at))
  await sendCommand(app, claim)
}
