/** What a payout is for. */
export const PAYOUT_KIND_WORDS = {
  payout: 'single payout',
  bulk: 'bulk call',
  scheduled: 'payroll',
  refund: 'refund',
  withdrawal: 'withdrawal',
  subaccount: 'subaccount',
} as const

/** How money was released from its hold. */
export const SETTLEMENT_KIND_WORDS: Readonly<Record<string, string>> = {
  sweep: 'after the hold',
  instant: 'at once',
  split_sweep: 'shares of a subaccount',
}
