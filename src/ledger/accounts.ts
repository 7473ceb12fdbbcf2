/**
 * The name of an account inside (merchant, mode); there is no table of accounts (ledger.md section 2). The balance of a floor
 * account is a column of the head row and may not go below zero. A subaccount has a head row of its own with its two balances.
 */
export type FloorAccount = 'available' | 'pending' | 'in_flight'
export type SubaccountAccount = `sub_available:${string}` | `sub_pending:${string}`
export type LedgerAccount = FloorAccount | SubaccountAccount | 'fees' | 'sandbox' | 'adjustments' | `rail:${string}`

/** The merchant's share of the money at the operator of this channel. */
export const railAccount = (channel: string): LedgerAccount => `rail:${channel}`

/** The two accounts of a subaccount: what it may be paid now, and what is still in its hold. */
export const subAvailable = (subaccountId: string): SubaccountAccount => `sub_available:${subaccountId}`
export const subPending = (subaccountId: string): SubaccountAccount => `sub_pending:${subaccountId}`

/** Every kind of transfer, with the accounts it may debit and credit. Constraint known_shape holds the same table. */
const TRANSFER_KINDS = {
  charge_net: { debit: ['rail'], credit: ['pending', 'available'] },
  charge_fee: { debit: ['rail'], credit: ['fees'] },
  split_share: { debit: ['rail'], credit: ['sub_pending', 'sub_available'] },
  hold_release: { debit: ['pending'], credit: ['available'] },
  split_release: { debit: ['sub_pending'], credit: ['sub_available'] },
  payout_reserve: { debit: ['available'], credit: ['in_flight'] },
  payout_sent: { debit: ['in_flight'], credit: ['rail'] },
  payout_fee: { debit: ['in_flight'], credit: ['fees'] },
  payout_return: { debit: ['in_flight'], credit: ['available'] },
  sub_payout_reserve: { debit: ['sub_available'], credit: ['in_flight'] },
  sub_payout_return: { debit: ['in_flight'], credit: ['sub_available'] },
  charge_fee_return: { debit: ['fees'], credit: ['available'] },
  test_funds: { debit: ['sandbox'], credit: ['available'] },
  top_up: { debit: ['rail'], credit: ['available'] },
  correction_in: { debit: ['adjustments', 'rail', 'fees'], credit: ['available'] },
  correction_out: { debit: ['available'], credit: ['adjustments', 'rail', 'fees'] },
} as const satisfies Record<string, { debit: readonly string[]; credit: readonly string[] }>

export type TransferKind = keyof typeof TRANSFER_KINDS

export const isFloorAccount = (account: LedgerAccount): account is FloorAccount =>
  account === 'available' || account === 'pending' || account === 'in_flight'

/** Splits the name of a subaccount's account into the subaccount and which of its two balances; null for every other account. */
export function parseSubaccountAccount(
  account: LedgerAccount,
): { subaccountId: string; balance: 'available' | 'pending' } | null {
  if (account.startsWith('sub_available:')) return { subaccountId: account.slice(14), balance: 'available' }
  if (account.startsWith('sub_pending:')) return { subaccountId: account.slice(12), balance: 'pending' }
  return null
}
