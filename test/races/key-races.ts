import { setTimeout as sleep } from 'node:timers/promises'
import {
  CHARGE,
  countKinds,
  type Fleet,
  isTooBusy,
  newKey,
  post,
  type Race,
  type Reply,
  type Verdict,
  webOf,
} from './fleet.ts'

const AT_ONCE = 1000

/** Race 1: many requests, one key, one body: one charge; the others hear "in flight" or the same answer. */
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

/** Race 2: the same with two bodies: one is executed, the other is only ever refused. */
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

/** Race 9: one key in test and in live, and at two merchants: three charges that know nothing of each other. */
export const oneKeyManyOwners: Race = {
  name: '9  one key in test and live, and at two merchants',
  async run(fleet) {
    const key = newKey('owners')
    const { shop, other } = fleet.merchants
    const owners = [shop.keys.test, shop.keys.live, other.keys.test]
    const replies = await Promise.all(
      Array.from({ length: 90 }, (_, nth) => {
        const apiKey = owners[nth % 3] as string
        // Each owner asks each process.
        const url = webOf(fleet, Math.floor(nth / 3))
        return post(fleet, url, { apiKey, key, body: { ...CHARGE, reference: key } })
      }),
    )
    const wrong = owners.flatMap((_, owner) => wrongForKey(replies.filter((__, nth) => nth % 3 === owner)))
    wrong.push(...(await rowsOf(fleet, key, 3)))
    return { wrong, seen: countKinds(replies) }
  },
}

const LIMIT = 120
const ASKED = 300
const WINDOW_MS = 60_000

/** A limit of 120 a minute lets exactly 120 through, whichever process is asked; also before there is a row to lock. */
export const rateAcrossProcesses: Race = {
  name: '   rate limit of 120 over three processes, 300 asked',
  run: (fleet) =>
    fleet.withMore(
      Array(3).fill({ role: 'web', env: { RATE_LIMIT_CHARGES: String(LIMIT) } }),
      async (urls) => {
        const rounds: Verdict[] = []
        await fleet.installation.sql('delete from rate_windows')
        for (const state of ['no window yet', 'window a minute old']) {
          rounds.push(await askTooOften(fleet, urls, state))
          fleet.installation.advance(WINDOW_MS + 1000)
        }
        return {
          wrong: rounds.flatMap(({ wrong }) => wrong),
          seen: rounds.map(({ seen }) => seen).join('; '),
        }
      },
    ),
}

async function askTooOften(fleet: Fleet, urls: readonly string[], state: string): Promise<Verdict> {
  const apiKey = fleet.merchants.other.keys.test
  const replies = await Promise.all(
    Array.from({ length: ASKED }, (_, nth) =>
      post(fleet, urls[nth % urls.length] as string, { apiKey, key: newKey('rate'), body: CHARGE }),
    ),
  )
  const accepted = replies.filter(({ status }) => status === 201).length
  const wrong = accepted === LIMIT ? [] : [`${state}: ${accepted} accepted, the limit is ${LIMIT}`]
  const mute = replies.filter(({ status, retryAfter }) => status === 429 && retryAfter === null).length
  if (mute > 0) wrong.push(`${state}: ${mute} answers 429 without Retry-After`)
  const strange = replies.filter((reply) => reply.status !== 201 && reply.status !== 429 && !isTooBusy(reply))
  if (strange.length > 0) wrong.push(`${state}: ${countKinds(strange)}`)
  return { wrong, seen: `${state}: ${countKinds(replies)}` }
}

const DEAD_WITHIN_MS = 1000

/** Race 15: a key is rotated under load: a second later it opens nothing in any process, and the new one opens all. */
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
    // The commit came before the command ended, so this allows the product a little more than its second.
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
    const strange = replies.filter(
      (reply) => reply.status !== 201 && reply.status !== 401 && !isTooBusy(reply),
    )
    if (strange.length > 0) wrong.push(countKinds(strange))
    if (successor.some(({ status }) => status !== 201)) wrong.push(`the new key: ${countKinds(successor)}`)
    return { wrong, seen: `${countKinds(replies)}; last accepted ${Math.round(last - revokedBy)} ms after` }
  },
}

/** One executes; of the others each hears that it is under way, or the same bytes again, or that its body differs. */
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
