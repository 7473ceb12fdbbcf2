import type { Head } from '../ledger/book.ts'
import type { Mode } from '../platform/mode.ts'
import { domainRefusal, type Refusal } from '../platform/refusal.ts'

const frozen = () =>
  domainRefusal(
    'payouts_frozen',
    'payouts are temporarily paused platform-wide for a safety review - no action needed on your side; money in is unaffected',
  )
const paused = () =>
  domainRefusal(
    'payouts_paused',
    'payouts are paused on this account while a payment reconciliation issue is investigated - support has been notified; your balance is safe and money in is unaffected',
  )

/**
 * Finds what stops this account from sending money now, on rows that the transaction has locked: the freeze of the platform or of the
 * account by our staff (live only), or the pause of an open critical exception in this mode (G69, G70). Null when nothing does.
 */
export function stopOf({
  mode,
  frozenFor,
  head,
}: {
  mode: Mode
  frozenFor: string | null
  head: Pick<Head, 'payoutsPausedBy' | 'payoutsFrozenFor'>
}): Refusal | null {
  if (mode === 'live' && frozenFor !== null) return frozen()
  if (mode === 'live' && head.payoutsFrozenFor !== null) return paused()
  return head.payoutsPausedBy === null ? null : paused()
}
