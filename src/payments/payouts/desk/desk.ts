import { type Book, type LedgerHead, openBook } from '../../../ledger/book.ts'
import { lockSubaccountHeads, type SubaccountHead, type SubaccountKey } from '../../../ledger/subaccount-heads.ts'
import type { KeyName } from '../../../merchants/account/key-limits.ts'
import type { MerchantTerms } from '../../../merchants/account/merchant.ts'
import type { PayoutStop } from '../../../merchants/account/payout-freeze.ts'
import { assert } from '../../../platform/assert.ts'
import type { Call, Tx } from '../../../platform/db/database.ts'
import type { MerchantMode } from '../../../platform/mode.ts'
import type { Refusal } from '../../../platform/refusal.ts'
import { addMs } from '../../../platform/time/clock.ts'
import type { App } from '../../../program/app.ts'
import { lockNextEnds, type NextEnds } from '../../../rails/next-ends.ts'
import { findStop } from '../find-stop.ts'
import { type NewPayout, newPayout, type PayoutFacts } from '../new-payout.ts'
import type { PayoutReadiness } from '../payout-readiness.ts'
import { insufficientBalance, type RailAway, unavailableRail } from '../payout-rules.ts'
import { computeCost, reservePayout } from '../reserve-payout.ts'
import { openSwitches, type SandboxSwitches } from '../sandbox-switch.ts'
import { addPayouts } from '../write-payouts.ts'
import { openOutflows } from './outflows.ts'

type PayoutAccount = MerchantMode & { tag: string }

/** The readiness of the rail before the transaction, and the refusal for a rail that is only away for some time. */
type RailReadiness = { readiness: PayoutReadiness; away?: RailAway }

/** Reserves money for payouts; nothing else does. It holds the rules of the balance, and the writes of the transaction. */
export type Desk = {
  termsOf(merchantId: number): MerchantTerms
  /** Finds what stops this account from sending money now; null when nothing does. */
  findStop(account: MerchantMode): Refusal | null
  /** Returns what the account or subaccount of this payout can spend, in whole UGX. */
  availableFor(payout: Pick<NewPayout, 'merchantId' | 'mode' | 'subaccountId'>): number
  /** Judges stops, balance, the limit of the key and rail in this order and reserves a new payout. Throws Refusal with nothing reserved. */
  accept(holder: PayoutAccount, facts: PayoutFacts, rail: RailReadiness): NewPayout
  /** Judges balance, the limit of the key and rail alone and reserves a payout that was made already. Throws Refusal. */
  reserve(payout: NewPayout, rail?: RailReadiness): void
  writes(): Call[]
}

type DeskInput = {
  terms: readonly MerchantTerms[]
  stops: readonly PayoutStop[]
  heads: readonly LedgerHead[]
  at: Date
  /** The subaccounts whose money is to be paid out. */
  subaccounts?: readonly SubaccountKey[]
  /** The keys with a limit of the day whose payouts are to be reserved. */
  limitedKeys?: readonly KeyName[]
}

/**
 * Opens the desk over the rows that lockDesk has locked, and locks the remaining ones: heads of subaccounts, switches, then limits of
 * keys.
 */
export async function openDesk(app: App, tx: Tx, locked: DeskInput): Promise<Desk> {
  const { terms, heads, at, subaccounts = [], limitedKeys = [] } = locked
  const book = openBook(heads, at, await lockSubaccounts(tx, subaccounts))
  const inTest = new Set(heads.flatMap(({ mode, merchantId }) => (mode === 'test' ? merchantId : [])))
  const testTerms = terms.filter(({ id }) => inTest.has(id))
  const switches = await openSwitches(tx, testTerms)
  const nextEnds = await lockNextEnds(tx, testTerms, at)
  const outflows = await openOutflows(tx, limitedKeys, at)
  const termsById = new Map(terms.map((terms) => [terms.id, terms]))
  const frozenFor = locked.stops[0]?.frozenFor ?? null
  const reserved: NewPayout[] = []
  const installations: string[] = []

  function reserve(payout: NewPayout, rail?: RailReadiness): void {
    const have = availableFor(book, payout)
    if (have < computeCost(payout)) throw insufficientBalance(have, payout)
    outflows.judge(payout)
    const installation = rail === undefined ? '' : chooseInstallation(payout, rail)
    if (payout.mode === 'test') decideTestPayout(payout, { switches, nextEnds })
    outflows.take(payout)
    reservePayout(book, payout)
    reserved.push(payout)
    installations.push(installation)
  }

  function findStopOf({ merchantId, mode }: MerchantMode): Refusal | null {
    return findStop({ mode, frozenFor, head: book.head(merchantId, mode) })
  }

  return {
    termsOf(merchantId) {
      const merchantTerms = termsById.get(merchantId)
      assert(merchantTerms, 'a merchant with a key or a schedule has a row')
      return merchantTerms
    },
    findStop: findStopOf,
    availableFor: (payout) => availableFor(book, payout),
    accept(holder, facts, rail) {
      const stop = findStopOf(holder)
      if (stop !== null) throw stop
      const payout = newPayout(app, holder, facts)
      reserve(payout, rail)
      return payout
    },
    reserve,
    writes: () => [
      ...book.writes(),
      ...switches.writes(),
      ...nextEnds.writes(),
      ...outflows.writes(),
      ...addPayouts(app, reserved, installations),
    ],
  }
}

/** What was asked for the phone goes before the switch, which it leaves for the next payout. */
function decideTestPayout(
  payout: NewPayout,
  { switches, nextEnds }: { switches: SandboxSwitches; nextEnds: NextEnds },
): void {
  const end = nextEnds.take('disburse', { ...payout, phone: payout.recipientPhone })
  if (end === null) payout.sandboxOutcome = switches.take(payout.merchantId)
  else if (end.afterSeconds !== null && payout.followAt !== null)
    payout.followAt = addMs(payout.createdAt, end.afterSeconds * 1000)
}

async function lockSubaccounts(tx: Tx, keys: readonly SubaccountKey[]): Promise<SubaccountHead[]> {
  if (keys.length === 0) return []
  const [, heads] = await tx.send(...lockSubaccountHeads(keys))
  return heads
}

function availableFor(book: Book, payout: Pick<NewPayout, 'merchantId' | 'mode' | 'subaccountId'>): number {
  const { merchantId, mode, subaccountId } = payout
  if (subaccountId === null) return book.head(merchantId, mode).available
  return book.subaccountHead(merchantId, mode, subaccountId).available
}

/** Chooses the installation of a single payout, which is sent at once; '' for the others, whose installation is chosen when they are sent. Throws Refusal. */
function chooseInstallation({ kind }: NewPayout, { readiness, away }: RailReadiness): string {
  if (readiness.kind === 'unavailable') throw unavailableRail(readiness, away)
  return kind === 'payout' ? readiness.installation : ''
}
