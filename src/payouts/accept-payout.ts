import { createHash } from 'node:crypto'
import type { App } from '../app.ts'
import { type Book, inOpenMonth, lockHeads, openBook } from '../ledger/book.ts'
import { lockSubaccountHeads } from '../ledger/subaccount-heads.ts'
import { type MerchantTerms, type Mode, termsForPayout } from '../merchants/merchant.ts'
import { lockStops } from '../merchants/payout-freeze.ts'
import { assert } from '../platform/assert.ts'
import type { Call, Tx } from '../platform/db/database.ts'
import { uuidFor } from '../platform/ids.ts'
import { type NewPayout, newPayout, type PayoutOrigin } from './new-payout.ts'
import { DEFAULT_PAYOUT_CHANNEL } from './payout-request.ts'
import { insufficientBalance } from './payout-rules.ts'
import { stopOf } from './payout-stops.ts'
import { costOf, reservePayout } from './reserve-payout.ts'
import { openSwitches } from './sandbox-switch.ts'
import { addPayouts } from './write-payouts.ts'

/** A payout requested by command: a withdrawal, or the pay-out of a subaccount. */
export type Wanted = {
  holder: { merchantId: number; mode: Mode }
  origin: Extract<PayoutOrigin, { kind: 'withdrawal' | 'subaccount' }>
  amount: number
  /** Rules before freeze and pause (G14a, G66). */
  before(terms: MerchantTerms): void
  /** Rules after them, on rows that it locks. Answers the recipient. */
  payee(tx: Tx): Promise<{ phone: string; name: string | null }>
  /** With the same key again nothing is created, because the payout's id is derived from it. */
  key?: string | undefined
  /** What else this commit writes. */
  alongside?(payout: NewPayout): Call[]
}

/** Reserves and stores one payout in a transaction of its own. Throws Refusal with nothing written. */
export async function acceptPayout(app: App, wanted: Wanted): Promise<NewPayout> {
  const accepted = await inOpenMonth(() => reserveAndStore(app, wanted))
  app.nudge('send-payouts')
  return accepted
}

function reserveAndStore(app: App, wanted: Wanted): Promise<NewPayout> {
  const { merchantId, mode } = wanted.holder
  const at = app.clock.now()
  return app.db.transaction(async (tx) => {
    const [[terms], [stops], heads] = await tx.send(
      termsForPayout([{ merchantId, mode }]),
      lockStops(),
      lockHeads([{ merchantId, mode }]),
    )
    assert(terms, 'a merchant has a row')
    const { origin } = wanted
    const subaccounts =
      origin.kind === 'subaccount'
        ? (
            await tx.send(...lockSubaccountHeads([{ merchantId, mode, subaccountId: origin.subaccountId }]))
          )[1]
        : []
    const book = openBook(heads, at, subaccounts)
    wanted.before(terms)
    const stop = stopOf({ mode, frozenFor: stops?.frozenFor ?? null, head: book.head(merchantId, mode) })
    if (stop !== null) throw stop
    const payee = await wanted.payee(tx)
    const payout = newPayout(
      app,
      { merchantId, tag: terms.tag, mode },
      { origin, amount: wanted.amount, ...payee, channel: DEFAULT_PAYOUT_CHANNEL, reference: null, at },
    )
    if (wanted.key !== undefined) renameFor(payout, terms.tag, wanted.key)
    const have = availableFor(book, payout)
    if (have < costOf(payout)) throw insufficientBalance(have, payout)
    const switches = await openSwitches(tx, mode === 'test' ? [terms] : [])
    if (mode === 'test') payout.sandboxOutcome = switches.take(merchantId)
    reservePayout(book, payout)
    return {
      value: payout,
      last: [
        ...book.writes(),
        ...switches.writes(),
        ...addPayouts([payout]),
        ...(wanted.alongside?.(payout) ?? []),
      ],
    }
  })
}

function availableFor(book: Book, { merchantId, mode, subaccountId }: NewPayout): number {
  if (subaccountId === null) return book.head(merchantId, mode).available
  return book.subaccountHead(merchantId, mode, subaccountId).available
}

function renameFor(payout: NewPayout, tag: string, key: string): void {
  payout.id = idForKey(tag, key)
  payout.railReference = uuidFor(payout.id)
}

/** The id of the payout of a command with a key: the same key gives the same id. */
export const idForKey = (tag: string, key: string) =>
  `pout_${tag}${createHash('sha256').update(key).digest('hex').slice(0, 24)}`
