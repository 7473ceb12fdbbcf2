import { type Fleet, newKey, postUntilJudged, type Race, type Verdict, webOf } from './fleet.ts'
import { allEnded, availableOf, haveExactly, SMALLEST_FEE, until } from './money.ts'

const SCHEDULES = 20
const RECIPIENTS = 10
const AMOUNT = 1000
const COST_OF_ALL = SCHEDULES * RECIPIENTS * (AMOUNT + SMALLEST_FEE)
const MINUTE_MS = 60_000

/** Race 18: four workers find the same schedules due at their start: each cycle is run once, each recipient paid once. */
export const manyCycles: Race = {
  name: '18 four workers run the same 20 schedules',
  async run(fleet) {
    const { installation, merchants } = fleet
    await haveExactly(fleet, merchants.payer, COST_OF_ALL + 1)
    const name = newKey('cycles')
    const ids = await Promise.all(Array.from({ length: SCHEDULES }, (_, nth) => schedule(fleet, nth, name)))
    installation.advance(MINUTE_MS + 1000)
    const due = `select 1 from schedules where name = '${name}' and last_run_at is null`
    const found = (await installation.sql(due)).length
    const four = Array.from({ length: 4 }, () => ({ role: 'worker' as const }))
    await fleet.withMore(four, async () => {
      await until(fleet, due)
      await allEnded(fleet, merchants.payer)
    })
    await Promise.all(ids.map((id, nth) => cancel(fleet, nth, id)))
    const verdict = await oncePerCycle(fleet, name)
    return { ...verdict, seen: `${found} schedules due; ${verdict.seen}` }
  },
}

async function schedule(fleet: Fleet, nth: number, name: string): Promise<string> {
  const body = {
    name,
    amount: AMOUNT,
    interval: 'monthly',
    start_at: new Date(fleet.installation.clock.nowMs() + MINUTE_MS).toISOString(),
    recipients: Array.from({ length: RECIPIENTS }, () => ({ phone: '0700000000' })),
  }
  const request = {
    path: '/v1/scheduled-payouts',
    apiKey: fleet.merchants.payer.keys.test,
    key: newKey('plan'),
  }
  const { status, text } = await postUntilJudged(fleet, webOf(fleet, nth), { ...request, body })
  if (status !== 201) throw new Error(`a schedule of the race was refused: ${text}`)
  return JSON.parse(text).id
}

/** Cancels the schedules so that no later race finds them due again. */
async function cancel(fleet: Fleet, nth: number, id: string): Promise<void> {
  const path = `/v1/scheduled-payouts/${id}/cancel`
  const { status, text } = await postUntilJudged(fleet, webOf(fleet, nth), {
    path,
    apiKey: fleet.merchants.payer.keys.test,
  })
  if (status !== 200) throw new Error(`a schedule of the race was not cancelled: ${text}`)
}

const CYCLES = `select count(*)::int as schedules,
    count(*) filter (where cycles <> 1 or paid <> $2 or indexes <> $2)::int as "notRunOnce",
    count(*) filter (where reserved <> $2 or sent <> $2 or told <> $2)::int as "notPaidOnce",
    sum(paid)::int as payouts
  from (select s.id, count(p.id)::int as paid, count(distinct p.cycle_at)::int as cycles,
      count(distinct p.item_index)::int as indexes,
      coalesce(sum((select count(*) from transfers t where t.merchant_id = p.merchant_id and t.subject = p.id and t.kind = 'payout_reserve')), 0) as reserved,
      coalesce(sum((select count(*) from transfers t where t.merchant_id = p.merchant_id and t.subject = p.id and t.kind = 'payout_sent')), 0) as sent,
      coalesce(sum((select count(*) from events e where e.merchant_id = p.merchant_id and e.subject = p.id and e.type = 'payout.succeeded')), 0) as told
    from schedules s left join payouts p on p.merchant_id = s.merchant_id and p.schedule_id = s.id
    where s.name = $1 group by s.merchant_id, s.id) as each`

async function oncePerCycle(fleet: Fleet, name: string): Promise<Verdict> {
  const [sums = {}] = await fleet.installation.sql(CYCLES, [name, RECIPIENTS])
  const available = await availableOf(fleet, fleet.merchants.payer)
  const wrong: string[] = []
  if (sums.schedules !== SCHEDULES) wrong.push(`${sums.schedules} schedules of ${SCHEDULES}`)
  if (sums.notRunOnce !== 0) wrong.push(`${sums.notRunOnce} schedules did not run one whole cycle`)
  if (sums.notPaidOnce !== 0) wrong.push(`${sums.notPaidOnce} cycles paid somebody not exactly once`)
  if (available !== 1) wrong.push(`available is ${available}, not 1`)
  return { wrong, seen: `${sums.payouts} payouts` }
}
