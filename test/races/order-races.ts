import { setTimeout as sleep } from 'node:timers/promises'
import type { Mode } from '../../src/platform/mode.ts'
import type { FormAnswer } from '../crash/forms.ts'
import { newPayer, openForms, pay } from './checkout.ts'
import type { Fleet, Race, Verdict } from './fleet.ts'
import { countAnswers, strangeAnswers } from './form-answers.ts'
import { allDecided } from './link-charges.ts'
import { ask, LIFETIME_MS, MACHINES, type Made, newOrders } from './machine-orders.ts'
import { joined } from './several.ts'

const TAKEN_BACK = 15
const ENDING = 24
// The first customers are in time, and the last are too late.
const BEFORE_END_MS = 150
const APART_MS = 15

/** Race 12: each order is either paid or invalidated, even at the moment it expires: one outcome, and everyone is told the same. */
export const invalidateAgainstSubmit: Race = {
  name: '12 pay against invalidate and against the end of an order',
  async run(fleet) {
    const verdicts = [
      await takeBackAndPay(fleet, 'test'),
      await takeBackAndPay(fleet, 'live'),
      await payAtTheEnd(fleet),
    ]
    return joined(verdicts)
  },
}

async function takeBackAndPay(fleet: Fleet, mode: Mode): Promise<Verdict> {
  const orders = await newOrders(fleet, { mode, machine: MACHINES.usual, count: TAKEN_BACK })
  const ids = orders.map(({ id }) => id)
  const forms = await openForms(fleet, ids)
  const submit = (nth: number) =>
    pay(fleet, nth, ids[nth] as string, forms[nth] as (typeof forms)[number], { phone: newPayer(fleet) })
  const takeBack = (nth: number) => ask(fleet, nth + 1, { mode, path: `/v1/vending/orders/${ids[nth]}/invalidate` })
  const answers = await Promise.all(
    ids.map(async (_, nth) => {
      const paid = submit(nth)
      // Invalidating takes fewer steps than paying, so it starts a little later with each order.
      await sleep(nth * APART_MS)
      return { taken: await takeBack(nth), paid: await paid }
    }),
  )
  const states = await statesOf(fleet, ids)
  const wrong = answers.flatMap(({ taken, paid }, nth) => {
    const { over, standing } = states[nth] ?? { over: false, standing: 0 }
    const told = over ? taken.status === 200 && paid.status === 410 : taken.status === 409 && paid.status === 302
    return told && standing === (over ? 0 : 1)
      ? []
      : [`${ids[nth]}: taken back ${over} (${taken.status}), ${standing} payments (${paid.status})`]
  })
  await allDecided(fleet, ids)
  const won = states.filter(({ over }) => over).length
  return { wrong, seen: `${mode}: ${won} of ${ids.length} taken back` }
}

type State = { over: boolean; standing: number; late: number }
const STATES = `select l.invalidated_at is not null as over, count(c.id)::int as standing,
    count(c.id) filter (where c.created_at >= l.expires_at)::int as late
  from payment_links l left join charges c on c.merchant_id = l.merchant_id and c.payment_link_id = l.id
    and c.voided_at is null and c.status <> 'failed'
  where l.id = any($1) group by l.merchant_id, l.id order by array_position($1, l.id)`

const statesOf = ({ installation }: Fleet, ids: readonly string[]) => installation.sql<State>(STATES, [ids])

async function payAtTheEnd(fleet: Fleet): Promise<Verdict> {
  const { installation } = fleet
  const orders = await newOrders(fleet, { mode: 'test', machine: MACHINES.usual, count: ENDING })
  const ids = orders.map(({ id }) => id)
  const forms = await openForms(fleet, ids)
  const ends = Math.min(...orders.map(({ expiresAt }: Made) => expiresAt))
  installation.advance(Math.max(0, Math.min(LIFETIME_MS, ends - installation.clock.nowMs() - BEFORE_END_MS)))
  const answers = await Promise.all(
    forms.map(async (form, nth) => {
      await sleep(nth * APART_MS)
      return pay(fleet, nth, ids[nth] as string, form, { phone: newPayer(fleet) })
    }),
  )
  const states = await statesOf(fleet, ids)
  const wrong = strangeAnswers(answers, [302, 410])
  for (const [nth, { standing, late }] of states.entries())
    if (late > 0 || (answers[nth] as FormAnswer).status !== (standing === 1 ? 302 : 410))
      wrong.push(`${ids[nth]}: ${standing} payments, ${late} after its end, told ${answers[nth]?.status}`)
  await allDecided(fleet, ids)
  return { wrong, seen: `at the end: ${countAnswers(answers)}` }
}
