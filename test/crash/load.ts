import { setTimeout as sleep } from 'node:timers/promises'
import { drawVisit, visit } from './customers.ts'
import type { Merchant } from './installation.ts'
import { bulkOf, chargeOf, type Line, payoutOf, refundOf } from './requests.ts'
import { ask, HANG_MS, type State } from './sending.ts'

export type Load = {
  /** Ms from `since` (performance.now) until the answer of the first request that was sent after it and accepted. */
  goodAnswerAfter(since: number): Promise<number>
  stop(): Promise<void>
}
const MOST_UNDER_WAY = 400
const TICK_MS = 10

/** Starts an open loop over all requests that clients make. */
export function startLoad(state: State, { perSecond, live }: { perSecond: number; live: Merchant | null }): Load {
  const { goodListeners } = state
  const startedAt = performance.now()
  let fired = 0
  let underWay = 0
  const fire = () => {
    if (underWay >= MOST_UNDER_WAY) return
    underWay += 1
    oneOfTheLoad(state, live).finally(() => {
      underWay -= 1
    })
  }
  const timer = setInterval(() => {
    const due = ((performance.now() - startedAt) / 1000) * perSecond
    for (; fired < due; fired += 1) fire()
  }, TICK_MS)
  return {
    goodAnswerAfter: (since) =>
      new Promise((resolve) => {
        const listener = (sentAt: number) => {
          if (sentAt < since) return
          goodListeners.delete(listener)
          resolve(performance.now() - since)
        }
        goodListeners.add(listener)
      }),
    stop: async () => {
      clearInterval(timer)
      while (underWay > 0) await sleep(5)
    },
  }
}

/** Of a hundred: 42 charges, 16 payouts, 9 refunds, one bulk call, 14 visits to pages, 18 reads. */
function oneOfTheLoad(state: State, live: Merchant | null): Promise<void> {
  const { chance, installation, acknowledged } = state
  const merchant = chance.one(installation.merchants)
  const drawn = { chance, key: `${state.name}-${state.tally.sent + 1}`, mode: 'test' as const }
  const turn = chance.next()
  if (turn < 0.42) return ask(state, { merchant, mode: 'test' }, chargeOf(drawn))
  if (turn < 0.58) return ask(state, { merchant, mode: 'test' }, payoutOf(drawn))
  if (turn < 0.59) return bulkWithOldLines(state, merchant)
  if (turn < 0.73) return visit(state, drawVisit(state, live))
  if (turn >= 0.82) return read(state, merchant)
  if (chance.next() < 0.3) return refundOnLink(state, live)
  const known = acknowledged.length === 0 ? null : chance.one(acknowledged)
  if (known?.mode !== 'test' || known.path !== '/v1/charges') return read(state, merchant)
  return ask(state, known, refundOf(known.id))
}

/** A payment made on a page is refunded like any other, including its gift card. */
function refundOnLink(state: State, live: Merchant | null): Promise<void> {
  const known = state.paidOnLinks.length === 0 ? null : state.chance.one(state.paidOnLinks)
  if (known === null || (known.mode === 'live' && live === null)) return Promise.resolve()
  return ask(state, known, refundOf(known.id))
}

/** A client that does not know the outcome of its last bulk call sends some of its lines again under another key. */
function bulkWithOldLines(state: State, merchant: Merchant): Promise<void> {
  const { chance, lines, name, tally } = state
  const drawn = { chance, key: `${name}-${tally.sent + 1}`, mode: 'test' as const }
  const again = (lines.get(merchant) ?? []).slice(0, chance.whole(0, 3))
  const wanted = bulkOf(drawn, chance.whole(4, 20), again)
  lines.set(merchant, wanted.body.payouts as Line[])
  return ask(state, { merchant, mode: 'test' }, wanted)
}

async function read({ installation, chance, acknowledged, tally }: State, merchant: Merchant): Promise<void> {
  const known = acknowledged.length === 0 || chance.next() < 0.5 ? null : chance.one(acknowledged)
  const path = known === null ? '/v1/balance' : `${known.path}/${known.id}`
  const apiKey = known === null ? merchant.keys.test : known.merchant.keys[known.mode]
  const signal = AbortSignal.timeout(HANG_MS)
  const headers = { authorization: `Bearer ${apiKey}` }
  const response = await fetch(`${installation.url}${path}`, { headers, signal }).catch(() => null)
  await response?.arrayBuffer().catch(() => null)
  if (response && response.status !== 200 && response.status !== 503)
    tally.unexpected.push(`GET ${path}: ${response.status}`)
}
