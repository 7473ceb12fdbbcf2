import { subAvailable, subPending } from '../../ledger/accounts.ts'
import { lockHeads, openBook } from '../../ledger/book.ts'
import { addShareSettlements, type ShareSettlement } from '../../ledger/settlements.ts'
import { lockSubaccountHeads } from '../../ledger/subaccount-heads.ts'
import { clockOffsetMs, findTerms } from '../../merchants/account/merchant.ts'
import { assert } from '../../platform/assert.ts'
import type { MerchantMode } from '../../platform/mode.ts'
import { newAscendingId } from '../../platform/text/ids.ts'
import { addMs } from '../../platform/time/clock.ts'
import type { App } from '../../program/app.ts'
import { type ChargeShare, lockDueShares, writeShares } from '../subaccounts/shares.ts'

/**
 * Releases up to `limit` shares whose hold is over, each once: for every subaccount one settlement record and one transfer
 * for the sum (ledger.md 5). Returns how many shares. Throws MonthClosed.
 */
export function releaseShares(app: App, ledger: MerchantMode, limit: number): Promise<number> {
  const at = app.clock.now()
  return app.db.transaction(async (tx) => {
    const [[terms]] = await tx.send(findTerms([ledger.merchantId]))
    assert(terms, 'a ledger has a merchant')
    const dueAt = addMs(app.witness.earlier(), clockOffsetMs(terms, ledger.mode))
    const [due] = await tx.send(lockDueShares(ledger, dueAt, limit))
    if (due.length === 0) return { value: 0 }
    const [heads, , subaccountHeads] = await tx.send(lockHeads([ledger]), ...lockSubaccountHeads(due))
    const settlements = sumBySubaccount(due, { ...ledger, tag: terms.tag, at })
    const book = openBook(heads, at, subaccountHeads)
    for (const { id: subject, subaccountId, amount } of settlements.values())
      book.post({
        ...ledger,
        kind: 'split_release',
        subject,
        debit: subPending(subaccountId),
        credit: subAvailable(subaccountId),
        amount,
      })
    const released = due.map((share) => ({
      ...share,
      settledAt: at,
      settlementId: settlements.get(share.subaccountId)?.id ?? null,
    }))
    const records = addShareSettlements([...settlements.values()])
    return { value: due.length, last: [...writeShares(released), ...book.writes(), ...records] }
  })
}

/** Makes one settlement record for each subaccount, with the sum of its shares. */
function sumBySubaccount(
  due: readonly ChargeShare[],
  { merchantId, mode, tag, at: createdAt }: MerchantMode & { tag: string; at: Date },
): Map<string, ShareSettlement> {
  const settlements = new Map<string, ShareSettlement>()
  for (const { subaccountId, amount } of due) {
    const settlement = settlements.get(subaccountId)
    if (settlement) {
      settlement.amount += amount
      settlement.chargeCount += 1
    } else {
      const id = newAscendingId('setl_', tag, createdAt)
      settlements.set(subaccountId, { merchantId, id, mode, subaccountId, amount, chargeCount: 1, createdAt })
    }
  }
  return settlements
}
