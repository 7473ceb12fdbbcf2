import { Type } from 'typebox'
import type { Caller } from '../../../api/access/actor.ts'
import { reportTurns } from '../../../platform/batches/report-turns.ts'
import { statement } from '../../../platform/db/statement.ts'
import { ModeShape } from '../../../platform/mode.ts'
import type { ExactSum } from '../../../platform/sums.ts'
import type { App } from '../../../program/app.ts'

/** The sales of one machine; money in whole UGX (contract.md G40). */
type MachineTally = {
  machine: string
  name: string
  registered: boolean
  orders: number
  paid: number
  collected: ExactSum
  gift_cards: ExactSum
  fees: ExactSum
  settled: ExactSum
  pending_hold: ExactSum
  refunded: ExactSum
  dispensed: number
  units_dispensed: number
  dispense_failed: number
  cancelled: number
}

const moneyShape = (description: string) => Type.Integer({ description })

export const TalliesShape = Type.Object(
  {
    mode: ModeShape,
    as_of: Type.Integer({ minimum: 0, description: 'Unix seconds' }),
    machines: Type.Array(
      Type.Object(
        {
          machine: Type.String(),
          name: Type.String({ description: 'the last one known' }),
          registered: Type.Boolean({ description: 'false: it was removed, or the supplier has it no more' }),
          orders: Type.Integer({ minimum: 0, description: 'orders created' }),
          paid: Type.Integer({ minimum: 0, description: 'orders whose payment has ever succeeded' }),
          collected: moneyShape('paid by mobile money: amounts without what gift cards covered'),
          gift_cards: moneyShape('covered by gift cards'),
          fees: moneyShape('charge fees'),
          settled: moneyShape('net that has been released'),
          pending_hold: moneyShape('net that is still held; collected - fees = settled + pending_hold'),
          refunded: moneyShape('given back; the figures above stay as they were'),
          dispensed: Type.Integer({ minimum: 0, description: 'orders that stand at dispensed' }),
          units_dispensed: Type.Integer({ minimum: 0, description: 'products that the machine has reported' }),
          dispense_failed: Type.Integer({ minimum: 0, description: 'orders that stand at failed' }),
          cancelled: Type.Integer({ minimum: 0, description: 'orders that ended unpaid, or were taken back' }),
        },
        { $id: 'MachineTally' },
      ),
    ),
  },
  { $id: 'MachineTallies' },
)

// The query is planned anew for each merchant: a plan made for ten orders would loop a million times for a merchant with a
// million. The memory is enough to hash a million orders without writing a file.
const PLAN_SETTINGS = statement(
  'plans of tallies',
  `select set_config(name, value, true) from (values ('jit', 'off'), ('plan_cache_mode', 'force_custom_plan'),
     ('work_mem', '64MB')) s (name, value)`,
)
// At most one charge of an order is not failed (charges_once_on_link), so no join duplicates an order. A refund returns
// what was collected. An order counts as cancelled unless it is being paid or can still be paid; the query reads those,
// because they are few.
const READ_TALLIES = statement<MachineTally>(
  'tallies of machines',
  `select m.machine, m.name, m.active and m.removed_at is null as registered,
     coalesce(t.orders, 0) as orders, coalesce(t.paid, 0) as paid, coalesce(t.collected, 0) as collected,
     coalesce(t.gift_cards, 0) as gift_cards, coalesce(t.fees, 0) as fees, coalesce(t.settled, 0) as settled,
     coalesce(t.collected - t.fees - t.settled, 0) as pending_hold, coalesce(t.refunded, 0) as refunded,
     coalesce(t.dispensed, 0) as dispensed, coalesce(t.units, 0) as units_dispensed,
     coalesce(t.dispense_failed, 0) as dispense_failed, coalesce(t.cancelled, 0) as cancelled
   from machines m left join (
     select o.machine, count(*) as orders, count(c.due) as paid, coalesce(sum(c.due), 0)::bigint as collected,
       coalesce(sum(c.card), 0)::bigint as gift_cards, coalesce(sum(c.fee), 0)::bigint as fees,
       coalesce(sum(c.settled), 0)::bigint as settled, coalesce(sum(c.refunded), 0)::bigint as refunded,
       count(*) filter (where o.vending_status = 'dispensed') as dispensed,
       coalesce(sum(o.units_dispensed), 0)::bigint as units,
       count(*) filter (where o.vending_status = 'failed') as dispense_failed,
       count(*) filter (where l.id is null and c.payment_link_id is null) as cancelled
     from vending_orders o
     left join (
       select payment_link_id, amount - gift_card_amount as due, gift_card_amount as card, fee,
         case when settled_at is not null then amount - gift_card_amount - fee end as settled,
         case when status = 'refunded' then amount - gift_card_amount end as refunded
       from charges where merchant_id = $1 and mode = $2 and payment_link_id is not null
         and status in ('succeeded', 'refunded')
       union all
       select payment_link_id, null, null, null, null, null from charges
       where merchant_id = $1 and mode = $2 and payment_link_id is not null and follow_at is not null
     ) c on c.payment_link_id = o.id
     left join (select id from payment_links where merchant_id = $1 and mode = $2 and kind = 'order'
         and invalidated_at is null and expires_at > $3) l on l.id = o.id
     where o.merchant_id = $1 and o.mode = $2
       and ($4::text is null or o.machine = $4) and ($5::timestamptz is null or o.created_at >= $5)
     group by o.machine) t on t.machine = m.machine
   where m.merchant_id = $1 and ($4::text is null or m.machine = $4)
     and (t.orders is not null or (m.active and m.removed_at is null))
   order by m.machine collate "C"`,
)

/**
 * Reads the sales of each machine, in one snapshot of the orders and their transactions (contract.md G40). Registered machines
 * always appear; a removed one appears if it has orders.
 */
export async function readMachineTallies(
  app: App,
  { merchantId, mode }: Pick<Caller, 'merchantId' | 'mode'>,
  { machine, since }: { machine: string | null; since: Date | null },
) {
  const now = app.clock.now()
  const values = [merchantId, mode, now.toISOString(), machine, since?.toISOString() ?? null]
  const machines = await reportTurns(app).small(merchantId, () =>
    app.db.snapshot(async (client) => {
      await client.query(PLAN_SETTINGS.text)
      return (await client.query<MachineTally>({ ...READ_TALLIES, values })).rows
    }),
  )
  return { mode, as_of: Math.floor(now.getTime() / 1000), machines }
}
