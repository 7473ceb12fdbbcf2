import type { Caller } from '../../actors/actor.ts'
import type { App } from '../../app.ts'
import { kampalaIso } from '../../platform/kampala.ts'
import type { Mode } from '../../platform/mode.ts'
import { minus, type Sum, sumOf } from '../../platform/sums.ts'
import { type Figures, readFigures } from './figures.ts'
import { closedHeader, headerNow, type StatementHeader } from './header.ts'
import { type Lines, linesOf, type Section } from './lines.ts'
import type { Period } from './period.ts'
import { HELD_SEQS } from './seqs.ts'
import type { StatementHead, StatementTotals } from './shape.ts'
import { inSnapshot } from './snapshot.ts'

/** A month of one merchant in one mode, in one snapshot of the ledger; valid while its snapshot is open. */
type OpenStatement = {
  head: StatementHead
  figures: Figures
  /** The lines of a section, in pieces. Each section can be read once, one after the other. */
  lines(section: Section): AsyncGenerator<Lines>
}

/**
 * Opens the statement of a month for as long as `use` takes. A month that is over is closed first: from then on it never
 * changes by a byte. While the clock is in doubt a month that is not closed yet is shown as it runs. Errors: Refusal (503), and what the database throws.
 */
export async function withStatement<T>(
  app: App,
  caller: Caller,
  { period, use }: { period: Period; use: (statement: OpenStatement) => Promise<T> },
): Promise<T> {
  const now = app.clock.now()
  const closed = await closedHeader(app, caller, period)
  const complete = closed !== null
  const header = closed ?? (await headerNow(app.db, caller))
  const ledger = { merchantId: caller.merchantId, mode: caller.mode }
  return inSnapshot(app.db, async (snapshot) => {
    const figures = await readFigures(snapshot, ledger, { period, complete })
    const month = { ledger, period, complete, figures, heldSeqs: HELD_SEQS }
    const head = headOf(header, figures, { mode: caller.mode, period, complete, now })
    return use({ head, figures, lines: (section) => linesOf(snapshot, month, section) })
  })
}

function headOf(
  header: StatementHeader,
  figures: Figures,
  { mode, period, complete, now }: { mode: Mode; period: Period; complete: boolean; now: Date },
): StatementHead {
  return {
    object: 'statement',
    mode,
    merchant_name: header.merchantName,
    merchant_handle: header.handle,
    vat_number: header.vatNumber,
    period: period.name,
    period_key: period.name,
    period_label: period.label,
    timezone: 'Africa/Kampala',
    period_start: kampalaIso(period.start),
    period_end: kampalaIso(period.end),
    currency: 'UGX',
    generated_at: (complete ? period.end : now).toISOString(),
    complete,
    opening_balance: figures.opening,
    closing_balance: figures.closing,
  }
}

/** The totals of the lines. What gift cards paid is known once the lines of money_in have been read. */
export function totalsOf(figures: Figures, giftCards: Sum): StatementTotals {
  const { collectedNet, chargeFees, paidOut, paidOutTotal } = figures
  const payoutFees = sumOf(paidOutTotal, minus(paidOut))
  return {
    gross_in: sumOf(collectedNet, chargeFees, giftCards),
    gift_cards: giftCards,
    collected_net: collectedNet,
    paid_out: paidOut,
    paid_out_total: paidOutTotal,
    fees: sumOf(chargeFees, payoutFees),
    charge_fees: chargeFees,
    payout_fees: payoutFees,
    adjustments_net: figures.adjustmentsNet,
    count_in: figures.countIn,
    count_out: figures.countOut,
    count_adjustments: figures.countAdjustments,
  }
}
