import { railAccount, subAvailable } from '../../ledger/accounts.ts'
import type { Book } from '../../ledger/book.ts'
import { assert } from '../../platform/assert.ts'
import type { NewPayout } from './new-payout.ts'
import type { Payout } from './payout.ts'

type PayoutMoney = Pick<
  Payout,
  'merchantId' | 'mode' | 'id' | 'kind' | 'amount' | 'fee' | 'channel' | 'subaccountId' | 'chargeId'
>

/** The amount that leaves the available balance when the payout is accepted, in whole UGX. */
export const computeCost = ({ amount, fee }: Pick<Payout, 'amount' | 'fee'>) => amount + fee

/** Reserves amount + fee. The caller must check first that the locked head has it; asserts that no balance goes below zero (spec 4.2; P1). */
export function reservePayout(book: Book, payout: NewPayout): void {
  const { merchantId, mode, id: subject } = payout
  const amount = computeCost(payout)
  const kind = payout.kind === 'subaccount' ? 'sub_payout_reserve' : 'payout_reserve'
  book.post({
    merchantId,
    mode,
    kind,
    subject,
    debit: chooseSourceAccount(payout),
    credit: 'in_flight',
    amount,
  })
}

/** Posts a paid payout: the reservation leaves as amount and fee; a refund's charge fee comes back (3 e). */
export function postPaid(book: Book, payout: PayoutMoney & { feeToReturn: number }): void {
  const { merchantId, mode, id: subject } = payout
  const debit = 'in_flight'
  const credit = railAccount(payout.channel)
  book.post({ merchantId, mode, kind: 'payout_sent', subject, debit, credit, amount: payout.amount })
  book.post({ merchantId, mode, kind: 'payout_fee', subject, debit, credit: 'fees', amount: payout.fee })
  if (payout.feeToReturn === 0) return
  assert(payout.chargeId !== null, 'only a refund gives a charge fee back')
  book.post({
    merchantId,
    mode,
    kind: 'charge_fee_return',
    subject: payout.chargeId,
    debit: 'fees',
    credit: 'available',
    amount: payout.feeToReturn,
  })
}

/** Posts a failed payout: amount and fee return to where they came from. */
export function postReturned(book: Book, payout: PayoutMoney): void {
  const { merchantId, mode, id: subject } = payout
  const amount = computeCost(payout)
  const kind = payout.kind === 'subaccount' ? 'sub_payout_return' : 'payout_return'
  book.post({
    merchantId,
    mode,
    kind,
    subject,
    debit: 'in_flight',
    credit: chooseSourceAccount(payout),
    amount,
  })
}

function chooseSourceAccount({ kind, subaccountId }: Pick<Payout, 'kind' | 'subaccountId'>) {
  if (kind !== 'subaccount') return 'available'
  assert(subaccountId !== null, 'a pay-out of a subaccount names it')
  return subAvailable(subaccountId)
}
