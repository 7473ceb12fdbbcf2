// A merchant's program on the TypeScript client that hey-api makes of docs/openapi.json. It prints what it was answered.
import { randomUUID } from 'node:crypto'
import { formDataBodySerializer } from './made/client/index.js'
import { client } from './made/client.gen.js'
import { createBulkPayout, getCharge, listCharges, refundCharge } from './made/sdk.gen.js'

const { GATEWAY_URL: baseUrl = '', GATEWAY_KEY: key = '', CHARGE_ID: id = '' } = process.env
client.setConfig({ baseUrl, auth: key, throwOnError: true })
const now = () => ({ 'X-Timestamp': Math.floor(Date.now() / 1000) })

const read = await getCharge({ path: { id }, throwOnError: true })
let listed = 0
for (let after: string | undefined; ; ) {
  const query = { limit: 1, ...(after === undefined ? {} : { starting_after: after }) }
  const { data: page } = await listCharges({ query, throwOnError: true })
  listed += page.data.length
  if (page.next_cursor === null) break
  after = page.next_cursor
}
const csv = new File(['phone,amount,reference\n0700000000,1000,wage-2\n'], 'wages.csv', { type: 'text/csv' })
const bulk = await createBulkPayout({
  // The generator knows the first of the bodies that are described, which is JSON: a form names its own type, with its boundary.
  body: { file: csv } as never,
  headers: { ...now(), 'Idempotency-Key': randomUUID(), 'Content-Type': null } as never,
  throwOnError: true,
  ...formDataBodySerializer,
})
const refund = await refundCharge({ path: { id }, headers: now(), throwOnError: true })

console.log(
  JSON.stringify({
    status: read.data.status,
    listed,
    bulk: bulk.data.accepted,
    refund: refund.data.refund?.status,
    amount: refund.data.refund?.amount,
  }),
)
