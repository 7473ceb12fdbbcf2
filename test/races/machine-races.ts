import { setTimeout as sleep } from 'node:timers/promises'
import { type Callback, callbackOf, postCallback } from '../fakes/supplier-callbacks.ts'
import { type Fleet, type Race, webOf } from './fleet.ts'
import { commandsFor, endsOf, GOODS, MACHINES, type Paid, toldOrders } from './machine-orders.ts'
import { until } from './money.ts'

const COPIES = 100
const OTHER_SIGNS = 20

/** The same report a hundred times over all processes: one state change, one event, whatever other content uses its signature. */
export const callbacksOfOneOrder: Race = {
  name: `   ${COPIES} copies of one callback over all processes`,
  async run(fleet) {
    const orders = await toldOrders(fleet, { mode: 'live', machine: MACHINES.usual, count: 2 })
    const [first, second] = orders as [Paid, Paid]
    const done = reportOf(fleet, first)
    const later = Array.from({ length: OTHER_SIGNS }, (_, nth) => reportOf(fleet, first, 1 + nth))
    const repeated = await sendReports(fleet, [...Array<Callback>(COPIES).fill(done), ...later])
    const signed = reportOf(fleet, second)
    // States the opposite under the same signature, which does not cover this field: the first content received counts.
    const forged = { ...signed, splist: GOODS.map(({ spbh }) => ({ spbh, chsl: 0 })) }
    const mixed = Array.from({ length: COPIES }, (_, nth) => (nth % 2 === 0 ? signed : forged))
    const contradicted = await sendReports(fleet, mixed)
    const [one, two] = await endsOf(fleet, orders)
    const wrong = [...repeated, ...contradicted]
    if (one?.status !== 'dispensed' || one.events !== 1 || one.callbacks !== 1 + OTHER_SIGNS)
      wrong.push(`${first.id}: ${one?.status}, ${one?.events} events, ${one?.callbacks} callbacks kept`)
    if (two?.events !== 1 || two.callbacks !== 1)
      wrong.push(`${second.id}: ${two?.status}, ${two?.events} events, ${two?.callbacks} callbacks kept`)
    return {
      wrong,
      seen: `${one?.events} event of ${COPIES + OTHER_SIGNS}; two contents: ${two?.status}, once`,
    }
  },
}

/** `later` is in ms; a different time gives a different signature. */
const reportOf = ({ installation, supplier }: Fleet, { id, charge }: Paid, later = 0): Callback =>
  callbackOf('done', {
    at: Math.floor(installation.clock.nowMs()) + later,
    secret: supplier.access.secret,
    machine: MACHINES.usual,
    orderId: id,
    chargeId: charge,
    goods: GOODS,
  })

/** Sends each report again until it is accepted, as a supplier does. */
async function sendReports(fleet: Fleet, reports: readonly Callback[]): Promise<string[]> {
  const refused = await Promise.all(
    reports.map(async (report, nth) => {
      for (let again = 0; ; again += 1) {
        const { status, text } = await postCallback(webOf(fleet, nth + again), report)
        if (status < 500 || again === 20) return status === 200 ? [] : [`a callback was answered ${status} ${text}`]
        await sleep(10)
      }
    }),
  )
  return refused.flat().slice(0, 3)
}

const OF_EACH = 20
const TWO_MORE_WORKERS = [{ role: 'worker' }, { role: 'worker' }] as const
const REPORTED_MS = 2500

/** Four workers find the same paid orders at the same moment: one command each; and the same jams: one refund each. */
export const manyDispensers: Race = {
  name: '   four workers dispense the same orders and refund the same jams',
  run: (fleet) =>
    fleet.withMore(TWO_MORE_WORKERS, async () => {
      const [usual, delivering, jamming] = (['usual', 'delivering', 'jamming'] as const).map((kind) => ({
        mode: kind === 'usual' ? ('live' as const) : ('test' as const),
        machine: MACHINES[kind],
        count: OF_EACH,
      })) as [Wanted, Wanted, Wanted]
      const orders = await toldOrders(fleet, usual, delivering, jamming)
      fleet.installation.advance(REPORTED_MS)
      await until(fleet, 'select 1 from dispense_claims where reports_at is not null')
      await refundsTried(fleet)
      const ends = await endsOf(fleet, orders)
      const wrong = ends.flatMap((end, nth) => {
        const jammed = nth >= 2 * OF_EACH
        const commands = nth < OF_EACH ? commandsFor(fleet, end.charge) : end.commanded
        const refunds = jammed && !end.refundDue ? 1 : 0
        const sentOnce = end.claims === 1 && end.commanded === 1 && commands === 1
        const refunded = end.refunds === refunds && end.refunded === (refunds === 1)
        return sentOnce && refunded && end.events === (nth < OF_EACH ? 0 : 1) ? [] : [JSON.stringify(end)]
      })
      const refunded = ends.filter((end) => end.refunded).length
      if (refunded === 0) wrong.push('no jam was refunded')
      return {
        wrong,
        seen: `${ends.length} orders, a command each; ${refunded} of ${OF_EACH} jams refunded by now`,
      }
    }),
}

const TRIED_WITHIN_MS = 10_000

/** Until every jam is refunded: a refund whose order was locked by another report is tried again a minute later. */
async function refundsTried({ installation }: Fleet): Promise<void> {
  const giveUpAt = performance.now() + TRIED_WITHIN_MS
  while (performance.now() < giveUpAt) {
    const due = await installation.sql('select 1 from vending_orders where refund_due_at is not null')
    if (due.length === 0) return
    await sleep(50)
  }
}

type Wanted = Parameters<typeof toldOrders>[1]
