import { service } from '../actors/actor.ts'
import type { Gateway } from '../app.ts'
import { createMerchant } from '../merchants/create-merchant.ts'
import { allMerchants } from '../merchants/merchant.ts'

/**
 * On the first start of an empty embedded database: creates a demo merchant and answers its test key and a request to
 * paste. Otherwise nothing.
 */
export async function makeDemoMerchant(gateway: Gateway, baseUrl: string): Promise<string[]> {
  const wanted = allMerchants()
  const merchants = await Promise.all(
    gateway.cells.map((app) => app.db.query(wanted.statement, wanted.values)),
  )
  if (merchants.flat().length > 0) return []
  const demo = await createMerchant(gateway, service('demo merchant'), {
    name: 'Demo Shop',
    email: 'demo@shop.invalid',
    handle: 'demo',
    commandKey: 'demo merchant',
  })
  return [
    '',
    'A demo merchant was made. Its test key, shown this once:',
    '',
    `  ${demo.keys.test}`,
    '',
    'Collect UGX 5,000 from a sandbox phone:',
    '',
    `  curl -s ${baseUrl}/v1/charges \\`,
    `    -H 'Authorization: Bearer ${demo.keys.test}' \\`,
    '    -H "X-Timestamp: $(date +%s)" -H "Idempotency-Key: $(date +%s%N)" \\',
    `    -d '{"amount":5000,"channel":"op1_momo","customer":{"phone":"0700000000"},"reference":"order-1"}'`,
    '',
    'Two seconds later the money is there:',
    '',
    `  curl -s ${baseUrl}/v1/balance -H 'Authorization: Bearer ${demo.keys.test}'`,
    '',
  ]
}
