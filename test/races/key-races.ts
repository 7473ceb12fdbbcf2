import { setTimeout as sleep } from 'node:timers/promises'
import {
  CHARGE,
  countKinds,
  type Fleet,
  isTooBusy,
  newKey,
  post,
  postUntilJudged,
  type Race,
  type Reply,
  webOf,
} from './fleet.ts'

const AT_ONCE = 1000

/** Race 1: many requests, one key, one body: one charge; the others get "in flight" or the same answer. */
export const oneKeyOneBody: Race = {
  name: '1  one key, one body, 1,000 at once',
  async run(fleet) {
    const key = newKey('one-body')
    const body = { ...CHARGE, reference: key }
    const apiKey = fleet.merchants.shop.keys.test
    const replies = await Promise.all(
      Array.from({ length: AT_ONCE }, (_, nth) => post(fleet, webOf(fleet, nth), { apiKey, key, body })),
    )
    const wrong = [...wrongForKey(replies), ...(await rowsOf(fleet, key, 1))]
    return { wrong, seen: countKinds(replies) }
  },
}

/** Race 2: the same with two bodies: one is executed, and requests with the other are always refused. */
export const oneKeyTwoBodies: Race = {
  name: '2  one key, two bodies, 1,000 at once',
  async run(fleet) {
    const key = newKey('two-bodies')
    const apiKey = fleet.merchants.shop.keys.test
    const bodies = [5000, 7000].map((amount) => ({ ...CHARGE, amount, reference: key }))
    const sent = Array.from({ length: AT_ONCE }, (_, nth) => ({ nth, body: bodies[nth % 2] as object }))
    const replies = await Promise.all(
      sent.map(({ nth, body }) => post(fleet, webOf(fleet, nth), { apiKey, key, body })),
    )
    const byBody = [0, 1].map((body) => replies.filter((_, nth) => nth % 2 === body))
    const executed = byBody.filter((own) => own.some(({ status }) => status === 201))
    const wrong = [...wrongForKey(replies), ...(await rowsOf(fleet, key, 1))]
    if (executed.length !== 1) wrong.push(`${executed.length} bodies were executed`)
    return { wrong, seen: countKinds(replies) }
  },
}

/** Race 9: one key in test and live mode, and at two merchants: three independent charges. */
export const oneKeyManyOwners: Race = {
  name: '9  one key in test and live, and at two merchants',
  async run(fleet) {
    const key = newKey('owners')
    const { shop, other } = fleet.merchants
    const owners = [shop.keys.test, shop.keys.live, other.keys.test]
    const replies = await Promise.all(
      Array.from({ length: 90 }, (_, nth) => {
        const apiKey = owners[nth % 3] as string
        // Each owner sends to each process.
        const url = webOf(fleet, Math.floor(nth / 3))
        return post(fleet, url, { apiKey, key, body: { ...CHARGE, reference: key } })
      }),
    )
    const wrong = owners.flatMap((_, owner) => wrongForKey(replies.filter((__, nth) => nth % 3 === owner)))
    wrong.push(...(await rowsOf(fleet, key, 3)))
    return { wrong, seen: countKinds(replies) }
  },
}

const REPLAYS = 300

/** Many requests repeat a finished key: each gets the same answer again, however many run at once (M13). */
export const finishedKeyReplayed: Race = {
  name: `M13 ${REPLAYS} replays of a finished key at once`,
  async run(fleet) {
    const key = newKey('finished')
    const request = { apiKey: fleet.merchants.shop.keys.test, key, body: { ...CHARGE, reference: key } }
    const first = await postUntilJudged(fleet, webOf(fleet, 0), request)
    const replies = await Promise.all(
      Array.from({ length: REPLAYS }, (_, nth) => postUntilJudged(fleet, webOf(fleet, nth), request)),
    )
    const same = replies.filter(({ status, replayed, text }) => status === 201 && replayed && text === first.text)
    const wrong = first.status === 201 ? await rowsOf(fleet, key, 1) : [`the first: ${first.status} ${first.text}`]
    if (same.length !== REPLAYS) wrong.push(`${REPLAYS - same.length} of ${REPLAYS} did not hear the answer`)
    return { wrong, seen: countKinds(replies) }
  },
}

const DEAD_WITHIN_MS = 1000

/** Race 15: a key is rotated under load: a second later every process refuses the old key, and all accept the new one. */
export const keyRevoked: Race = {
  name: '15 a key is revoked under load',
  async run(fleet) {
    const { shop } = fleet.merchants
    const apiKey = shop.keys.test
    let loading = true
    const loops = fleet.webs.map(async (url) => {
      const replies: Reply[] = []
      while (loading) replies.push(await post(fleet, url, { apiKey, key: newKey('revoked'), body: CHARGE }))
      return replies
    })
    const rotated = await fleet.installation.command(['keys', 'rotate', shop.handle, '--kind', 'test'])
    // The commit came before the command ended, so this gives the product slightly more than its one second.
    const revokedBy = performance.now()
    shop.keys.test = rotated.json.key
    const successor = await Promise.all(
      fleet.webs.map((url) => post(fleet, url, { apiKey: shop.keys.test, key: newKey('new'), body: CHARGE })),
    )
    await sleep(1.5 * DEAD_WITHIN_MS)
    loading = false
    const replies = (await Promise.all(loops)).flat()
    const late = replies.filter(({ status, sentAt }) => status < 300 && sentAt > revokedBy + DEAD_WITHIN_MS)
    const last = Math.max(...replies.filter(({ status }) => status === 201).map(({ sentAt }) => sentAt))
    const wrong = late.length === 0 ? [] : [`${late.length} requests with the old key passed a second later`]
    const strange = replies.filter((reply) => reply.status !== 201 && reply.status !== 401 && !isTooBusy(reply))
    if (strange.length > 0) wrong.push(countKinds(strange))
    if (successor.some(({ status }) => status !== 201)) wrong.push(`the new key: ${countKinds(successor)}`)
    return { wrong, seen: `${countKinds(replies)}; last accepted ${Math.round(last - revokedBy)} ms after` }
  },
}

/** One is executed; each of the others gets "in flight", the same bytes again, or a refusal because its body differs. */
export function wrongForKey(replies: readonly Reply[]): string[] {
  const created = replies.filter(({ status }) => status === 201)
  const first = created.filter(({ replayed }) => !replayed)
  const wrong: string[] = []
  if (first.length !== 1) wrong.push(`${first.length} answers say that they executed`)
  if (new Set(created.map(({ text }) => text)).size > 1) wrong.push('two different answers for one key')
  const strange = replies.filter((reply) => reply.status !== 201 && reply.status !== 409 && !isTooBusy(reply))
  if (strange.length > 0) wrong.push(`unexpected: ${countKinds(strange)} such as ${strange[0]?.text}`)
  return wrong
}

async function rowsOf(fleet: Fleet, reference: string, wanted: number): Promise<string[]> {
  const rows = await fleet.installation.sql('select id from charges where reference = $1', [reference])
  return rows.length === wanted ? [] : [`${rows.length} charges of the key, ${wanted} wanted`]
}
