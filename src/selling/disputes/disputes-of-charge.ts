import type { Caller } from '../../api/access/actor.ts'
import { statement } from '../../platform/db/statement.ts'
import type { App } from '../../program/app.ts'
import { DISPUTE_COLUMNS, type Dispute } from './dispute.ts'

const DISPUTES_OF_CHARGE = statement<Dispute>(
  'disputes of charge',
  `select ${DISPUTE_COLUMNS} from disputes d where d.merchant_id = $1 and d.charge_id = $2 and d.mode = $3
   order by d.opened_at, d.id limit 20`,
)

/** What customers reported about one charge, oldest first; at most 20. */
export const listDisputesOfCharge = (app: App, { merchantId, mode }: Caller, chargeId: string): Promise<Dispute[]> =>
  app.db.query(DISPUTES_OF_CHARGE, [merchantId, chargeId, mode])
