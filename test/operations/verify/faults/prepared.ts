import { type Fault, PAYOUT, PREPARED } from '../names.ts'
import { change, payouts, plant, prepared, remove } from '../planting.ts'

const { approved, waiting } = PREPARED

export const PREPARED_FAULTS: readonly Fault[] = plant('PP1', [
  [approved, 'an approval of its own maker', change(prepared(approved), 'decided_by = made_by')],
  [approved, 'an approval that made nothing', change(prepared(approved), 'object_id = null')],
  [approved, 'an approval of another moment', change(prepared(approved), `decided_at = decided_at + interval '1 ms'`)],
  [approved, 'an approval of another amount', change(prepared(approved), 'amount = amount + 1')],
  [approved, 'an approval of another kind', change(prepared(approved), `kind = 'bulk'`)],
  [approved, 'an approval in the other mode', change(prepared(approved), `mode = 'test'`)],
  [approved, 'an approval of a payout that is gone', remove(payouts(PAYOUT.livePaid))],
  [waiting, 'something made before it was approved', change(prepared(waiting), `object_id = '${PAYOUT.open}'`)],
])
