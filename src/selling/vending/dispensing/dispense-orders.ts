import { numberColumn } from '../../../platform/db/columns.ts'
import { statement } from '../../../platform/db/statement.ts'
import type { App } from '../../../program/app.ts'
import type { DispenseClaim } from './claim.ts'
import { CLAIMS_AT_ONCE, claimOrder } from './claim-order.ts'
import { doubtClaims, takeUpClaims } from './move-claim.ts'
import { moveDispense } from './move-dispense.ts'
import { noteDoubt, TURNED_OFF } from './record-answer.ts'
import { sendCommand } from './send-command.ts'
import { applySimulatedReports } from './simulated-reports.ts'

export const ORDERS_PER_RUN = 50
const COMMANDS_AT_ONCE = 64
const COMMANDS_PER_MERCHANT = 32

type PaidOrderKey = { merchantId: number; id: string }

const PAID_ORDERS = statement<PaidOrderKey>(
  'paid vending orders',
  `select o.merchant_id as "merchantId", o.id from vending_orders o
   cross join lateral (select l.charge_id from payment_links l
     where l.merchant_id = o.merchant_id and l.id = o.id and l.charge_id is not null offset 0) l
   cross join lateral (select 1 from charges c
     where c.merchant_id = o.merchant_id and c.id = l.charge_id and c.status = 'succeeded' offset 0) c
   where o.watched and o.merchant_id <> all($2::bigint[]) order by o.created_at limit $1`,
)
// Stops watching orders that are expired or invalidated with no payment under way: they can no longer be paid.
const UNWATCH_UNPAYABLE = statement<{ id: string }>(
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
 * Commands the machine of every paid order, with the claim first; sends the claims that a dead process had not sent; and
 * records as unclear the commands that it was sending (contract.md 6.2, VE2-VE4). Calls are started, not awaited, and one
 * merchant never has all the slots, so that a slow supplier does not delay others. `start` returns how many it handled.
 */
export function newDispenser(app: App): Dispenser {
  const sending = new Set<{ merchantId: number; work: Promise<unknown> }>()
  const countSending = (merchantId: number) =>
    [...sending].filter((command) => command.merchantId === merchantId).length

  function send(claim: DispenseClaim): void {
    const { merchantId } = claim
    const work = sendCommand(app, claim).catch((error) => logFailure(app, claim, error))
    const command = { merchantId, work }
    sending.add(command)
    work.finally(() => sending.delete(command))
  }

  /** Skips merchants whose slots are all taken; otherwise their orders would fill the query. */
  async function startPaid(): Promise<number> {
    const full = [...new Set([...sending].map(({ merchantId }) => merchantId))].filter(
      (merchantId) => countSending(merchantId) >= COMMANDS_PER_MERCHANT,
    )
    const freeSlots = COMMANDS_AT_ONCE - sending.size
    const paid =
      freeSlots <= 0 ? [] : await app.db.query(PAID_ORDERS, [Math.min(freeSlots, ORDERS_PER_RUN), numberColumn(full)])
    for (let from = 0; from < paid.length; from += CLAIMS_AT_ONCE) {
      const some = paid.slice(from, from + CLAIMS_AT_ONCE)
      const claims = await Promise.all(some.map((order) => claimPaid(app, order)))
      for (const claim of claims) if (claim !== null) send(claim)
    }
    return paid.length
  }

  return {
    async start() {
      const paid = await startPaid()
      const unsent = await takeUpUnsent(app, COMMANDS_AT_ONCE - sending.size)
      for (const claim of unsent) send(claim)
      // Read only now: compared with an older time, a command that has just begun would look like one from before a step of the clock.
      const now = app.clock.now()
      const doubted = doubtClaims(now, ORDERS_PER_RUN)
      for (const claim of await app.db.query(doubted.statement, doubted.values)) await noteDoubt(app, claim)
      const reported = await applySimulatedReports(app)
      await app.db.query(UNWATCH_UNPAYABLE, [now.toISOString()])
      return paid + unsent.length + reported
    },
    async stop() {
      await Promise.all([...sending].map(({ work }) => work))
    },
  }
}

/** Takes up claims that a dead process has not sent. They must be sent at once, so it takes no more than there are free slots. */
async function takeUpUnsent(app: App, freeSlots: number): Promise<DispenseClaim[]> {
  if (freeSlots <= 0) return []
  const takeUp = takeUpClaims(app.clock.now(), freeSlots)
  return app.db.query(takeUp.statement, takeUp.values)
}

/** Claims a paid order; null if there is nothing to command or another process was first. An error is logged, so that others go on. */
async function claimPaid(app: App, { merchantId, id }: PaidOrderKey): Promise<DispenseClaim | null> {
  try {
    const result = await claimOrder(app, { merchantId, id })
    if (result.kind === 'claimed') return result.claim
    if (result.kind !== 'off') return null
    const to = { status: 'failed', confirmed: false, result: null, error: TURNED_OFF } as const
    // `about: 'none'`: if vending was switched on and the order claimed meanwhile, that claim is not failed.
    await moveDispense(app, { kind: 'order', merchantId, id, to, source: 'command', about: 'none' })
  } catch (error) {
    logFailure(app, { orderId: id }, error)
  }
  return null
}

const logFailure = (app: App, { orderId }: Pick<DispenseClaim, 'orderId'>, error: unknown) =>
  app.log.error({ err: error, object_id: orderId }, 'dispensing an order failed; it is looked at again')
