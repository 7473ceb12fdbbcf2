import type { App } from '../../app.ts'
import { statement } from '../../platform/db/statement.ts'
import { productNumber } from '../orders/goods.ts'
import type { ReportedGoods } from '../orders/order.ts'
import { CLAIM_COLUMNS, type Claim } from './claim.ts'
import { dispenseOf } from './dispense-move.ts'
import { endReport } from './move-claim.ts'
import { moveDispense } from './move-dispense.ts'

type Due = Claim & { reports: 'delivered' | 'jam' | 'not_finished' }

const AT_ONCE = 50

const DUE = statement<Due>(
  'due simulated reports',
  `select ${CLAIM_COLUMNS}, k.reports from dispense_claims k
   where k.reports_at <= $1 order by k.reports_at limit $2`,
)
/** Applies the due reports of simulated machines (contract.md 6.6), as their callbacks would. Returns how many. */
export async function applySimulatedReports(app: App): Promise<number> {
  const due = await app.db.query(DUE, [app.clock.now().toISOString(), AT_ONCE])
  for (const claim of due)
    await report(app, claim).catch((error) =>
      app.log.error({ err: error, object_id: claim.orderId }, 'a simulated report failed; it is tried again'),
    )
  return due.length
}

async function report(app: App, claim: Due): Promise<void> {
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
    await moveDispense(app, { ...dispenseOf(claim), to, source: 'callback', about })
  }
  const endCall = endReport(claim)
  await app.db.query(endCall.statement, endCall.values)
}
