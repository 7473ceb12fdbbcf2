import { setTimeout as sleep } from 'node:timers/promises'
import type { Chance } from './chance.ts'
import type { Installation, Merchant } from './installation.ts'
import type { Journal, KeyedRequest } from './journal.ts'

/** What the clients saw. A key counts once, however often it was sent. */
export type Tally = {
  sent: number
  acknowledged: number
  refused: number
  /** Keys that got no answer at first and one later, when repeated. */
  unansweredThenResolved: number
  /** Answers that no fault excuses: 500, 404 for what was acknowledged, silence. */
  unexpected: string[]
}
export type Load = {
  /** Ms from `since` (performance.now) until the answer of the first request that was sent after it and accepted. */
  goodAnswerAfter(since: number): Promise<number>
  stop(): Promise<void>
}
export type Clients = {
  tally: Tally
  /** Sends one new charge; without an answer its key stays open. */
  charge(merchant: Merchant, mode?: 'test' | 'live'): Promise<void>
  /** Charges and reads at a steady rate, whatever becomes of them (an open loop). */
  load(perSecond: number): Load
  /** Repeats every key without an answer until it has one. Throws when that takes longer than `withinMs`. */
  repeatUnanswered(withinMs: number): Promise<void>
}
type Sending = { request: KeyedRequest; merchant: Merchant }
type Reply = { status: number; body: string; replayed: boolean }

/** Ends by the rule of the sandbox: these fail, every other number pays. */
export const FAILING_PHONES = ['0700000001', '0700000002', '0700000003']

const HANG_MS = 10_000
const MOST_UNDER_WAY = 400
const TICK_MS = 10
const REPEATED_AT_ONCE = 50

type Parts = {
  installation: Installation
  journal: Journal
  chance: Chance
  /** Tells the keys of two groups of clients on one installation apart. */
  name: string
}
/** What all clients know together. */
type State = Parts & {
  tally: Tally
  /** Sent and not answered. */
  open: Map<string, Sending>
  missedOnce: Set<string>
  acknowledged: { id: string; merchant: Merchant; mode: 'test' | 'live' }[]
  goodListeners: Set<(sentAt: number) => void>
}

export function makeClients(parts: Parts): Clients {
  const tally: Tally = { sent: 0, acknowledged: 0, refused: 0, unansweredThenResolved: 0, unexpected: [] }
  const state: State = {
    ...parts,
    tally,
    open: new Map(),
    missedOnce: new Set(),
    acknowledged: [],
    goodListeners: new Set(),
  }
  return {
    tally,
    charge: (merchant, mode = 'test') => charge(state, merchant, mode),
    load: (perSecond) => load(state, perSecond),
    repeatUnanswered: (withinMs) => repeatUnanswered(state, withinMs),
  }
}

function newCharge({ tally, chance, name }: State, merchant: Merchant, mode: 'test' | 'live'): Sending {
  tally.sent += 1
  const key = `${name}-${tally.sent}`
  const fails = mode === 'test' && chance.next() < 0.15
  const phone = fails ? chance.one(FAILING_PHONES) : `07${chance.whole(10_000_000, 69_999_999)}`
  const amount = chance.next() < 0.03 ? 0 : chance.whole(500, 50_000)
  const body = { amount, channel: 'op1_momo', customer: { phone }, reference: key }
  return { request: { key, merchant: merchant.handle, mode, body }, merchant }
}

async function charge(state: State, merchant: Merchant, mode: 'test' | 'live'): Promise<void> {
  const sending = newCharge(state, merchant, mode)
  state.open.set(sending.request.key, sending)
  state.journal.sending(sending.request)
  // Some clients are impatient and send the same twice at once.
  const times = state.chance.next() < 0.05 ? 2 : 1
  await Promise.all(Array.from({ length: times }, () => send(state, sending)))
}

async function send(state: State, sending: Sending): Promise<void> {
  const { request } = sending
  const { tally, missedOnce } = state
  const sentAt = performance.now()
  const reply = await post(state.installation, sending).catch((error: Error) => {
    if (error.name === 'TimeoutError') tally.unexpected.push(`${request.key}: no answer in ${HANG_MS} ms`)
    return null
  })
  if (reply !== null && isConclusive(reply)) return note(state, sending, { reply, sentAt })
  if (reply?.status === 500) tally.unexpected.push(`${request.key}: 500 ${reply.body}`)
  missedOnce.add(request.key)
}

function note(
  state: State,
  { request, merchant }: Sending,
  { reply, sentAt }: { reply: Reply; sentAt: number },
) {
  const { tally, open, missedOnce, acknowledged, goodListeners } = state
  state.journal.answered({ key: request.key, ...reply })
  if (!open.delete(request.key)) return
  if (missedOnce.has(request.key)) tally.unansweredThenResolved += 1
  if (reply.status >= 300) {
    tally.refused += 1
    return
  }
  tally.acknowledged += 1
  acknowledged.push({ id: JSON.parse(reply.body).id, merchant, mode: request.mode })
  for (const listener of goodListeners) listener(sentAt)
}

async function read({ installation, chance, acknowledged, tally }: State, merchant: Merchant): Promise<void> {
  const known = acknowledged.length === 0 || chance.next() < 0.5 ? null : chance.one(acknowledged)
  const path = known === null ? '/v1/balance' : `/v1/charges/${known.id}`
  const apiKey = known === null ? merchant.keys.test : known.merchant.keys[known.mode]
  const signal = AbortSignal.timeout(HANG_MS)
  const headers = { authorization: `Bearer ${apiKey}` }
  const response = await fetch(`${installation.url}${path}`, { headers, signal }).catch(() => null)
  await response?.arrayBuffer().catch(() => null)
  if (response && response.status !== 200 && response.status !== 503)
    tally.unexpected.push(`GET ${path}: ${response.status}`)
}

function load(state: State, perSecond: number): Load {
  const { installation, chance, goodListeners } = state
  const startedAt = performance.now()
  let fired = 0
  let underWay = 0
  const fire = () => {
    if (underWay >= MOST_UNDER_WAY) return
    underWay += 1
    const merchant = chance.one(installation.merchants)
    const work = chance.next() < 0.8 ? charge(state, merchant, 'test') : read(state, merchant)
    work.finally(() => {
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

async function repeatUnanswered(state: State, withinMs: number): Promise<void> {
  const { open } = state
  const giveUpAt = performance.now() + withinMs
  while (open.size > 0) {
    await Promise.all([...open.values()].slice(0, REPEATED_AT_ONCE).map((sending) => send(state, sending)))
    if (open.size === 0) return
    if (performance.now() > giveUpAt)
      throw new Error(`still no answer to ${[...open.keys()].slice(0, 10).join(', ')}`)
    await sleep(20)
  }
}

async function post(installation: Installation, { request, merchant }: Sending): Promise<Reply> {
  const response = await fetch(`${installation.url}/v1/charges`, {
    method: 'POST',
    signal: AbortSignal.timeout(HANG_MS),
    headers: {
      authorization: `Bearer ${merchant.keys[request.mode]}`,
      'content-type': 'application/json',
      'x-timestamp': String(Math.floor(installation.clock.nowMs() / 1000)),
      'idempotency-key': request.key,
    },
    body: JSON.stringify(request.body),
  })
  const replayed = response.headers.get('idempotent-replayed') === 'true'
  return { status: response.status, body: await response.text(), replayed }
}

/** An answer that ends the client's waiting: created, or refused for a reason that stays. */
function isConclusive({ status, body }: Reply): boolean {
  if (status === 409) return !body.includes('still in flight')
  return status < 500 && status !== 429
}
