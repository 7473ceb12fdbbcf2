import { CHARGE_INVARIANTS } from './charge-invariants.ts'
import { EVENT_INVARIANTS } from './event-invariants.ts'
import type { Invariant } from './invariant.ts'
import { KEY_INVARIANTS } from './key-invariants.ts'
import { LEDGER_INVARIANTS } from './ledger-invariants.ts'
import { OWNER_INVARIANTS } from './owner-invariants.ts'
import { SETTLEMENT_INVARIANTS } from './settlement-invariants.ts'

/** Everything that is always true of one cell, in the order in which `verify` prints it. */
export const INVARIANTS: readonly Invariant[] = [
  ...LEDGER_INVARIANTS,
  ...CHARGE_INVARIANTS,
  ...SETTLEMENT_INVARIANTS,
  ...KEY_INVARIANTS,
  ...EVENT_INVARIANTS,
  ...OWNER_INVARIANTS,
]
