import type { App } from '../../app.ts'
import { numbers } from '../../platform/db/columns.ts'
import { statement } from '../../platform/db/statement.ts'
import type { Claim } from './claim.ts'
import { CLAIMS_AT_ONCE, claimOrder } from './claim-order.ts'
import { doubtClaims, takeUpClaims } from './move-claim.ts'
import { moveDispense } from './move-dispense.ts'
import { sayDoubt, TURNED_OFF } from './record-answer.ts'
import { sendCommand } from './send-command.ts'
import { applySimulatedReports } from './simulated-reports.ts'

export const DISPENSED_AT_ONCE = 50
const COMMANDS_AT_ONCE = 64
const OF_ONE_MERCHANT = 32

type OrderKey = { merchantId: number; id: string }

const PAID = statement<OrderKey>(
  'paid vending orders',
  `select o.merchant_id as "merchantId", o.id from vending_orders o
   cross join lateral (select l.charge_id from payment_links l
     where l.merchant_id = o.merchant_id and l.id = o.id and l.charge_id is not null offset 0) l
   cross join lateral (select 1 from charges c
     where c.merchant_id = o.merchant_id and c.id = l.charge_id and c.status = 'succeeded' offset 0) c
   where o.watched and o.merchant_id <> all($2::bigint[]) order by o.created_at limit $1`,
)
// Orders that are expired or invalidated with no payment under way: they can no longer be paid and need no look.
const FORGET_ENDED = statement<{ id: string }>(
  'forget ended vending orders',
  `update vending_orders o set watched = false from payment_links l
   where o.watched and l.merchant_id = o.merchant_id and l.id = o.id
     and (l.expires_at < $1::timestamptz - interval '1 minute' or l.invalidated_at is not null)
     and not exists (select 1 from charges c where c.merchant_id = l.merchant_id and c.id = l.charge_id
       and c.status in ('pending', 'authorized', 'succeeded') and c.voided_at is null)
   returning o.id`,
)
/** Commands machines; the calls are on their way until `stop` has waited for them. */
export type Dispenser = { start(): Promise<number>; stop(): Promise<void> }

/**
 * Commands the machine of every order that has been paid, with the claim first; sends what a dead process had claimed and
 * not sent; and records commands that it was sending as unclear (contract.md 6.2, VE2-VE4). Calls are started, not awaited,
 * and one merchant never has all the places, so that a slow supplier does not delay others. `start` answers how many it
 * handled.
 */
export function dispenser(app: App): Dispenser {
  const sending = new Set<{ merchantId: number; work: Promise<unknown> }>()
  const placesOf = (merchantId: number) => [...sending].filter((one) => one.merchantId === merchantId).length

  function send(claim: Claim): void {
    const { merchantId } = claim
    const work = sendCommand(app, claim).catch((error) => report(app, claim, error))
    const one = { merchantId, work }
    sending.add(one)
    work.finally(() => sending.delete(one))
  }

  /** Skips merchants whose places are all taken; otherwise their orders would fill the query. */
  async function startPaid(): Promise<number> {
    const full = [...new Set([...sending].map(({ merchantId }) => merchantId))].filter(
      (merchantId) => placesOf(merchantId) >= OF_ONE_MERCHANT,
    )
    const places = COMMANDS_AT_ONCE - sending.size
    const paid =
      places <= 0 ? [] : await app.db.query(PAID, [Math.min(places, DISPENSED_AT_ONCE), numbers(full)])
    for (let from = 0; from < paid.length; from += CLAIMS_AT_ONCE) {
      const some = paid.slice(from, from + CLAIMS_AT_ONCE)
      const claims = await Promise.all(some.map((place) => claimPaid(app, place)))
      for (const claim of claims) if (claim !== null) send(claim)
    }
    return paid.length
  }

  return {
    async start() {
      const paid = await startPaid()
      const left = await takeUpLeft(app, COMMANDS_AT_ONCE - sending.size)
      for (const claim of left) send(claim)
      // By the time that it is now: for one that is long past, a command that has just begun looks like one from before a step of the clock.
      const now = app.clock.now()
      const doubted = doubtClaims(now, DISPENSED_AT_ONCE)
      for (const claim of await app.db.query(doubted.statement, doubted.values)) await sayDoubt(app, claim)
      const reported = await applySimulatedReports(app)
      await app.db.query(FORGET_ENDED, [now.toISOString()])
      return paid + left.length + reported
    },
    async stop() {
      await Promise.all([...sending].map(({ work }) => work))
    },
  }
}

/** A claim that is taken must be sent at once, so no more are taken than there are places. */
async function takeUpLeft(app: App, places: number): Promise<Claim[]> {
  if (places <= 0) return []
  const left = takeUpClaims(app.clock.now(), places)
  return app.db.query(left.statement, left.values)
}

/** Null when there is nothing to command or another process was first. An error of one order does not stop the others. */
async function claimPaid(app: App, { merchantId, id }: OrderKey): Promise<Claim | null> {
  try {
    const claimed = await claimOrder(app, { merchantId, id })
    if (claimed.kind === 'claimed') return claimed.claim
    if (claimed.kind !== 'off') return null
    const to = { status: 'failed', confirmed: false, result: null, error: TURNED_OFF } as const
    // Somebody may have switched it on again and claimed the order since: what was claimed is not failed for that.
    await moveDispense(app, { kind: 'order', merchantId, id, to, source: 'command', about: 'none' })
  } catch (error) {
    report(app, { orderId: id }, error)
  }
  return null
}

const report = (app: App, { orderId }: Pick<Claim, 'orderId'>, error: unknown) =>
  app.log.error({ err: error, object_id: orderId }, 'dispensing an order failed; it is looked at again')
