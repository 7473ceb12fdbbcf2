// A merchant's program on the TypeScript client that openapi-typescript makes of docs/openapi.json. It prints what it was answered.
import { randomUUID } from 'node:crypto'
import createClient from 'openapi-fetch'
import type { paths } from './api.js'

const { GATEWAY_URL: baseUrl = '', GATEWAY_KEY: key = '', CHARGE_ID: id = '' } = process.env
const gateway = createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${key}` } })
const now = () => ({ 'X-Timestamp': Math.floor(Date.now() / 1000) })
const once = () => ({ ...now(), 'Idempotency-Key': randomUUID() })

const read = await gateway.GET('/v1/charges/{id}', { params: { path: { id } } })
let listed = 0
for (let after: string | undefined; ; ) {
  const query = { limit: 1, ...(after === undefined ? {} : { starting_after: after }) }
  const { data } = await gateway.GET('/v1/charges', { params: { query } })
  listed += data?.data.length ?? 0
  if (!data?.next_cursor) break
  after = data.next_cursor
}

// No optional field is given: one that were made mandatory would not compile.
const charge = await gateway.POST('/v1/charges', {
  params: { header: once() },
  body: { amount: 5000, channel: 'op1_momo', customer: { phone: '0700000000' } },
})
const payout = await gateway.POST('/v1/payouts', {
  params: { header: once() },
  body: { amount: 1000, recipient: { phone: '0700000000' } },
})
const bulk = await gateway.POST('/v1/payouts/bulk', {
  params: { header: once() },
  body: { payouts: [{ amount: 1000, phone: '0700000000', reference: 'wage-1' }] },
})
const csv = 'phone,amount,reference\n0700000000,1000,wage-2\n'
const file = await gateway.POST('/v1/payouts/bulk', {
  params: { header: once() },
  body: { file: csv },
  bodySerializer: () => {
    const form = new FormData()
    form.append('file', new Blob([csv], { type: 'text/csv' }), 'wages.csv')
    return form
  },
})
const refund = await gateway.POST('/v1/charges/{id}/refund', { params: { path: { id }, header: now() } })
const document = await gateway.GET('/v1/statements/{period}.pdf', {
  params: { path: { period: process.env.PERIOD ?? '' } },
  parseAs: 'arrayBuffer',
})

console.log(
  JSON.stringify({
    status: read.data?.status,
    listed,
    file: file.data?.accepted,
    repaid: refund.data?.refund?.status,
    charge: charge.data?.status,
    net: charge.data?.net,
    payout: payout.data?.status,
    bulk: bulk.data?.results[0]?.ok,
    refund: refund.data?.status,
    pdf: document.data !== undefined && Buffer.from(document.data as ArrayBuffer).toString('latin1', 0, 5),
  }),
)
