import type { Fault } from '../names.ts'
import { change, plant } from '../planting.ts'

// The first merchant's live day with the most charges.
const BUSY = {
  table: 'day_tallies',
  where: `(merchant_id, mode, day) = (select merchant_id, mode, day from day_tallies where merchant_id = 1 and mode = 'live'
    order by succeeded desc, day limit 1)`,
}

export const TALLY_FAULTS: readonly Fault[] = [
  ...plant('DT1', [
    ['1 live 2026-03-10', 'a day that counts a charge too many', change(BUSY, 'succeeded = succeeded + 100')],
  ]),
  ...plant('DT2', [
    ['1 live 2026-03-10', 'a day whose volume is a shilling short', change(BUSY, 'volume = volume - 1')],
    ['1 live 2026-03-10', 'a day with a fee that none of its charges has', change(BUSY, 'fees = fees + 1')],
  ]),
]
