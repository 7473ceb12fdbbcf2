import type { LedgerHead } from '../../ledger/book.ts'
import type { Mode } from '../../platform/mode.ts'
import { domainRefusal, type Refusal } from '../../platform/refusal.ts'

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

/**
 * Finds what stops this account from sending money now, on rows that the transaction has locked: the freeze of the platform or of the
 * account by our staff (live only), or the pause of an open critical exception in this mode (G69, G70). Null when nothing does.
 */
export function findStop({
  mode,
  frozenFor,
  head,
}: {
  mode: Mode
  frozenFor: string | null
  head: Pick<LedgerHead, 'payoutsPausedBy' | 'payoutsFrozenFor'>
}): Refusal | null {
  if (mode === 'live' && frozenFor !== null) return platformFrozen()
  if (mode === 'live' && head.payoutsFrozenFor !== null) return accountPaused()
  return head.payoutsPausedBy === null ? null : accountPaused()
}
