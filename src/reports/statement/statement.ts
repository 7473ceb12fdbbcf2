import type { Caller } from '../../api/access/actor.ts'
import type { Mode } from '../../platform/mode.ts'
import { addSums, type ExactSum, negate } from '../../platform/sums.ts'
import { kampalaIso } from '../../platform/time/kampala.ts'
import type { App } from '../../program/app.ts'
import { readFigures, type StatementFigures } from './figures.ts'
import { closeAndReadHeader, readCurrentHeader, type StatementHeader } from './header.ts'
import { readSectionLines, type StatementLines, type StatementSection } from './lines.ts'
import type { StatementPeriod } from './period.ts'
import { MAX_HELD_SEQS } from './seqs.ts'
import type { StatementHead, StatementTotals } from './shape.ts'
import { withSnapshot } from './snapshot.ts'

/** A month of one merchant in one mode, in one snapshot of the ledger; valid while its snapshot is open. */
type OpenStatement = {
  head: StatementHead
  figures: StatementFigures
  /** The lines of a section, in pieces. Each section can be read once, one after the other. */
  lines(section: StatementSection): AsyncGenerator<StatementLines>
}

/**
 * Opens the statement of a month for as long as `use` takes. A month that is over is closed first: from then on it never
 * changes by a byte. While the clock is in doubt a month that is not closed yet is shown as it runs. Errors: Refusal (503), and what the database throws.
 */
export async function withStatement<T>(
  app: App,
  caller: Caller,
  { period, use }: { period: StatementPeriod; use: (statement: OpenStatement) => Promise<T> },
): Promise<T> {
  const now = app.clock.now()
  const closed = await closeAndReadHeader(app, caller, period)
  const complete = closed !== null
  const header = closed ?? (await readCurrentHeader(app.db, caller))
  const ledger = { merchantId: caller.merchantId, mode: caller.mode }
  return withSnapshot(app.db, async (snapshot) => {
    const figures = await readFigures(snapshot, ledger, { period, complete })
    const month = { ledger, period, complete, figures, heldSeqs: MAX_HELD_SEQS }
    const head = presentHead(header, figures, { mode: caller.mode, period, complete, now })
    return use({ head, figures, lines: (section) => readSectionLines(snapshot, month, section) })
  })
}

function presentHead(
  header: StatementHeader,
  figures: StatementFigures,
  { mode, period, complete, now }: { mode: Mode; period: StatementPeriod; complete: boolean; now: Date },
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
export function presentTotals(figures: StatementFigures, giftCards: ExactSum): StatementTotals {
  const { collectedNet, chargeFees, paidOut, paidOutTotal } = figures
  const payoutFees = addSums(paidOutTotal, negate(paidOut))
  return {
    gross_in: addSums(collectedNet, chargeFees, giftCards),
    gift_cards: giftCards,
    collected_net: collectedNet,
    paid_out: paidOut,
    paid_out_total: paidOutTotal,
    fees: addSums(chargeFees, payoutFees),
    charge_fees: chargeFees,
    payout_fees: payoutFees,
    adjustments_net: figures.adjustmentsNet,
    count_in: figures.countIn,
    count_out: figures.countOut,
    count_adjustments: figures.countAdjustments,
  }
}
