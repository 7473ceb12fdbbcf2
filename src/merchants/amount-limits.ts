import { domainRefusal } from '../platform/refusal.ts'

/** The rules about an amount alone, for charges and payouts, with the account's own limit where it has one. Throws Refusal. */
export function judgeLimits(
  amount: number,
  { most, own, noun }: { most: number; own: number | null; noun: 'charge' | 'payout' },
): void {
  if (amount <= 0) throw domainRefusal('amount_not_positive', 'amount must be positive')
  if (amount > most) throw domainRefusal('amount_too_large', `amount exceeds the maximum of ${most}`)
  if (own !== null && amount > own)
    throw domainRefusal('amount_too_large', `amount exceeds this account's per-${noun} limit of ${own}`)
}
