import { type Head, lockHeads } from '../../ledger/book.ts'
import { type MerchantTerms, termsForPayout } from '../../merchants/merchant.ts'
import { lockStops, type PayoutStop } from '../../merchants/payout-freeze.ts'
import type { Call, RowsOf, Tx } from '../../platform/db/database.ts'
import type { MerchantMode } from '../../platform/mode.ts'
import type { ExactWindow } from '../../rate-limits/exact-window.ts'
import type { OpenWindows } from '../../rate-limits/open-windows.ts'

type Wanted<Own extends readonly Call[]> = {
  places: readonly MerchantMode[]
  at: Date
  /** What the caller decides on besides: keys, charges, gift cards. */
  own: Own
  window: ExactWindow
}

/** The rows that decide whether an account may pay; `own` answers the calls of the caller. */
export type LockedDesk<Own extends readonly Call[] = readonly Call[]> = {
  terms: readonly MerchantTerms[]
  own: RowsOf<Own>
  stops: readonly PayoutStop[]
  windows: OpenWindows
  heads: readonly Head[]
}

/** The first part of the order below, for a transaction that looks at rows of its own before it locks the heads. */
export const lockGuards = (places: readonly MerchantMode[]) =>
  [termsForPayout(places), lockStops()] as const satisfies readonly Call[]

/**
 * Locks in one flush what every transaction locks that reserves payouts, in the one order in which none waits for another
 * in a ring: terms, what is the caller's own, stops, windows, heads. Heads of subaccounts and switches follow in openDesk.
 */
export async function lockDesk<const Own extends readonly Call[]>(
  tx: Tx,
  { places, at, own, window }: Wanted<Own>,
): Promise<LockedDesk<Own>> {
  const calls = [termsForPayout(places), ...own, lockStops(), ...window.lock(places), lockHeads(places)]
  const answers: readonly unknown[] = await tx.send(...calls)
  const stops = 1 + own.length
  // Every cast here: an answer stands at the place of its call.
  return {
    terms: answers[0] as MerchantTerms[],
    own: answers.slice(1, stops) as RowsOf<Own>,
    stops: answers[stops] as PayoutStop[],
    windows: window.open(answers.slice(stops + 1, -1) as unknown[][], at.getTime()),
    heads: answers.at(-1) as Head[],
  }
}
