/**
 * Accounts are names inside (merchant, mode); no table of them exists (ledger.md section 2). Those with a floor have
 * their balance in the head row, which may not go below zero.
 */
export type FloorAccount = 'available' | 'pending' | 'in_flight'
export type Account = FloorAccount | 'fees' | 'sandbox' | 'adjustments' | `rail:${string}`

/** The merchant's mirror of the money lying at the operator of this channel. */
export const railAccount = (channel: string): Account => `rail:${channel}`

/** Every kind of transfer there is so far, with the accounts it may touch. The database says the same (known_shape). */
const TRANSFER_KINDS = {
  charge_net: { debit: ['rail'], credit: ['pending', 'available'] },
  charge_fee: { debit: ['rail'], credit: ['fees'] },
  hold_release: { debit: ['pending'], credit: ['available'] },
  test_funds: { debit: ['sandbox'], credit: ['available'] },
} as const satisfies Record<string, { debit: readonly string[]; credit: readonly string[] }>

export type TransferKind = keyof typeof TRANSFER_KINDS

export const isFloorAccount = (account: Account): account is FloorAccount =>
  account === 'available' || account === 'pending' || account === 'in_flight'
