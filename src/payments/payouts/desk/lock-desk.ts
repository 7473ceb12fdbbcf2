import type { ExactWindow } from '../../../api/rate-limits/exact-window.ts'
import type { OpenWindows } from '../../../api/rate-limits/open-windows.ts'
import { type LedgerHead, lockHeads } from '../../../ledger/book.ts'
import { findTermsForPayout, type MerchantTerms } from '../../../merchants/account/merchant.ts'
import { lockPayoutStop, type PayoutStop } from '../../../merchants/account/payout-freeze.ts'
import type { Call, RowsOf, Tx } from '../../../platform/db/database.ts'
import type { MerchantMode } from '../../../platform/mode.ts'

type LockDeskInput<Own extends readonly Call[]> = {
  merchantModes: readonly MerchantMode[]
  at: Date
  /** The caller's own calls for rows that it also decides on: keys, charges, gift cards. */
  own: Own
  window: ExactWindow
}

/** The locked rows that decide whether an account may pay; `own` holds the rows of the caller's own calls. */
export type LockedDesk<Own extends readonly Call[] = readonly Call[]> = {
  terms: readonly MerchantTerms[]
  own: RowsOf<Own>
  stops: readonly PayoutStop[]
  windows: OpenWindows
  heads: readonly LedgerHead[]
}

/** Locks the terms and stops, the first part of the order below, for a transaction that decides on its own rows before it locks the heads. */
export const lockGuards = (merchantModes: readonly MerchantMode[]) =>
  [findTermsForPayout(merchantModes), lockPayoutStop()] as const satisfies readonly Call[]

/**
 * Locks in one flush the rows of a transaction that reserves payouts, in the one order in which no two transactions deadlock: terms, the
 * caller's own rows, stops, windows, heads. Heads of subaccounts, switches and limits of keys follow in
 * openDesk.
 */
export async function lockDesk<const Own extends readonly Call[]>(
  tx: Tx,
  { merchantModes, at, own, window }: LockDeskInput<Own>,
): Promise<LockedDesk<Own>> {
  const calls = [
    findTermsForPayout(merchantModes),
    ...own,
    lockPayoutStop(),
    ...window.lock(merchantModes),
    lockHeads(merchantModes),
  ]
  const answers: readonly unknown[] = await tx.send(...calls)
  const stops = 1 + own.length
  // The casts hold because the answers are in the order of the calls.
  return {
    terms: answers[0] as MerchantTerms[],
    own: answers.slice(1, stops) as RowsOf<Own>,
    stops: answers[stops] as PayoutStop[],
    windows: window.open(answers.slice(stops + 1, -1) as unknown[][], at.getTime()),
    heads: answers.at(-1) as LedgerHead[],
  }
}
