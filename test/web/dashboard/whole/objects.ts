import assert from 'node:assert/strict'
import { getMerchantNamed } from '../../../../src/merchants/account/set-merchant.ts'
import { newId, newTag } from '../../../../src/platform/text/ids.ts'
import { openDispute } from '../../../../src/selling/disputes/open-dispute.ts'
import type { Receiver } from '../../../fakes/receiver.ts'
import { CUSTOMER } from '../../../helpers/service/actors.ts'
import { type LiveService, newPayer, type Shop } from '../../../helpers/service/live-service.ts'
import type { Client } from '../../../helpers/service/test-service.ts'
import { dispensingOrder, failedOrder, makeOrder, registerMachines } from '../../../helpers/vending/vending.ts'
import { signedInAs } from '../../../helpers/web/dashboard.ts'
import { deliverAll, endedCharge } from '../../../helpers/web/webhooks.ts'
import { makeInvoice } from '../invoices/making.ts'

/** What a merchant and its customers write into everything that has room for a text. */
export type Words = { name: string; note: string; reference: string }
/** Ids by the part of an address before them: `/charges` and the id of a charge. */
export type Ids = Record<string, string>

const made = async (api: Client, path: string, body: object): Promise<any> => {
  const reply = await api.post(path, body)
  assert.ok(reply.status < 300, `${path}: ${reply.text}`)
  return reply.body
}

/** Objects of test mode, as they come over the API and from customers: charges with every end, payouts, links, orders, deliveries. */
export async function makeTestObjects(
  service: LiveService,
  { merchant, test: api }: Shop,
  { receiver, words }: { receiver: Receiver; words: Words },
): Promise<Ids> {
  const { name, note, reference } = words
  const subaccount = await made(api, '/v1/subaccounts', {
    name,
    payout_phone: '0700000000',
    external_ref: reference,
  })
  for (const phone of ['0700000001', '0700000003']) await api.charge({ amount: 90_000, customer: { phone } })
  const split = await api.charge({ amount: 40_000, split: [{ subaccount: subaccount.id, amount: 20_000 }] })
  assert.equal(split.status, 201, split.text)
  const paid = await made(api, '/v1/charges', {
    ...{ amount: 60_000, channel: 'op1_momo', reference },
    customer: { phone: '0700000000', email: 'ann@buyer.example' },
  })
  const payer = newPayer()
  const refunded = await made(api, '/v1/charges', { amount: 5000, channel: 'op1_momo', customer: { phone: payer } })
  service.pass(2000)
  await service.run('follow-charges')
  await made(api, `/v1/charges/${refunded.id}/refund`, {})
  const payout = await made(api, '/v1/payouts', {
    amount: 1000,
    recipient: { phone: '0700000000', name },
    reference,
  })
  const batch = await made(api, '/v1/payouts/bulk', {
    payouts: [
      { amount: 1000, phone: '0700000000', reference, name },
      { amount: 'x', phone: '0700000000', reference: 'b' },
    ],
  })
  const schedule = await made(api, '/v1/scheduled-payouts', {
    ...{ name, amount: 1000, interval: 'daily', recipients: [{ phone: '0700000000', name }] },
  })
  const link = await made(api, '/v1/payment-links', { amount: 12_000, description: note, reference })
  const delivery = await failingDelivery(service, { api, receiver, merchant, note })
  await made(api, '/v1/charges', {
    amount: 7000,
    channel: 'op1_momo',
    customer: { phone: newPayer() },
    reference,
  })
  const dispute = await disputeOn(service, { merchant, chargeId: paid.id, words })
  const orders = await makeOrders(service, { api, merchant, words })
  await api.charge({ amount: 200 })
  await api.get(`/v1/charges/txn_none?reference=${encodeURIComponent(name)}`)
  await service.gateway.requests.flush()
  return {
    ...{
      '/ask': paid.id,
      '/ask/qr': link.id,
      '/charges': paid.id,
      '/payouts': payout.id,
      '/bulk': batch.batch_id,
      '/payroll': schedule.id,
    },
    ...{
      '/subaccounts': subaccount.id,
      '/links': link.id,
      '/customers': payer,
      '/invoices': await invoiceOf(service, { merchant, words }),
      '/disputes': dispute,
      '/developers/webhooks': delivery,
      '/developers/webhook-addresses': (await made(api, '/v1/webhook-addresses', { url: `${receiver.url}/books` })).id,
    },
    ...orders,
    '/developers/requests': await requestOf(service, merchant.id),
  }
}

/** An invoice with words of others in every field. */
async function invoiceOf(
  service: LiveService,
  { merchant, words: { name, note, reference } }: { merchant: Shop['merchant']; words: Words },
): Promise<string> {
  const cashier = await signedInAs(service, merchant, { role: 'cashier' })
  const cut = (text: string, most: number) => text.replaceAll('\n', ' ').slice(0, most)
  return makeInvoice(cashier, '/dashboard/test/invoices', {
    ...{ name: cut(name, 100), email: 'ann@buyer.example', note: cut(note, 500), reminds: 'yes' },
    description_2: cut(reference, 120),
  })
}

/** An event that could not be delivered, and another one that was. */
async function failingDelivery(
  service: LiveService,
  { api, receiver, merchant, note }: { api: Client; receiver: Receiver; merchant: Shop['merchant']; note: string },
): Promise<string> {
  await service.set(merchant, { webhookUrl: receiver.url })
  receiver.behave((response) => void response.writeHead(500).end(note))
  const { eventId } = await endedCharge(service, api)
  await deliverAll(service)
  receiver.behave((response) => void response.writeHead(200).end(note))
  await endedCharge(service, api)
  await deliverAll(service)
  return eventId
}

async function disputeOn(
  service: LiveService,
  { merchant, chargeId, words }: { merchant: Shop['merchant']; chargeId: string; words: Words },
): Promise<string> {
  const { id: merchantId } = (await getMerchantNamed(service.gateway, merchant.id)).merchant
  const report = { reason: 'not_delivered' as const, details: words.note, contact: words.name }
  await openDispute(service.app, CUSTOMER, { merchantId, chargeId, report })
  const [found] = await service.rows<{ id: string }>('select id from disputes where charge_id = $1', [chargeId])
  assert.ok(found)
  return found.id
}

/** Machines, an order that waits, one that was delivered, one that jammed, one that failed, and one that nobody has paid. */
async function makeOrders(
  service: LiveService,
  { api, merchant, words: { name, reference } }: { api: Client; merchant: Shop['merchant']; words: Words },
): Promise<Ids> {
  await service.set(merchant, { vendingEnabled: true })
  const { id: merchantId } = (await getMerchantNamed(service.gateway, merchant.id)).merchant
  await registerMachines(service, merchantId)
  await service.rows('update machines set name = $2, address = $3 where merchant_id = $1', [merchantId, name, name])
  const goods = [{ spbh: '1', spmc: name.slice(0, 60), spdj: 1000 }]
  const shop = { api, merchant }
  await failedOrder(service, shop, { goods, reference })
  for (const machine of ['M-OK', 'M-JAM']) await dispensingOrder(service, shop, { machine, goods, reference: machine })
  service.pass(2000)
  await service.run('dispense')
  const waiting = await dispensingOrder(service, shop, { goods })
  await makeOrder(shop, { goods, reference: 'unpaid' })
  return { '/orders': waiting.order_id, '/vending/machines': 'M-1' }
}

async function requestOf(service: LiveService, merchantId: string): Promise<string> {
  const [request] = await service.rows<{ id: string }>(
    `select r.id::text from request_log r join merchants m on m.id = r.merchant_id
     where m.public_id = $1 and r.status = 400 order by r.id desc limit 1`,
    [merchantId],
  )
  assert.ok(request)
  return BigInt(request.id).toString(36)
}

/** Second factors and links are planted: what they open is tested where they are made. */
export async function plantFactor(service: LiveService, personId: number, name: string): Promise<string> {
  const id = newId('fac_', newTag())
  await service.rows(
    `insert into factors (id, person_id, kind, name, credential_id, public_key, counter, transports, created_at, confirmed_at)
     values ($1, $2, 'passkey', $3, $1, '\\x00', 0, '{internal}', $4, $4)`,
    [id, personId, name.slice(0, 60), service.clock.now().toISOString()],
  )
  return id
}
