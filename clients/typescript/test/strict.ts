// A merchant's program in TypeScript, as strict as the compiler can be. The test of the package compiles and runs it; it prints what it was answered.
import { type ChargeStatus, Gateway, GatewayError, type GatewayEvent, SignatureError } from 'mobile-money-gateway'

declare const process: { env: Record<string, string | undefined> }

const gateway = new Gateway({ apiKey: process.env.GATEWAY_KEY, baseUrl: process.env.GATEWAY_URL })

/** Names of events tell their data apart. */
function amountOf(event: GatewayEvent): number | null {
  switch (event.event) {
    case 'charge.succeeded':
      return event.data.amount
    case 'payout.failed':
      return event.data.fee
    case 'test.ping':
      // @ts-expect-error: nobody has paid anything
      return event.data.amount
    default:
      return null
  }
}

// @ts-expect-error: a charge has a customer
const wrong = gateway.charges.create({ amount: 5000, channel: 'op1_momo' }).catch((error: unknown) => error)
const refused = await wrong
const field: string | undefined = refused instanceof GatewayError ? refused.field : 'none'

await gateway.test.addFunds({ amount: 100_000 })
const charge = await gateway.charges.create(
  { amount: 5000, channel: 'op1_momo', customer: { phone: '0700000000' }, reference: 'order-1' },
  { idempotencyKey: 'order-1', timeoutMs: 20_000 },
)
const status: ChargeStatus = (await gateway.charges.waitFor(charge, { timeoutMs: 60_000 })).status
const refund = await gateway.refunds.create({ charge: charge.id })
const bulk = await gateway.payouts.createBulk({ payouts: [{ amount: 1000, recipient: { phone: '0700000000' } }] })

let listed = 0
for await (const payout of gateway.payouts.list({ limit: 1 })) listed += payout.amount
const page = await gateway.charges.list({ status: ['refunded'] })

const seen: (number | null)[] = []
for await (const { event, cursor } of gateway.webhooks.events(null, {
  event: ['charge.succeeded', 'charge.refunded'],
})) {
  seen.push(amountOf(event), Number(cursor) > 0 ? 1 : 0)
  break
}

const headers = { 'webhook-id': 'evt_1', 'webhook-timestamp': '1', 'webhook-signature': 'v1,AAAA' }
const verified = await gateway.webhooks
  .verify('{}', headers, { secret: 'whsec_c2VjcmV0' })
  .catch((error: unknown) => error)
const reason = verified instanceof SignatureError ? verified.reason : 'none'

console.log(
  JSON.stringify({
    field,
    status,
    refund: refund.refund?.amount,
    bulk: bulk.accepted,
    listed,
    page: page.data.length,
    seen,
    reason,
    replayed: charge.lastResponse.replayed,
  }),
)
