import { statement } from '../../../platform/db/statement.ts'
import type { App } from '../../../program/app.ts'
import { productNumber } from '../orders/goods.ts'
import type { ReportedGoods } from '../orders/order.ts'
import { CLAIM_COLUMNS, type DispenseClaim } from './claim.ts'
import { dispenseTarget } from './dispense-move.ts'
import { endReport } from './move-claim.ts'
import { moveDispense } from './move-dispense.ts'

type DueReport = DispenseClaim & { reports: 'delivered' | 'jam' | 'not_finished' }

const REPORTS_PER_RUN = 50

const DUE_REPORTS = statement<DueReport>(
  'due simulated reports',
  `select ${CLAIM_COLUMNS}, k.reports from dispense_claims k
   where k.reports_at <= $1 order by k.reports_at limit $2`,
)
/** Applies the due reports of simulated machines (contract.md 6.6), as their callbacks would. Returns how many. */
export async function applySimulatedReports(app: App): Promise<number> {
  const due = await app.db.query(DUE_REPORTS, [app.clock.now().toISOString(), REPORTS_PER_RUN])
  for (const claim of due)
    await applyReport(app, claim).catch((error) =>
      app.log.error({ err: error, object_id: claim.orderId }, 'a simulated report failed; it is tried again'),
    )
  return due.length
}

async function applyReport(app: App, claim: DueReport): Promise<void> {
  const { reports } = claim
  if (reports !== 'not_finished') {
    const units = reports === 'delivered' ? 1 : 0
    const result: ReportedGoods[] = claim.goods.map(({ spbh, spmc }) => ({
      spbh: productNumber(spbh),
      chsl: units,
      ...(spmc === undefined ? {} : { spmc }),
    }))
    const to =
      units > 0
        ? ({ status: 'dispensed', confirmed: true, result, note: null } as const)
        : ({ status: 'failed', confirmed: true, result, error: 'the machine reported a jam' } as const)
    const about = { claimId: claim.id, while: ['commanding', 'accepted', 'ambiguous'] } as const
    await moveDispense(app, { ...dispenseTarget(claim), to, source: 'callback', about })
  }
  const endCall = endReport(claim)
  await app.db.query(endCall.statement, endCall.values)
}
