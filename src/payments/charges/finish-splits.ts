import { railAccount, subAvailable, subPending } from '../../ledger/accounts.ts'
import type { Book } from '../../ledger/book.ts'
import { addShareSettlements } from '../../ledger/settlements.ts'
import { lockSubaccountHeads, type SubaccountHead } from '../../ledger/subaccount-heads.ts'
import type { MerchantTerms } from '../../merchants/account/merchant.ts'
import { assert } from '../../platform/assert.ts'
import type { Call, Tx } from '../../platform/db/database.ts'
import { newAscendingId } from '../../platform/text/ids.ts'
import { type ChargeShare, groupByCharge, lockPayees, writeShares } from '../subaccounts/shares.ts'
import type { SubaccountStatus } from '../subaccounts/subaccount.ts'
import { type Charge, computeResidual } from './charge.ts'
import type { ChargeOutcomeRow } from './write-charge-status.ts'
import { correctSplits, type SplitCorrection } from './write-charges.ts'

/** The heads that finishing split charges has locked, and what it writes besides the charges. */
type SplitResult = { heads: readonly SubaccountHead[]; writes: readonly Call[] }
type SharePayee = ChargeShare & { status: SubaccountStatus }
type SplitInput = { endById: Map<string, ChargeOutcomeRow>; terms: Map<number, MerchantTerms>; at: Date }

const NO_SPLITS: SplitResult = { heads: [], writes: [] }
const hasShares = ({ shares }: Charge) => shares !== null

/**
 * Decides each share of the charges that have just been finished (CH9). A share is reversed, and stays with the merchant, when
 * its charge failed or its subaccount is inactive now. Otherwise it is held or settled with its charge. Goes after the ledger
 * heads. Sends nothing without a split charge.
 */
export async function finishSplits(tx: Tx, finished: readonly Charge[], input: SplitInput): Promise<SplitResult> {
  const charges = finished.filter(hasShares)
  if (charges.length === 0) return NO_SPLITS
  const [payees] = await tx.send(lockPayees(charges))
  const payeesOf = groupByCharge(payees)
  const corrections = charges.flatMap((charge) => finishSharesOf(charge, payeesOf.get(charge.id) ?? [], input))
  const shares = charges.flatMap((charge) => charge.split ?? [])
  const credited = shares.filter((share) => !share.reversed)
  const heads = credited.length === 0 ? [] : (await tx.send(...lockSubaccountHeads(credited)))[1]
  const writes = [...writeShares(shares), ...correctSplits(corrections), ...addInstantSettlements(credited, input.at)]
  return { heads, writes }
}

/** Posts the credit of each subaccount. */
export function postShares(book: Book, charge: Charge): void {
  for (const { merchantId, mode, reversed, settledAt, subaccountId, amount } of charge.split ?? []) {
    if (reversed) continue
    book.post({
      merchantId,
      mode,
      kind: 'split_share',
      subject: charge.id,
      debit: railAccount(charge.channel),
      credit: settledAt === null ? subPending(subaccountId) : subAvailable(subaccountId),
      amount,
    })
  }
}

/** Decides the shares of one charge and sets them in it. Returns the correction of its row, which was written before they were known. */
function finishSharesOf(
  charge: Charge,
  payees: readonly SharePayee[],
  { endById, terms }: SplitInput,
): SplitCorrection[] {
  const outcome = endById.get(charge.id)
  const tag = terms.get(charge.merchantId)?.tag
  assert(outcome && tag, 'a charge was ended by one of the moves, and its merchant is known')
  charge.split = payees.map((payee) => finishShare(charge, payee, tag))
  if (charge.status === 'failed') return []
  const before = charge.shares
  const shares = charge.split.reduce((sum, { amount, reversed }) => sum + (reversed ? 0 : amount), 0)
  charge.shares = shares
  const settlementId = computeResidual(charge) > 0 ? outcome.settlementId : null
  if (shares === before && settlementId === outcome.settlementId) return []
  return [{ merchantId: charge.merchantId, id: charge.id, shares, settlementId }]
}

function finishShare(charge: Charge, { status, ...share }: SharePayee, tag: string): ChargeShare {
  if (charge.status === 'failed' || status !== 'active') return { ...share, reversed: true }
  const { holdUntil, settledAt } = charge
  return {
    ...share,
    holdUntil,
    settledAt,
    settlementId: settledAt === null ? null : newAscendingId('setl_', tag, settledAt),
  }
}

/** Adds one settlement for each share without a hold. */
const addInstantSettlements = (shares: readonly ChargeShare[], createdAt: Date) =>
  addShareSettlements(
    shares.flatMap(({ merchantId, settlementId: id, mode, subaccountId, amount }) =>
      id === null ? [] : [{ merchantId, id, mode, subaccountId, amount, chargeCount: 1, createdAt }],
    ),
  )
