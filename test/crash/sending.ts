import { setTimeout as sleep } from 'node:timers/promises'
import type { Mode } from '../../src/platform/mode.ts'
import type { Chance } from './chance.ts'
import { chargeIn, sendForm } from './forms.ts'
import type { Installation, Merchant } from './installation.ts'
import type { Journal, KeyedRequest, What } from './journal.ts'
import { post } from './post.ts'
import type { Line, Wanted } from './requests.ts'

/** What the clients saw. Each key counts once, however often it was sent. */
export type Tally = {
  sent: number
  sentOf: Record<What, number>
  acknowledged: number
  refused: number
  /** Keys that got no answer at first, but did when repeated. */
  unansweredThenResolved: number
  /** Answers that no fault excuses: 500, 404 for something acknowledged, no answer. */
  unexpected: string[]
}
export type Parts = {
  installation: Installation
  journal: Journal
  chance: Chance
  /** Distinguishes the keys of two groups of clients on one installation. */
  name: string
}
/** What all clients know. */
export type State = Parts & {
  tally: Tally
  /** Sent and not yet answered. */
  open: Map<string, Sending>
  missedOnce: Set<string>
  /** Charges and payouts that can be read. */
  acknowledged: { id: string; path: string; merchant: Merchant; mode: Mode }[]
  /** Lines of bulk calls that a later call may send again. */
  lines: Map<Merchant, Line[]>
  /** Charges that customers were redirected to on reusable links. */
  paidOnLinks: { id: string; merchant: Merchant; mode: Mode }[]
  /** Codes of live gift cards. */
  cards: readonly string[]
  goodListeners: Set<(sentAt: number) => void>
}

type Sending = { request: KeyedRequest; merchant: Merchant }
type Reply = { status: number; body: string; replayed: boolean }

// A client that waits this long for an answer has found a fault.
export const HANG_MS = 30_000
const REPEATED_AT_ONCE = 50

/** Sends one new request for this merchant, after writing it to the journal. */
export async function ask(
  state: State,
  { merchant, mode }: { merchant: Merchant; mode: Mode },
  wanted: Wanted,
): Promise<void> {
  state.tally.sent += 1
  state.tally.sentOf[wanted.what] += 1
  const key = `${state.name}-${state.tally.sent}`
  const sending = { request: { key, merchant: merchant.handle, mode, ...wanted }, merchant }
  state.open.set(key, sending)
  state.journal.sending(sending.request)
  // Some impatient clients send the same request twice at once. A refund has no key that would make the two one request.
  const times = wanted.what !== 'refund' && state.chance.next() < 0.05 ? 2 : 1
  await Promise.all(Array.from({ length: times }, () => send(state, sending)))
}

async function send(state: State, sending: Sending): Promise<void> {
  const { request } = sending
  const { tally, missedOnce } = state
  const sentAt = performance.now()
  const reply = await sendOnce(state.installation, sending).catch((error: Error) => {
    if (error.name === 'TimeoutError') tally.unexpected.push(`${request.key}: no answer in ${HANG_MS} ms`)
    return null
  })
  if (reply !== null && isConclusive(request.what, reply)) return note(state, sending, { reply, sentAt })
  if (reply?.status === 500) tally.unexpected.push(`${request.key}: 500 ${reply.body}`)
  missedOnce.add(request.key)
}

function note(state: State, { request, merchant }: Sending, { reply, sentAt }: { reply: Reply; sentAt: number }) {
  const { tally, open, missedOnce, acknowledged, goodListeners } = state
  state.journal.answered({ key: request.key, ...reply })
  if (!open.delete(request.key)) return
  if (missedOnce.has(request.key)) tally.unansweredThenResolved += 1
  const { what, path, mode } = request
  if (reply.status >= 300 && !(what === 'form' && reply.status === 302)) {
    tally.refused += 1
    return
  }
  tally.acknowledged += 1
  const paid = what === 'form' ? chargeIn(reply.body) : null
  if (paid !== null) state.paidOnLinks.push({ id: paid, merchant, mode })
  if (what === 'charge' || what === 'payout') acknowledged.push({ id: JSON.parse(reply.body).id, path, merchant, mode })
  for (const listener of goodListeners) listener(sentAt)
}

/** See Clients.repeatUnanswered. */
export async function repeatUnanswered(state: State, withinMs: number): Promise<void> {
  const { open } = state
  const giveUpAt = performance.now() + withinMs
  while (open.size > 0) {
    await Promise.all([...open.values()].slice(0, REPEATED_AT_ONCE).map((sending) => send(state, sending)))
    if (open.size === 0) return
    if (performance.now() > giveUpAt) throw new Error(`still no answer to ${[...open.keys()].slice(0, 10).join(', ')}`)
    await sleep(20)
  }
}

async function sendOnce(installation: Installation, { request, merchant }: Sending): Promise<Reply> {
  if (request.what === 'form') return postForm(installation, request)
  const { path, key, body } = request
  const apiKey = merchant.keys[request.mode]
  const response = await post(installation, path, { apiKey, key, body, signal: AbortSignal.timeout(HANG_MS) })
  const replayed = response.headers.get('idempotent-replayed') === 'true'
  return { status: response.status, body: await response.text(), replayed }
}

async function postForm(installation: Installation, { path, body, cookie }: KeyedRequest): Promise<Reply> {
  const form = { path, fields: body as Record<string, string>, cookie: cookie ?? '' }
  const answer = await sendForm(installation.url, form, AbortSignal.timeout(HANG_MS))
  return { status: answer.status, body: answer.location, replayed: false }
}

/** An answer that ends the client's waiting: created, or refused for a reason that will not change. */
function isConclusive(what: What, { status, body }: Reply): boolean {
  // The page says that the operator is away and nothing was charged.
  if (what === 'form' && status === 502) return true
  if (status === 409) return !body.includes('still in flight')
  return status < 500 && status !== 429
}
