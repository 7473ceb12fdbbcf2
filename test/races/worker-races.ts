import { setTimeout as sleep } from 'node:timers/promises'
import type { Merchant } from '../crash/installation.ts'
import { type Fleet, OUTCOME_MS, post, type Race, type Verdict } from './fleet.ts'
import { createCharges, DONE_WITHIN_MS, until } from './money.ts'

const CHARGES = 300
const DAY_MS = 86_400_000
const TWO_MORE_WORKERS = [{ role: 'worker' }, { role: 'worker' }] as const

/** Four workers find the same charges due at the same moment: each charge is credited once and has one event. */
export const manyFollowers: Race = {
  name: '   four workers follow the same charges',
  run: (fleet) =>
    fleet.withMore(TWO_MORE_WORKERS, async () => {
      const from = await lastCharge(fleet)
      await createCharges(fleet, fleet.merchants.shop, CHARGES)
      fleet.installation.advance(OUTCOME_MS)
      await until(fleet, `select 1 from charges where mode = 'test' and status in ('pending', 'authorized')`)
      return oneEndEach(fleet, from)
    }),
}

/** Race 18: four workers find the same holds over when they start: each charge is released once, in one settlement. */
export const manySettlers: Race = {
  name: '18 four workers settle the same held charges',
  async run(fleet) {
    const { installation, merchants } = fleet
    await createCharges(fleet, merchants.held, CHARGES)
    installation.advance(OUTCOME_MS)
    await until(fleet, `select 1 from charges where mode = 'test' and status in ('pending', 'authorized')`)
    installation.advance(DAY_MS + 1000)
    const due = `select c.id from charges c join merchants m on m.id = c.merchant_id
      where m.handle = '${merchants.held.handle}' and c.hold_until is not null and c.settled_at is null`
    const before = await installation.sql(due)
    const four = Array.from({ length: 4 }, () => ({ role: 'worker' as const }))
    await fleet.withMore(four, () => until(fleet, due))
    const verdict = await oneReleaseEach(fleet)
    if (before.length < CHARGES) verdict.wrong.push(`only ${before.length} charges were due to be released`)
    return { ...verdict, seen: `${before.length} charges due; ${verdict.seen}` }
  },
}

/** Race 19: a resend while an attempt is in progress: the same id and bytes, and never two attempts at once. */
export const resendAgainstAttempt: Race = {
  name: '19 resend against an attempt under way',
  async run(fleet) {
    const { slow } = fleet.merchants
    const book = holdAttempts(slow)
    await createCharges(fleet, slow, 1)
    fleet.installation.advance(OUTCOME_MS)
    await book.arrived(1)
    const [{ event, body } = { event: null, body: '' }] = slow.receiver.received.slice(-1)
    const path = `/v1/webhooks/${event.id}/resend`
    const resent = await Promise.all(fleet.webs.map((url) => post(fleet, url, { path, apiKey: slow.keys.test })))
    // Every worker polls five times a second: a second attempt would have come by now.
    await sleep(1000)
    const together = book.underWay()
    book.release()
    await book.arrived(2)
    await until(fleet, `select 1 from deliveries where event_id = '${event.id}' and status = 'pending'`)
    const attempts = slow.receiver.received.filter((one) => one.event.id === event.id)
    const wrong = together > 1 ? [`${together} attempts of one delivery at a time`] : []
    if (attempts.some((attempt) => attempt.body !== body)) wrong.push('an attempt carried other bytes')
    const refused = resent.filter(({ status }) => status !== 202)
    if (refused.length > 0) wrong.push(`${refused.length} resends were refused: ${refused[0]?.text}`)
    return { wrong, seen: `${attempts.length} attempts, at most ${together} at a time` }
  },
}

/** The merchant's receiver does not answer until it is released. */
function holdAttempts({ receiver }: Merchant) {
  const held = new Set<() => void>()
  let arrivals = 0
  let holding = true
  receiver.behave((response) => {
    arrivals += 1
    const answer = () => void response.writeHead(200).end()
    if (!holding) return answer()
    held.add(answer)
    response.on('close', () => held.delete(answer))
  })
  return {
    underWay: () => held.size,
    arrived: async (count: number) => {
      const giveUpAt = performance.now() + DONE_WITHIN_MS
      while (arrivals < count && performance.now() < giveUpAt) await sleep(5)
    },
    release: () => {
      holding = false
      for (const answer of held) answer()
    },
  }
}

async function lastCharge(fleet: Fleet): Promise<string> {
  const [row] = await fleet.installation.sql<{ at: Date | null }>('select max(created_at) as at from charges')
  return row?.at?.toISOString() ?? '-infinity'
}

const ENDS = `select count(*)::int as charges,
    count(*) filter (where status <> 'succeeded' or settled_at is null)::int as "notPaid",
    count(*) filter (where nets <> 1 or fees <> 1 or money <> amount)::int as "notCreditedOnce",
    count(*) filter (where events <> 1 or settlements <> 1)::int as "notToldOnce"
  from (select c.status, c.settled_at, c.amount,
      (select count(*) from transfers t where t.merchant_id = c.merchant_id and t.subject = c.id and t.kind = 'charge_net') as nets,
      (select count(*) from transfers t where t.merchant_id = c.merchant_id and t.subject = c.id and t.kind = 'charge_fee') as fees,
      (select sum(amount) from transfers t where t.merchant_id = c.merchant_id and t.subject = c.id) as money,
      (select count(*) from events e where e.merchant_id = c.merchant_id and e.subject = c.id) as events,
      (select count(*) from settlements s where s.merchant_id = c.merchant_id and s.id = c.settlement_id) as settlements
    from charges c join merchants m on m.id = c.merchant_id
    where m.handle = 'race-shop' and c.mode = 'test' and c.created_at > $1) as each`

async function oneEndEach({ installation }: Fleet, from: string): Promise<Verdict> {
  const [ends = {}] = await installation.sql(ENDS, [from])
  const breaks = await installation.sql(`select kind, subject from exceptions where starts_with(subject, 'txn_')`)
  const wrong = Object.entries(ends)
    .filter(([name, count]) => (name === 'charges' ? count !== CHARGES : count !== 0))
    .map(([name, count]) => `${name}: ${count}`)
  if (breaks.length > 0) wrong.push(`${breaks.length} exceptions, such as ${JSON.stringify(breaks[0])}`)
  return { wrong, seen: `${ends.charges} charges` }
}

const RELEASES = `select
  (select coalesce(sum(c.amount - c.fee), 0)::float8 from charges c where c.merchant_id = m.id and c.settled_at is not null) as nets,
  (select coalesce(sum(t.amount), 0)::float8 from transfers t where t.merchant_id = m.id and t.kind = 'hold_release') as released,
  (select coalesce(sum(s.charge_count), 0)::int from settlements s where s.merchant_id = m.id) as counted,
  (select count(*)::int from charges c where c.merchant_id = m.id and c.settlement_id is not null) as settled,
  (select count(*)::int from settlements s where s.merchant_id = m.id) as settlements,
  (select h.pending::float8 from ledger_heads h where h.merchant_id = m.id and h.mode = 'test') as pending
  from merchants m where m.handle = 'race-held'`

async function oneReleaseEach({ installation }: Fleet): Promise<Verdict> {
  const [sums = {}] = await installation.sql(RELEASES)
  const wrong: string[] = []
  if (sums.nets !== sums.released) wrong.push(`released ${sums.released}, the charges' nets are ${sums.nets}`)
  if (sums.counted !== sums.settled) wrong.push(`settlements count ${sums.counted}, charges ${sums.settled}`)
  if (sums.pending !== 0) wrong.push(`${sums.pending} still pending`)
  return { wrong, seen: `${sums.settled} released in ${sums.settlements} settlements` }
}
