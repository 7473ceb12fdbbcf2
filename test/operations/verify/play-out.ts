import assert from 'node:assert/strict'
import { getMerchantNamed } from '../../../src/merchants/account/set-merchant.ts'
import { payOutSubaccount } from '../../../src/payments/payouts/pay-out-subaccount.ts'
import { setSubaccountStatus } from '../../../src/payments/subaccounts/set-subaccount-status.ts'
import { decideWithdrawal, requestWithdrawal } from '../../../src/payments/withdrawals/withdraw.ts'
import { setWithdrawalNumber, verifyWithdrawalNumber } from '../../../src/payments/withdrawals/withdrawal-number.ts'
import { DatabaseAway } from '../../../src/platform/db/errors.ts'
import { Refusal } from '../../../src/platform/refusal.ts'
import { succeed } from '../../helpers/payments/following-charges.ts'
import { BY_HAND } from '../../helpers/service/actors.ts'
import { type LiveService, newPayer, type Shop } from '../../helpers/service/live-service.ts'
import type { Client } from '../../helpers/service/test-service.ts'
import type { StepOut } from './histories-out.ts'

/** A shop with two subaccounts, and the number of its requests so far, from which its keys are made. */
export type Payer = Shop & { merchantId: number; tag: string; subaccounts: string[]; asked: number }
type Asked = Exclude<Extract<StepOut, { mode: string }>, { do: 'pay out' }>

const FAILING = '0700000001'

/** A verified shop with money in both modes and two subaccounts. */
export async function newPayerShop(service: LiveService): Promise<Payer> {
  const shop = await service.shop()
  const subaccounts: string[] = []
  for (const name of ['farm', 'market'])
    subaccounts.push((await shop.test.post('/v1/subaccounts', { name, payout_phone: newPayer() })).body.id)
  await fund(service, shop, subaccounts)
  const { merchant } = await getMerchantNamed(service.gateway, shop.merchant.id)
  const own = { merchantId: merchant.id, phone: newPayer() }
  await setWithdrawalNumber(service.app, BY_HAND, own)
  await verifyWithdrawalNumber(service.app, BY_HAND, own)
  return { ...shop, merchantId: merchant.id, tag: merchant.tag, subaccounts, asked: 0 }
}

/** Charges in each mode that are paid and available at once, one of them shared out. */
async function fund(
  service: LiveService,
  { merchant, live, test }: Shop,
  subaccounts: readonly string[],
): Promise<void> {
  await service.set(merchant, { instantSettlement: true })
  const split = subaccounts.map((subaccount) => ({ subaccount, amount: 50_000 }))
  for (const parts of [{}, { split }]) {
    const order = { amount: 500_000, customer: { phone: newPayer() }, ...parts }
    await test.charge(order)
    await succeed(service, (await live.charge(order)).body.id)
  }
  await service.set(merchant, { instantSettlement: false })
}

/** Takes one step. A refusal is a valid answer; only a 500 is a fault of ours. */
export async function playOut(service: LiveService, step: StepOut, shops: readonly Payer[]): Promise<void> {
  switch (step.do) {
    case 'pass':
      return service.pass(step.ms)
    case 'sweep':
      await Promise.all(Array.from({ length: step.twice ? 2 : 1 }, () => sweep(service, step.name)))
      return
    case 'decide':
      for (const entry of [...service.operator.book.values()])
        service.operator[step.pays ? 'pays' : 'refuses'](entry.reference)
      return
    case 'subaccount':
      return switchSubaccount(service, shops[step.shop] as Payer, step.active)
    case 'withdraw':
      return command(withdraw(service, step, shops[step.shop] as Payer))
    case 'pay out': {
      const { merchantId, tag, subaccounts } = shops[step.shop] as Payer
      const wanted = { subaccountId: subaccounts[1] ?? '', amount: step.amount }
      return command(
        payOutSubaccount(service.app, BY_HAND, { holder: { merchantId, tag, mode: step.mode }, ...wanted }),
      )
    }
    default:
      return ask(service, step, shops[step.shop] as Payer)
  }
}

/** A sweep that finds no free connection on a busy machine is skipped: the next one does its work. */
export async function sweep(service: LiveService, name: string): Promise<number> {
  return service.run(name).catch((error) => {
    if (!(error instanceof DatabaseAway)) throw error
    return 0
  })
}

/** What a person does with a command. A refusal is a valid answer. */
async function command(work: Promise<unknown>): Promise<void> {
  await work.catch((error) => assert.ok(error instanceof Refusal || error instanceof DatabaseAway, error))
}

async function withdraw(
  { app }: LiveService,
  { amount, decision }: Extract<StepOut, { do: 'withdraw' }>,
  { merchantId }: Payer,
): Promise<void> {
  const { id } = await requestWithdrawal(app, BY_HAND, { merchantId, amount })
  if (decision !== null) await decideWithdrawal(app, BY_HAND, { merchantId, id, decision, note: null })
}

async function switchSubaccount(service: LiveService, shop: Payer, active: boolean): Promise<void> {
  const [id = ''] = shop.subaccounts
  await setSubaccountStatus(service.app, BY_HAND, {
    merchantId: shop.merchantId,
    id,
    status: active ? 'active' : 'inactive',
  })
}

async function ask(service: LiveService, step: Asked, shop: Payer): Promise<void> {
  const api = shop[step.mode]
  shop.asked += 1
  const key = { 'idempotency-key': `${shop.merchantId} ${step.mode} ${shop.asked}` }
  const replies = await requestsOf(service, step, { shop, api, key })
  for (const { status, text } of replies) assert.ok(status !== 500, text)
}

type Asking = { shop: Payer; api: Client; key: Record<string, string> }

async function requestsOf({ operator }: LiveService, step: Asked, { shop, api, key }: Asking) {
  const phone = step.mode === 'test' && 'fails' in step && step.fails ? FAILING : newPayer()
  switch (step.do) {
    case 'charge': {
      const split = step.shares.map((bps, index) => ({ subaccount: shop.subaccounts[index], bps }))
      const order = { amount: step.amount, customer: { phone }, ...(split.length > 0 ? { split } : {}) }
      return [await api.charge(order, key)]
    }
    case 'payout': {
      const body = { amount: step.amount, recipient: { phone } }
      if (step.mode === 'live') operator.onSubmit({ answer: step.how }, phone)
      return Promise.all([api.post('/v1/payouts', body, key), api.post('/v1/payouts', body, key)])
    }
    case 'bulk': {
      const payouts = step.items.map((item) => ({
        amount: item.amount,
        phone: `0700000${String(item.reference).padStart(3, '0')}`,
        reference: `rent-${item.reference}`,
      }))
      const send = (using: Record<string, string>) => api.post('/v1/payouts/bulk', { payouts }, using)
      return [await send(key), await send(step.again ? key : { 'idempotency-key': `${key['idempotency-key']} too` })]
    }
    case 'refund': {
      const { body } = await api.get('/v1/charges?status=succeeded')
      const path = `/v1/charges/${body.data[step.nth % body.data.length]?.id ?? 'txn_none'}/refund`
      return Promise.all(Array.from({ length: step.twice ? 2 : 1 }, () => api.post(path)))
    }
    case 'schedule': {
      const recipients = Array.from({ length: step.recipients }, () => ({ phone: newPayer() }))
      return [await api.post('/v1/scheduled-payouts', { amount: step.amount, interval: 'daily', recipients }, key)]
    }
    case 'change': {
      const { body } = await api.get('/v1/scheduled-payouts')
      return [await api.post(`/v1/scheduled-payouts/${body.data[0]?.id ?? 'spo_none'}/${step.what}`)]
    }
  }
}

/**
 * The balance that the shop is shown, and the balance that follows from the objects it is shown: the nets of paid charges, less
 * the amount and fee of every payout that did not fail, plus the fee of each charge whose refund was paid.
 */
export async function booksOf(api: Client, { subaccounts }: Payer): Promise<{ has: number; should: number }> {
  const [charges, payouts] = [await everyOne(api, '/v1/charges'), await everyOne(api, '/v1/payouts')]
  const charge = new Map(charges.map((one) => [one.id, one]))
  let should = 0
  for (const one of charges) if (one.status === 'succeeded' || one.status === 'refunded') should += one.net
  for (const one of payouts) {
    if (one.status !== 'failed') should -= one.amount + one.fee
    if (one.kind === 'refund' && one.status === 'succeeded') should += charge.get(one.charge_id).fee
  }
  const { body } = await api.get('/v1/balance')
  assert.equal(body.consistent, true)
  let has: number = body.balances[0].total
  for (const id of subaccounts) has += (await api.get(`/v1/subaccounts/${id}`)).body.balances[0].total
  return { has, should }
}

async function everyOne(api: Client, path: string): Promise<any[]> {
  const found: any[] = []
  for (let after = ''; ; ) {
    const { body } = await api.get(`${path}?limit=100${after}`)
    found.push(...body.data)
    if (!body.has_more) return found
    after = `&starting_after=${body.next_cursor}`
  }
}
