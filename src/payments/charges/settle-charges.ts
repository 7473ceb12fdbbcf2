import { type Actor, serviceActor } from '../../api/access/actor.ts'
import { allow } from '../../api/access/allow.ts'
import { inOpenMonth, lockHeads, openBook } from '../../ledger/book.ts'
import { addSettlements } from '../../ledger/settlements.ts'
import { clockOffsetMs, findTerms } from '../../merchants/account/merchant.ts'
import { assert } from '../../platform/assert.ts'
import { call } from '../../platform/db/database.ts'
import { classifyDatabaseError, DatabaseAway } from '../../platform/db/errors.ts'
import { statement } from '../../platform/db/statement.ts'
import type { MerchantMode } from '../../platform/mode.ts'
import { crashPoint } from '../../platform/processes/crash-point.ts'
import { newAscendingId } from '../../platform/text/ids.ts'
import { addMs } from '../../platform/time/clock.ts'
import type { App } from '../../program/app.ts'
import { releaseShares } from './settle-shares.ts'

// One transaction releases at most this many charges, or shares, of one merchant; the loop repeats it until none is left. Payments of
// that merchant wait for the transaction: with 5,000 they were twice as slow beside a sweep, with 500 the sweep took half as long again.
const MAX_RELEASED_PER_TRANSACTION = 1000
const LEDGERS_PER_PAGE = 500

// In test mode the merchant's test clock decides what is due (contract.md 3 a).
const CLOCK_OFFSET = `case h.mode when 'test' then m.test_clock_offset_ms else 0 end * interval '1 millisecond'`
const DUE_LEDGERS = statement<MerchantMode>(
  'ledgers with charges to settle',
  `select h.merchant_id as "merchantId", h.mode from ledger_heads h join merchants m on m.id = h.merchant_id
   where (h.merchant_id, h.mode::text) > ($3::bigint, $4::text) and (
     h.pending > 0 and exists (
       select 1 from charges c where c.merchant_id = h.merchant_id and c.mode = h.mode and c.settled_at is null
         and c.hold_until <= $1::timestamptz + ${CLOCK_OFFSET})
     or exists (
       select 1 from charge_shares s where s.merchant_id = h.merchant_id and s.mode = h.mode and s.settled_at is null
         and s.hold_until <= $1::timestamptz + ${CLOCK_OFFSET}))
   order by h.merchant_id, h.mode::text limit $2`,
)
// A split charge whose shares took everything is settled without a settlement.
const CLAIM_CHARGES = statement<{ residual: number }>(
  'claim charges to settle',
  `update charges c set settled_at = $3,
     settlement_id = case when c.shares = c.amount - c.gift_card_amount - c.fee then null else $6 end
   from (select id from charges where merchant_id = $1 and mode = $2 and settled_at is null and hold_until <= $4
     order by hold_until limit $5 for no key update skip locked) due
   where c.merchant_id = $1 and c.id = due.id and c.settled_at is null
   returning c.amount - c.gift_card_amount - c.fee - coalesce(c.shares, 0) as residual`,
)

const SWEEP_ACTOR = serviceActor('settle-charges')

/**
 * Releases every charge and share whose hold is over from pending to available: each once, by compare-and-set, one
 * settlement record and one transfer for the sum (spec 1.8; ledger.md 5), the shares of each subaccount apart. An error of
 * one merchant does not stop the others. Returns how many charges and shares were released.
 */
export async function settleCharges(app: App): Promise<number> {
  let settled = 0
  let after: MerchantMode = { merchantId: 0, mode: 'live' }
  for (;;) {
    const due = await app.db.query(DUE_LEDGERS, [
      app.witness.earlier().toISOString(),
      LEDGERS_PER_PAGE,
      after.merchantId,
      after.mode,
    ])
    const last = due.at(-1)
    if (!last) return settled
    for (const ledger of due) settled += await settleLedger(app, SWEEP_ACTOR, ledger)
    after = last
  }
}

/** Releases the due charges and shares of one merchant and mode. Logs an error of this ledger alone, so that the sweep goes on. */
export async function settleLedger(app: App, actor: Actor, ledger: MerchantMode): Promise<number> {
  allow(actor, 'ledger.settle')
  let settled = 0
  const wasFull = (released: number) => {
    crashPoint('settle.released')
    settled += released
    return released === MAX_RELEASED_PER_TRANSACTION
  }
  try {
    for (let more = true; more; ) more = wasFull(await inOpenMonth(() => releaseCharges(app, ledger)))
    for (let more = true; more; )
      more = wasFull(await inOpenMonth(() => releaseShares(app, ledger, MAX_RELEASED_PER_TRANSACTION)))
    return settled
  } catch (error) {
    // The database is away for every ledger: the whole sweep stops and is tried again in a second, not in an hour.
    if (classifyDatabaseError(error) instanceof DatabaseAway) throw error
    app.log.error({ err: error, merchant: ledger.merchantId, mode: ledger.mode }, 'settling stopped for this merchant')
    return settled
  }
}

function releaseCharges(app: App, { merchantId, mode }: MerchantMode): Promise<number> {
  const at = app.clock.now()
  return app.db.transaction(async (tx) => {
    const [[terms]] = await tx.send(findTerms([merchantId]))
    assert(terms, 'a ledger has a merchant')
    const dueAt = addMs(app.witness.earlier(), clockOffsetMs(terms, mode))
    const id = newAscendingId('setl_', terms.tag, at)
    const [claimed, heads] = await tx.send(
      call(CLAIM_CHARGES, merchantId, mode, at.toISOString(), dueAt.toISOString(), MAX_RELEASED_PER_TRANSACTION, id),
      lockHeads([{ merchantId, mode }]),
    )
    crashPoint('settle.claimed')
    const paid = claimed.filter(({ residual }) => residual > 0)
    const amount = paid.reduce((sum, { residual }) => sum + residual, 0)
    if (amount === 0) return { value: claimed.length }
    const book = openBook(heads, at)
    book.post({
      merchantId,
      mode,
      kind: 'hold_release',
      subject: id,
      debit: 'pending',
      credit: 'available',
      amount,
    })
    const settlement = {
      merchantId,
      id,
      mode,
      kind: 'sweep' as const,
      amount,
      chargeCount: paid.length,
      createdAt: at,
    }
    return { value: claimed.length, last: [...book.writes(), ...addSettlements([settlement])] }
  })
}

const NEXT_RELEASE = statement<{ holdUntil: Date }>(
  'next release of charges',
  `select hold_until as "holdUntil" from charges
   where merchant_id = $1 and mode = $2 and hold_until is not null and settled_at is null order by hold_until limit 1`,
)

/** Finds when the next part of a pending balance becomes available; null when nothing is pending. */
export async function findNextRelease(app: App, { merchantId, mode }: MerchantMode): Promise<Date | null> {
  const [row] = await app.db.query(NEXT_RELEASE, [merchantId, mode])
  return row?.holdUntil ?? null
}
