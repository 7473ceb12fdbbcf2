import assert from 'node:assert/strict'
import { addTestFunds } from '../../../src/ledger/test-funds.ts'
import type { Mode } from '../../../src/platform/mode.ts'
import { payLink } from '../../../src/selling/payment-links/pay-link.ts'
import { addLinks, newLink } from '../../../src/selling/payment-links/write-links.ts'
import type { DispenseClaim } from '../../../src/selling/vending/dispensing/claim.ts'
import { claimOrder } from '../../../src/selling/vending/dispensing/claim-order.ts'
import { followUntilEnded } from '../payments/following-charges.ts'
import type { Payer } from '../payments/schedules.ts'
import { BY_HAND, CUSTOMER } from '../service/actors.ts'
import { newPayer } from '../service/live-service.ts'
import type { TestService } from '../service/test-service.ts'

/** The owner of an order, and its id. */
export type Place = { merchantId: number; id: string }
export type PaidOrder = Place & { mode: Mode; chargeId: string }
export type Owner = Pick<Payer, 'merchantId' | 'tag'>
export type Wanted = { mode?: Mode; machine?: string; pays?: (chargeId: string) => void }

export const PRICE = 5000
const LIFETIME_MS = 120_000
const GOODS = [{ spbh: '1', spmc: 'Water', spdj: PRICE }]

/** An order as its endpoint stores it; its machine is registered first. */
export async function newOrder(
  service: TestService,
  { merchantId, tag }: Owner,
  { mode = 'test', machine = 'M-1' }: Wanted = {},
): Promise<Place> {
  const at = service.clock.now()
  const made = { amount: PRICE, description: null, reference: 'shelf 3', successUrl: null, cancelUrl: null }
  const link = {
    ...newLink({ merchantId, tag, mode }, { ...made, allowMultipleUses: false }, at),
    ...{ kind: 'order' as const, expiresAt: new Date(at.getTime() + LIFETIME_MS) },
  }
  await service.rows(
    'insert into machines (merchant_id, machine, name, created_at) values ($1, $2, $2, $3) on conflict do nothing',
    [merchantId, machine, at],
  )
  await service.app.db.transaction(async (tx) => {
    await tx.send(...addLinks([link]))
    return { value: null }
  })
  await service.rows(
    'insert into vending_orders (merchant_id, id, mode, machine, goods, created_at) values ($1, $2, $3, $4, $5, $6)',
    [merchantId, link.id, mode, machine, JSON.stringify(GOODS), at],
  )
  return { merchantId, id: link.id }
}

/** A customer pays it: the sandbox decides in test mode, and `pays` tells the operator in live mode. No command is sent yet. */
export async function payOrder(
  service: TestService,
  { merchantId, id }: Place,
  { tag, mode = 'test', pays = () => {} }: Wanted & { tag: string },
): Promise<PaidOrder> {
  const payment = { channel: 'op1_momo', phone: newPayer(), email: null, card: null, chargeId: null } as const
  const paid = await payLink(service.app, CUSTOMER, {
    link: { merchantId, id, mode, allowMultipleUses: false, tag },
    payment: { ...payment, phone: mode === 'test' ? '0700000000' : payment.phone },
  })
  assert.equal(paid.kind, 'stored', JSON.stringify(paid))
  const chargeId = paid.kind === 'stored' ? paid.chargeId : ''
  pays(chargeId)
  await followUntilEnded(service, chargeId)
  return { merchantId, id, mode, chargeId }
}

export async function paidOrder(service: TestService, owner: Owner, wanted: Wanted = {}): Promise<PaidOrder> {
  return payOrder(service, await newOrder(service, owner, wanted), { ...wanted, tag: owner.tag })
}

/** Claims it as the dispense task does, and returns the claim. */
export async function claim(service: TestService, place: Place): Promise<DispenseClaim> {
  const claimed = await claimOrder(service.app, place)
  assert.ok(claimed.kind === 'claimed', claimed.kind)
  return claimed.claim
}

/** The vending row of an order. */
export async function orderRow(service: TestService, { merchantId, id }: Place): Promise<any> {
  const [row] = await service.rows('select * from vending_orders where merchant_id = $1 and id = $2', [merchantId, id])
  return row
}

export const fundTest = (service: TestService, { merchantId, tag }: Owner, amount: number) =>
  addTestFunds(service.app, BY_HAND, { holder: { merchantId, tag }, amount, key: undefined })
