import { statement } from '../../platform/db/statement.ts'
import type { MerchantMode } from '../../platform/mode.ts'
import type { App } from '../../program/app.ts'
import { CHARGE_COLUMNS, type Charge } from './charge.ts'

// The sandbox sends no SMS, so only live charges are found by the operator's number.
const BY_OPERATOR_NUMBER = statement<Charge>(
  'charges by operator number',
  `select ${CHARGE_COLUMNS} from charges c
   where c.merchant_id = $1 and c.rail_transaction_id = $2 and c.mode = 'live' and $3::mode = 'live' and c.published limit $4`,
)
const BY_ATTEMPT = statement<Charge>(
  'charges by rail reference',
  `select ${CHARGE_COLUMNS} from rail_attempts a join charges c on c.merchant_id = a.merchant_id and c.id = a.subject
   where a.merchant_id = $1 and a.id = $2 and c.mode = $3 and c.published limit $4`,
)
const LATEST_OF_AMOUNT = statement<Charge>(
  'latest charges of an amount',
  `select ${CHARGE_COLUMNS} from (
     select * from charges s where s.merchant_id = $1 and s.mode = $3 and s.published and s.status = 'succeeded' and s.completed_at is not null
     order by s.created_at desc, s.id desc limit $5) c
   where c.amount = $2 order by c.created_at desc, c.id desc limit $4`,
)

/** Searches charges by the transaction number in the customer's SMS. */
export const searchChargesByOperatorNumber = (
  app: App,
  { merchantId, mode }: MerchantMode,
  number: string,
  limit: number,
) => app.db.query(BY_OPERATOR_NUMBER, [merchantId, number, mode, limit])

/** Searches charges by the reference that we gave the operator. */
export const searchChargesByRailReference = (
  app: App,
  { merchantId, mode }: MerchantMode,
  reference: string,
  limit: number,
) => app.db.query(BY_ATTEMPT, [merchantId, reference, mode, limit])

/** Searches charges of exactly this amount among the latest `among` that were paid. */
export const searchChargesByAmount = (
  app: App,
  { merchantId, mode }: MerchantMode,
  { amount, limit, among }: { amount: number; limit: number; among: number },
) => app.db.query(LATEST_OF_AMOUNT, [merchantId, amount, mode, limit, among])
