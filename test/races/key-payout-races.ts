import { CHARGE, countKinds, newKey, post, type Race, webOf } from './fleet.ts'
import { wrongForKey } from './key-races.ts'
import { haveAtLeast, PAYOUT } from './money.ts'

const AT_ONCE = 300
const ENDPOINTS = ['/v1/charges', '/v1/payouts'] as const

/** Race 10: one key on charges and on payouts: one request is executed, and the others are told that the key is used. */
export const oneKeyTwoEndpoints: Race = {
  name: '10 one key on charges and payouts, 300 at once',
  async run(fleet) {
    const { payer } = fleet.merchants
    await haveAtLeast(fleet, payer, 100_000)
    const key = newKey('endpoints')
    const bodies = [CHARGE, PAYOUT].map((body) => ({ ...body, reference: key }))
    const replies = await Promise.all(
      Array.from({ length: AT_ONCE }, (_, nth) => {
        const request = { path: ENDPOINTS[nth % 2] as string, apiKey: payer.keys.test, key }
        // There are three processes and two endpoints: each endpoint is called on each process.
        return post(fleet, webOf(fleet, Math.floor(nth / 2)), { ...request, body: bodies[nth % 2] as object })
      }),
    )
    const executed = [0, 1].filter((own) => replies.some(({ status }, nth) => nth % 2 === own && status === 201))
    const made = await fleet.installation.sql(
      'select id from charges where reference = $1 union all select id from payouts where reference = $1',
      [key],
    )
    const wrong = wrongForKey(replies)
    if (executed.length !== 1) wrong.push(`${executed.length} endpoints executed one key`)
    if (made.length !== 1) wrong.push(`${made.length} objects of one key`)
    return { wrong, seen: `${ENDPOINTS[executed[0] ?? 0]} won; ${countKinds(replies)}` }
  },
}

/** Race 11: a collections-only key beside the full one, with the same idempotency key: it neither pays nor sees the answer. */
export const fullAndCollectionsKey: Race = {
  name: '11 full and collections key, one idempotency key, payouts',
  async run(fleet) {
    const { payer } = fleet.merchants
    await haveAtLeast(fleet, payer, 100_000)
    const key = newKey('scopes')
    const body = { ...PAYOUT, reference: key }
    const ask = (nth: number, apiKey: string) =>
      post(fleet, webOf(fleet, nth), { path: '/v1/payouts', apiKey, key, body })
    const [full, limited] = await Promise.all([
      Promise.all(Array.from({ length: AT_ONCE / 2 }, (_, nth) => ask(nth, payer.keys.test))),
      Promise.all(Array.from({ length: AT_ONCE / 2 }, (_, nth) => ask(nth, payer.keys.test_collections))),
    ])
    limited.push(await ask(0, payer.keys.test_collections))
    const made = await fleet.installation.sql('select id from payouts where reference = $1', [key])
    const wrong = wrongForKey(full)
    const passed = limited.filter(({ status, replayed }) => status !== 403 || replayed)
    if (passed.length > 0) wrong.push(`to the collections key: ${countKinds(passed)}`)
    if (made.length !== 1) wrong.push(`${made.length} payouts of one key`)
    return { wrong, seen: `full: ${countKinds(full)}; collections: ${countKinds(limited)}` }
  },
}
