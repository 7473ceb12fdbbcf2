import { type Fault, STANDING_ORDER } from '../names.ts'
import { change, each, plant, standingOrders } from '../planting.ts'

const RUNS = `update standing_order_runs set`
const BY_ITSELF = `where by_itself`
const ORDER = standingOrders(STANDING_ORDER)

export const STANDING_ORDER_FAULTS: readonly Fault[] = [
  ...plant(
    'SO1',
    each(
      [
        ['a run of another amount than its withdrawal', `${RUNS} amount = amount + 1 where not by_itself`],
        ['more by itself than the limit of the day', `${RUNS} day_limit = day_total - 1 ${BY_ITSELF}`],
        ['a sum of the day that leaves something out', `${RUNS} day_total = day_total - 1 ${BY_ITSELF}`],
        ['a withdrawal above the limit that counts as approved by its order', `${RUNS} by_itself = true`],
        ['a run to another number than its withdrawal', `${RUNS} phone = '256700000001' ${BY_ITSELF}`],
        ['a run whose withdrawal is gone', `${RUNS} withdrawal_id = 'pout_gone' ${BY_ITSELF}`],
      ] as const,
      ([fault, sql]) => [STANDING_ORDER, fault, sql],
    ),
  ),
  ...plant(
    'SO2',
    each(
      [
        ['a limit that staff have not approved', change(ORDER, 'approved_limit = approved_limit + 1')],
        ['a number that staff have not approved', change(ORDER, `approved_phone = '256700000001'`)],
        ['an order that nobody has approved since it was changed', change(ORDER, 'revision = revision + 1')],
        ['a run under a limit that staff have not approved', `${RUNS} day_limit = day_limit + 1000 ${BY_ITSELF}`],
        ['an order that keeps back less than its merchant said', change(ORDER, 'keep_back = keep_back - 1')],
        ['an order with another limit of the merchant', change(ORDER, 'day_limit = day_limit + 1')],
        ['an order that runs at another time', change(ORDER, `rhythm = 'daily', hour = 3`)],
      ] as const,
      ([fault, sql]) => [STANDING_ORDER, fault, sql],
    ),
  ),
]
