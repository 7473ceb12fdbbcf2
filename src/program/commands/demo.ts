import { serviceActor } from '../../api/access/actor.ts'
import { createMerchant } from '../../merchants/account/create-merchant.ts'
import { findAllMerchants } from '../../merchants/account/merchant.ts'
import { makeOwner } from '../../merchants/people/make-owner.ts'
import { randomText } from '../../platform/text/ids.ts'
import type { Gateway } from '../app.ts'

const DEMO_EMAIL = 'demo@shop.invalid'
// Without letters and digits that look alike.
const PASSWORD_ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789'
const newPassword = () => Array.from({ length: 4 }, () => randomText(PASSWORD_ALPHABET, 4)).join('-')

/**
 * Creates a demo merchant on the first start of an empty embedded database. Returns lines with a sign-in, its test key and a request to
 * paste; none on later starts.
 */
export async function makeDemoMerchant(gateway: Gateway, baseUrl: string): Promise<string[]> {
  const listing = findAllMerchants()
  const merchants = await Promise.all(gateway.cells.map((app) => app.db.query(listing.statement, listing.values)))
  if (merchants.flat().length > 0) return []
  const actor = serviceActor('demo merchant')
  const demo = await createMerchant(gateway, actor, {
    name: 'Demo Shop',
    email: DEMO_EMAIL,
    handle: 'demo',
    commandKey: 'demo merchant',
  })
  const password = newPassword()
  await makeOwner(gateway, actor, { merchant: demo.id, email: DEMO_EMAIL, name: 'Demo Owner', password })
  return [
    '',
    `Dashboard: ${baseUrl}/dashboard  (sign in as ${DEMO_EMAIL} with ${password})`,
    '',
    'Its webhooks are signed with a secret: on the dashboard under Developers, Webhooks, Show the secret; or make a new',
    'one with `npm run -s gateway -- webhooks rotate-secret demo`.',
    '',
    'A demo merchant was made. Its test key, shown this once:',
    '',
    `  ${demo.keys.test}`,
    '',
    'Collect UGX 1,000 from a sandbox phone:',
    '',
    `  curl -s ${baseUrl}/v1/charges \\`,
    `    -H 'Authorization: Bearer ${demo.keys.test}' \\`,
    '    -H "X-Timestamp: $(date +%s)" -H "Idempotency-Key: $(date +%s%N)" \\',
    `    -d '{"amount":1000,"channel":"op1_momo","customer":{"phone":"0700000000"},"reference":"hello-1"}'`,
    '',
    'Two seconds later the money is there:',
    '',
    `  curl -s ${baseUrl}/v1/balance -H 'Authorization: Bearer ${demo.keys.test}'`,
    '',
  ]
}
