import { call, type Tx } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import type { Mode } from '../../platform/mode.ts'

const PAUSE_ALL = statement<{ id: string; mode: Mode }>(
  'pause all schedules',
  `update schedules set status = 'paused', failure_reason = null where merchant_id = $1 and status = 'active' returning id, mode`,
)

/** Pauses every schedule of a merchant in both modes and returns those that it paused. A cycle that is due now runs before this, or not. */
export const pauseAllSchedules = async (tx: Tx, merchantId: number): Promise<readonly { id: string; mode: Mode }[]> =>
  (await tx.send(call(PAUSE_ALL, merchantId)))[0]
