import type { Caller } from '../../api/access/actor.ts'
import { statement } from '../../platform/db/statement.ts'
import type { App } from '../../program/app.ts'
import { PAYOUT_COLUMNS, type Payout } from './payout.ts'

const BY_OPERATOR_NUMBER = statement<Payout>(
  'payouts by operator number',
  `select ${PAYOUT_COLUMNS} from payouts p
   where p.merchant_id = $1 and p.rail_transaction_id = $2 and p.mode = 'live' and $3::mode = 'live' and p.published limit $4`,
)

/** Searches live payouts by the operator's transaction number. */
export const searchPayoutsByOperatorNumber = (
  app: App,
  { merchantId, mode }: Pick<Caller, 'merchantId' | 'mode'>,
  number: string,
  limit: number,
): Promise<Payout[]> => app.db.query(BY_OPERATOR_NUMBER, [merchantId, number, mode, limit])
