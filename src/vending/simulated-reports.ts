import type { App } from '../app.ts'
import { statement } from '../platform/db/statement.ts'
import { CLAIM_COLUMNS, type Claim } from './claim.ts'
import { productNumber } from './goods.ts'
import { moveDirect } from './move-direct.ts'
import { moveOrder } from './move-order.ts'
import type { ReportedGoods } from './order.ts'

type Due = Claim & { reports: 'delivered' | 'jam' | 'not_finished' }

const AT_ONCE = 50

const DUE = statement<Due>(
  'due simulated reports',
  `select ${CLAIM_COLUMNS}, k.reports from dispense_claims k
   where k.reports_at <= $1 order by k.reports_at limit $2`,
)
const REPORTED = statement(
  'simulated report done',
  'update dispense_claims set reports_at = null where merchant_id = $1 and id = $2',
)

/** Lets the machines of the sandbox report what their numbers say (contract.md 6.6), as their callbacks would. */
export async function applySimulatedReports(app: App): Promise<number> {
  const due = await app.db.query(DUE, [app.clock.now().toISOString(), AT_ONCE])
  for (const claim of due)
    await report(app, claim).catch((error) =>
      app.log.error({ err: error, object_id: claim.orderId }, 'a simulated report failed; it is tried again'),
    )
  return due.length
}

async function report(app: App, claim: Due): Promise<void> {
  const { merchantId, orderId: id, reports } = claim
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
    const move = { merchantId, to, source: 'callback', about } as const
    if (claim.kind === 'direct') await moveDirect(app, { ...move, chargeId: claim.chargeId })
    else await moveOrder(app, { ...move, id })
  }
  await app.db.query(REPORTED, [merchantId, claim.id])
}
