import type { Tx } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import type { App } from '../../program/app.ts'
import { finishMovementKeys } from '../../rails/finish-movement-keys.ts'
import { AMBIGUOUS_REASON, PAYOUT_COLUMNS, type Payout, presentPayout } from './payout.ts'
import { PAYOUT_MOVER } from './sending/payout-mover.ts'

const PAYOUT_OF_KEY = statement<Payout & { published: boolean }>(
  'payout of a key',
  `select ${PAYOUT_COLUMNS}, p.published from payouts p where p.merchant_id = $1 and p.id = $2 and p.voided_at is null for no key update`,
)

/** Finishes the keys whose process died while it created a live payout (G58). Returns how many. */
export const finishPayoutKeys = (app: App): Promise<number> =>
  finishMovementKeys(app, {
    mover: PAYOUT_MOVER,
    prefix: 'pout_',
    find: PAYOUT_OF_KEY,
    firstView: presentFirstAnswer,
  })

/** Presents the payout as its 201 would have shown it, with the outcome of its submit unknown. */
const presentFirstAnswer = async (_: Tx, payout: Payout): Promise<object> =>
  presentPayout({
    ...payout,
    status: 'authorized',
    failureReason: AMBIGUOUS_REASON,
    railTransactionId: null,
    completedAt: null,
  })
