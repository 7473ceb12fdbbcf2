import { LARGEST_AMOUNT, LARGEST_INTEGER, setting, wholeNumber } from './setting-readers.ts'

const amount = (name: string, byDefault: string, reason: string) =>
  setting(name, byDefault, reason, wholeNumber(1, LARGEST_AMOUNT))

/** Limits of amounts, whole UGX. Those of a rail hold in live mode only: its operator refuses amounts outside of them. */
export const AMOUNT_SETTINGS = {
  amountMax: amount(
    'AMOUNT_MAX',
    '1000000000',
    'the largest amount of one transaction, whole UGX; at most 1000000000000',
  ),
  railCollectMin: amount('RAIL_COLLECT_MIN', '500', 'the least that a live charge or top-up may collect'),
  railCollectMax: amount('RAIL_COLLECT_MAX', '5000000', 'the most that a live charge or top-up may collect'),
  railPayoutMin: amount('RAIL_PAYOUT_MIN', '500', 'the least that a live payout may send'),
  railPayoutMax: amount('RAIL_PAYOUT_MAX', '5000000', 'the most that a live payout may send'),
  withdrawalMin: setting(
    'WITHDRAWAL_MIN',
    '5000',
    'the smallest withdrawal to the own wallet, whole UGX',
    wholeNumber(1, LARGEST_INTEGER),
  ),
}
