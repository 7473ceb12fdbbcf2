import type { App } from '../../app.ts'
import { type Book, type Head, openBook } from '../../ledger/book.ts'
import {
  lockSubaccountHeads,
  type SubaccountHead,
  type SubaccountPlace,
} from '../../ledger/subaccount-heads.ts'
import type { MerchantTerms } from '../../merchants/merchant.ts'
import type { PayoutStop } from '../../merchants/payout-freeze.ts'
import { assert } from '../../platform/assert.ts'
import type { Call, Tx } from '../../platform/db/database.ts'
import type { MerchantMode } from '../../platform/mode.ts'
import type { Refusal } from '../../platform/refusal.ts'
import { type NewPayout, newPayout, type PayoutFacts } from '../new-payout.ts'
import type { PayoutReadiness } from '../payout-readiness.ts'
import { insufficientBalance, type RailAway, unavailableRail } from '../payout-rules.ts'
import { stopOf } from '../payout-stops.ts'
import { costOf, reservePayout } from '../reserve-payout.ts'
import { openSwitches } from '../sandbox-switch.ts'
import { addPayouts } from '../write-payouts.ts'

type Holder = MerchantMode & { tag: string }

/** How the rail stood before the transaction, and the refusal for one that is only away for some time. */
type Rail = { readiness: PayoutReadiness; away?: RailAway }

/** The one place where money is reserved for payouts: the rules of the balance, and what the transaction writes for them. */
export type Desk = {
  termsOf(merchantId: number): MerchantTerms
  /** Why this account may not send money now; null when it may. */
  stopOf(place: MerchantMode): Refusal | null
  /** What the account or subaccount of this payout can spend, in whole UGX. */
  availableFor(payout: Pick<NewPayout, 'merchantId' | 'mode' | 'subaccountId'>): number
  /** Stops, balance, rail, in this order; then reserves a new payout. Throws Refusal with nothing reserved. */
  accept(holder: Holder, facts: PayoutFacts, rail: Rail): NewPayout
  /** Balance and rail alone, for a payout that stands already. */
  reserve(payout: NewPayout, rail?: Rail): void
  writes(): Call[]
}

type Locked = {
  terms: readonly MerchantTerms[]
  stops: readonly PayoutStop[]
  heads: readonly Head[]
  at: Date
  /** Those whose money is to be paid out. */
  subaccounts?: readonly SubaccountPlace[]
}

/** Opens the desk over the rows that lockDesk has locked, and locks the last ones: heads of subaccounts, then switches. */
export async function openDesk(app: App, tx: Tx, locked: Locked): Promise<Desk> {
  const { terms, heads, at, subaccounts = [] } = locked
  const book = openBook(heads, at, await lockSubaccounts(tx, subaccounts))
  const inTest = new Set(heads.flatMap(({ mode, merchantId }) => (mode === 'test' ? merchantId : [])))
  const switches = await openSwitches(
    tx,
    terms.filter(({ id }) => inTest.has(id)),
  )
  const termsById = new Map(terms.map((terms) => [terms.id, terms]))
  const frozenFor = locked.stops[0]?.frozenFor ?? null
  const reserved: NewPayout[] = []
  const installations: string[] = []

  function reserve(payout: NewPayout, rail?: Rail): void {
    const have = availableFor(book, payout)
    if (have < costOf(payout)) throw insufficientBalance(have, payout)
    const installation = rail === undefined ? '' : installationOf(payout, rail)
    if (payout.mode === 'test') payout.sandboxOutcome = switches.take(payout.merchantId)
    reservePayout(book, payout)
    reserved.push(payout)
    installations.push(installation)
  }

  function findStop({ merchantId, mode }: MerchantMode): Refusal | null {
    return stopOf({ mode, frozenFor, head: book.head(merchantId, mode) })
  }

  return {
    termsOf(merchantId) {
      const found = termsById.get(merchantId)
      assert(found, 'a merchant with a key or a schedule has a row')
      return found
    },
    stopOf: findStop,
    availableFor: (payout) => availableFor(book, payout),
    accept(holder, facts, rail) {
      const stop = findStop(holder)
      if (stop !== null) throw stop
      const payout = newPayout(app, holder, facts)
      reserve(payout, rail)
      return payout
    },
    reserve,
    writes: () => [...book.writes(), ...switches.writes(), ...addPayouts(app, reserved, installations)],
  }
}

async function lockSubaccounts(tx: Tx, places: readonly SubaccountPlace[]): Promise<SubaccountHead[]> {
  if (places.length === 0) return []
  const [, heads] = await tx.send(...lockSubaccountHeads(places))
  return heads
}

function availableFor(book: Book, payout: Pick<NewPayout, 'merchantId' | 'mode' | 'subaccountId'>): number {
  const { merchantId, mode, subaccountId } = payout
  if (subaccountId === null) return book.head(merchantId, mode).available
  return book.subaccountHead(merchantId, mode, subaccountId).available
}

/** A single payout is sent at once, by this contract. The contract of the others is found when their turn comes. */
function installationOf({ kind }: NewPayout, { readiness, away }: Rail): string {
  if (readiness.kind === 'unavailable') throw unavailableRail(readiness, away)
  return kind === 'payout' ? readiness.installation : ''
}
