import { type Call, call } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'

const RELEASE_WITHDRAWAL = statement(
  'release withdrawal',
  `update payouts set follow_at = $3 where merchant_id = $1 and id = $2 and kind = 'withdrawal' and status = 'pending'`,
)

/** Releases an approved withdrawal: from now on it is sent like any queued payout. */
export const releaseWithdrawal = (merchantId: number, id: string, at: Date): Call =>
  call(RELEASE_WITHDRAWAL, merchantId, id, at.toISOString())
