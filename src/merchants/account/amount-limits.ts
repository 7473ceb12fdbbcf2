import { domainRefusal } from '../../platform/refusal.ts'

/** Refuses an amount outside the limits of charges or payouts, or above the account's own limit where it has one. Whole UGX. */
export function judgeLimits(
  amount: number,
  { most, own, noun }: { most: number; own: number | null; noun: 'charge' | 'payout' },
): void {
  if (amount <= 0) throw domainRefusal('amount_not_positive', 'amount must be positive', { field: 'amount' })
  if (amount > most)
    throw domainRefusal('amount_too_large', `amount exceeds the maximum of ${most}`, { field: 'amount' })
  if (own !== null && amount > own)
    throw domainRefusal('amount_too_large', `amount exceeds this account's per-${noun} limit of ${own}`, {
      field: 'amount',
    })
}
