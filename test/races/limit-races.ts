import {
  CHARGE,
  countKinds,
  type Fleet,
  isTooBusy,
  newKey,
  type Race,
  type Reply,
  sendTo,
  type Verdict,
} from './fleet.ts'
import { joined } from './several.ts'

/** A rate-limited request: all processes together never accept more than its limit. */
type Counted = {
  name: string
  limit: number
  asked: number
  /** So many fewer may be accepted: processes hold places that nobody asks them for. */
  fewer?: number
  ask(fleet: Fleet, url: string): Promise<Reply>
}

const WINDOW_MS = 60_000
// Limits above 300 a minute count requests in time slots; smaller ones count each request by itself.
const IN_SLOTS = 400
// From 1000 a minute on processes take places in advance: a hundredth of the limit each, for five seconds.
const LEASED = 1000
const LEASE_MS = 5000
const apiKeyOf = (fleet: Fleet) => fleet.merchants.other.keys.test

const charges = (limit: number, asked: number): Counted => ({
  name: `charges of ${limit}`,
  limit,
  asked,
  ask: (fleet, url) => sendTo(fleet, url, { apiKey: apiKeyOf(fleet), key: newKey('rate'), body: CHARGE }),
})
const LINKS: Counted = {
  name: 'links of 20',
  limit: 20,
  asked: 60,
  ask: (fleet, url) =>
    sendTo(fleet, url, { path: '/v1/payment-links', apiKey: apiKeyOf(fleet), body: { amount: 5000 } }),
}
const SCHEDULES: Counted = {
  name: 'schedules of 10',
  limit: 10,
  asked: 40,
  ask: (fleet, url) => {
    const body = { name: 'rate', amount: 1000, interval: 'monthly', recipients: [{ phone: '0700000000' }] }
    const startAt = new Date(fleet.installation.clock.nowMs() + 40 * 86_400_000).toISOString()
    const request = { path: '/v1/scheduled-payouts', apiKey: apiKeyOf(fleet), key: newKey('rate') }
    return sendTo(fleet, url, { ...request, body: { ...body, start_at: startAt } })
  },
}
const LOOKUPS: Counted = {
  name: 'look-ups of 10',
  limit: 10,
  asked: 40,
  ask: (fleet, url) =>
    sendTo(fleet, url, {
      method: 'GET',
      path: '/v1/resolve-account?phone=0700000000',
      apiKey: apiKeyOf(fleet),
    }),
}

/** All processes together accept exactly as many as the limit, even before there is a row to lock (C19). */
export const rateAcrossProcesses: Race = {
  name: 'C19 limits of charges, links, schedules, look-ups over three processes',
  run: (fleet) => {
    const env = {
      RATE_LIMIT_CHARGES: '120',
      RATE_LIMIT_PAYMENT_LINKS: String(LINKS.limit),
      RATE_LIMIT_SCHEDULES: String(SCHEDULES.limit),
      RATE_LIMIT_RESOLVE_ACCOUNT: String(LOOKUPS.limit),
    }
    const three = Array(3).fill({ role: 'web', env })
    return fleet.withMore(three, (urls) => twice(fleet, urls, [charges(120, 300), LINKS, SCHEDULES, LOOKUPS]))
  },
}

/** The same for a limit that is counted in time slots (S6). */
export const largeRateAcrossProcesses: Race = {
  name: `S6 a limit of ${IN_SLOTS} charges over two processes, 700 asked`,
  run: (fleet) => {
    const two = Array(2).fill({ role: 'web', env: { RATE_LIMIT_CHARGES: String(IN_SLOTS) } })
    return fleet.withMore(two, (urls) => twice(fleet, urls, [charges(IN_SLOTS, 700)]))
  },
}

/** The same for a limit of which processes take places in advance. */
export const leasedRateAcrossProcesses: Race = {
  name: `a limit of ${LEASED} charges over three processes that take places in advance, 1400 asked`,
  run: (fleet) => {
    const three = Array(3).fill({ role: 'web', env: { RATE_LIMIT_CHARGES: String(LEASED) } })
    const counted = { ...charges(LEASED, 1400), fewer: (3 * LEASED) / 100 }
    return fleet.withMore(three, (urls) => twice(fleet, urls, [counted], LEASE_MS))
  },
}

/** Runs once before anything was counted, and once when everything counted has just left its window. */
async function twice(fleet: Fleet, urls: readonly string[], all: readonly Counted[], longerMs = 0): Promise<Verdict> {
  const verdicts: Verdict[] = []
  await fleet.installation.sql('delete from rate_windows')
  for (const state of ['first', 'a minute later']) {
    for (const counted of all) verdicts.push(await askTooOften(fleet, urls, { ...counted, state }))
    // A slot counts until its last instant has left the window.
    fleet.installation.advance(WINDOW_MS + 2000 + longerMs)
  }
  return joined(verdicts)
}

async function askTooOften(
  fleet: Fleet,
  urls: readonly string[],
  { name, limit, asked, fewer = 0, ask, state }: Counted & { state: string },
): Promise<Verdict> {
  const all = await Promise.all(
    Array.from({ length: asked }, (_, nth) => ask(fleet, urls[nth % urls.length] as string)),
  )
  // A request shed after it was counted stays counted: only a 4xx uncounts it (contract.md G5).
  const busy = all.filter(isTooBusy).length
  const replies = all.filter((reply) => !isTooBusy(reply))
  const accepted = replies.filter(({ status }) => status === 200 || status === 201).length
  const wrong: string[] = []
  if (accepted > limit || accepted + busy + fewer < limit)
    wrong.push(`${name}, ${state}: ${accepted} accepted, ${busy} too busy`)
  const mute = replies.filter(({ status, retryAfter }) => status === 429 && retryAfter === null).length
  if (mute > 0) wrong.push(`${name}, ${state}: ${mute} answers 429 without Retry-After`)
  const strange = replies.filter(({ status }) => ![200, 201, 429].includes(status))
  if (strange.length > 0) wrong.push(`${name}, ${state}: ${countKinds(strange)} such as ${strange[0]?.text}`)
  return { wrong, seen: `${name}: ${countKinds(replies)}, ${busy} too busy` }
}
