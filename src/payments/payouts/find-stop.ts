import type { LedgerHead } from '../../ledger/book.ts'
import type { Mode } from '../../platform/mode.ts'
import { domainRefusal, type Refusal } from '../../platform/refusal.ts'

/**
 * What stops an account from sending money: the freeze of the platform or of the account by our staff (live only), or the pause of an open
 * critical exception in this mode (G69, G70). The first that holds counts.
 */
export type StopKind = 'platform' | 'account' | 'exception'

type StopFacts = {
  mode: Mode
  /** The reason of the platform's freeze; null while payouts run. */
  frozenFor: string | null
  head: Pick<LedgerHead, 'payoutsPausedBy' | 'payoutsFrozenFor'>
}

/** Finds what stops this account now, on rows that the transaction has locked; null when nothing does. `stopKindSql` says the same. */
function findStopKind({ mode, frozenFor, head }: StopFacts): StopKind | null {
  if (mode === 'live' && frozenFor !== null) return 'platform'
  if (mode === 'live' && head.payoutsFrozenFor !== null) return 'account'
  return head.payoutsPausedBy === null ? null : 'exception'
}

/** The same rule for statements that pass over stopped accounts or show them: the StopKind of a row of `ledger_heads`, or null. */
export const stopKindSql = (head: string): string => `case
    when ${head}.mode = 'live' and exists (select from payout_stops where frozen_for is not null) then 'platform'
    when ${head}.mode = 'live' and ${head}.payouts_frozen_for is not null then 'account'
    when ${head}.payouts_paused_by is not null then 'exception' end`

/** The condition that payouts of this row of `ledger_heads` run. */
export const mayPayOutSql = (head: string): string => `((${stopKindSql(head)}) is null)`

const platformFrozen = () =>
  domainRefusal(
    'payouts_frozen',
    'payouts are temporarily paused platform-wide for a safety review - no action needed on your side; money in is unaffected',
  )
const accountPaused = () =>
  domainRefusal(
    'payouts_paused',
    'payouts are paused on this account while a payment reconciliation issue is investigated - support has been notified; your balance is safe and money in is unaffected',
  )

/** The refusal of each stop. The API does not say whether our staff or an exception has stopped an account; the dashboard does. */
export const STOP_REFUSALS: { readonly [kind in StopKind]: () => Refusal } = {
  platform: platformFrozen,
  account: accountPaused,
  exception: accountPaused,
}

/** Finds the refusal of a payout by what stops this account now; null when nothing does. */
export function findStop(facts: StopFacts): Refusal | null {
  const kind = findStopKind(facts)
  return kind === null ? null : STOP_REFUSALS[kind]()
}
