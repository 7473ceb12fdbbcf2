import { countKinds, type Fleet, newKey, postUntilJudged, type Race, webOf } from './fleet.ts'
import { availableOf, haveExactly, SMALLEST_FEE } from './money.ts'

type Line = { amount: number; phone: string; reference: string }
type Result = {
  index: number
  ok: boolean
  id?: string
  reference: string
  retryable: boolean
  error?: string
}

const AMOUNT = 1000
const COST = AMOUNT + SMALLEST_FEE

const linesOf = (name: string, count: number): Line[] =>
  Array.from({ length: count }, (_, nth) => ({
    amount: AMOUNT,
    phone: '0700000000',
    reference: `${name}/${nth}`,
  }))

const send = (fleet: Fleet, nth: number, { key, payouts }: { key: string; payouts: readonly Line[] }) =>
  postUntilJudged(fleet, webOf(fleet, nth), {
    path: '/v1/payouts/bulk',
    apiKey: fleet.merchants.payer.keys.test,
    key,
    body: { payouts },
  })

const resultsOf = ({ text }: { text: string }): Result[] => JSON.parse(text).results ?? []

async function payoutsOf({ installation }: Fleet, name: string): Promise<{ reference: string }[]> {
  return installation.sql('select reference from payouts where reference like $1', [`${name}/%`])
}

const SHARED = 300

/** Race 7: two bulk calls with the same references from opposite ends: each reference is paid once, by one or the other. */
export const bulksWithSameReferences: Race = {
  name: '7  two bulks, the same 300 references, opposite order',
  async run(fleet) {
    const { payer } = fleet.merchants
    await haveExactly(fleet, payer, 2 * SHARED * COST)
    const name = newKey('shared')
    const lines = linesOf(name, SHARED)
    const calls = [lines, [...lines].reverse()].map((payouts) => ({ key: newKey('bulk'), payouts }))
    const replies = await Promise.all(calls.map((call, nth) => send(fleet, nth, call)))
    const again = await send(fleet, 2, { key: newKey('bulk'), payouts: lines })
    const paid = await payoutsOf(fleet, name)
    const left = await availableOf(fleet, payer)
    const wrong: string[] = []
    if ([...replies, again].some(({ status }) => status !== 200)) wrong.push(countKinds([...replies, again]))
    const results = replies.flatMap(resultsOf)
    const strange = results.filter(({ ok, retryable }) => !ok && !retryable)
    if (strange.length > 0) wrong.push(`${strange.length} items failed, such as ${strange[0]?.error}`)
    if (paid.length !== SHARED || new Set(paid.map(({ reference }) => reference)).size !== SHARED)
      wrong.push(`${paid.length} payouts of ${SHARED} references`)
    if (left !== SHARED * COST) wrong.push(`${left} is left, not ${SHARED * COST}`)
    const repaid = resultsOf(again).filter(({ ok }) => ok).length
    if (repaid !== SHARED) wrong.push(`a third call finds ${repaid} of ${SHARED} paid`)
    const ok = results.filter((result) => result.ok).length
    return { wrong, seen: `${paid.length} paid; ${ok} items ok and ${results.length - ok} in flight` }
  },
}

const ITEMS = 1000
const FUNDED = 617

/** Race 8: a bulk call with money for only some of its items, sent three times at once: the first items are paid, in order. */
export const bulkWithMoneyForSome: Race = {
  name: '8  bulk of 1,000 with money for 617, one key, three at once',
  async run(fleet) {
    const { payer } = fleet.merchants
    await haveExactly(fleet, payer, FUNDED * COST)
    const name = newKey('funded')
    const call = { key: newKey('bulk'), payouts: linesOf(name, ITEMS) }
    const replies = await Promise.all([0, 1, 2].map((nth) => send(fleet, nth, call)))
    const answered = replies.filter(({ status }) => status === 200)
    const paid = await payoutsOf(fleet, name)
    const left = await availableOf(fleet, payer)
    const wrong: string[] = []
    if (answered.length === 0) wrong.push('nobody was answered')
    if (answered.filter(({ replayed }) => !replayed).length > 1) wrong.push('two answers say that they executed')
    if (replies.some(({ status }) => status !== 200 && status !== 409)) wrong.push(countKinds(replies))
    for (const reply of answered) wrong.push(...wrongOrder(resultsOf(reply)))
    if (paid.length !== FUNDED) wrong.push(`${paid.length} payouts, ${FUNDED} are funded`)
    if (left !== 0) wrong.push(`${left} is left`)
    return { wrong, seen: `${countKinds(replies)}; ${paid.length} paid, ${left} left` }
  },
}

/** Items are accepted in index order up to the last that could be paid, and none after it. */
function wrongOrder(results: readonly Result[]): string[] {
  const wrong = results.filter(({ index, ok }, nth) => index !== nth || ok !== index < FUNDED)
  if (results.length !== ITEMS) return [`${results.length} results for ${ITEMS} items`]
  return wrong.length === 0 ? [] : [`${wrong.length} results out of order, the first at ${wrong[0]?.index}`]
}
