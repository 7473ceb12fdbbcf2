import type { PersonCaller } from '../../actors/actor.ts'
import { allow } from '../../actors/allow.ts'
import type { App } from '../../app.ts'
import type { Answer } from '../../http/caller.ts'
import { reservedKey } from '../../idempotency/keys.ts'
import { madeOrThrow } from '../../idempotency/refused-answer.ts'
import { freshUntil } from '../../people/roles.ts'
import type { BulkItem } from '../bulk/bulk-item.ts'
import { createBulk } from '../bulk/bulk-payouts.ts'
import { createPayout } from '../create-payout.ts'
import type { PayoutCreate } from '../payout-request.ts'
import { getStored } from './find-prepared.ts'
import { type Approving, alreadyEnded, judgeApproval } from './open-checks.ts'
import type { PreparedKind, StoredPrepared } from './prepared-payout.ts'
import { approveSubaccountPayout, type SubaccountPayoutRequest } from './request-subaccount-payout.ts'
import { withdrawIfLeft } from './withdraw-left.ts'

/** What runs an approved request: the ordinary operation of its kind. */
export type Approval = {
  caller: PersonCaller
  key: string
  fingerprint: Buffer
  requestId: string
  prepared: Approving
}
type Runs = Record<PreparedKind, (app: App, approval: Approval, stored: unknown) => Promise<Answer>>

const OWN_KINDS: Omit<Runs, 'schedule'> = {
  payout: (app, approval, stored) => createPayout(app, { ...approval, input: stored as PayoutCreate }),
  bulk: (app, approval, stored) => createBulk(app, { ...approval, items: stored as BulkItem[] }),
  subaccount: (app, approval, stored) =>
    approveSubaccountPayout(app, approval, stored as SubaccountPayoutRequest),
}

/**
 * A second person approves what one has prepared: exactly the stored bytes run through the ordinary operation. The approval and
 * what it makes are one commit, and the key follows from the prepared payout, so that it is sent once, however often and by
 * whomever it is approved. `schedule` runs schedules, which this folder does not know. Throws Refusal: 403 for whoever prepared it, 409
 * when it was decided or has expired, and what the operation refuses; then it still waits.
 */
export async function approvePrepared(
  app: App,
  caller: PersonCaller,
  { id, requestId, schedule }: { id: string; requestId: string; schedule: Runs['schedule'] },
): Promise<Answer> {
  allow(caller, 'payout.approve')
  const row = await getStored(app, caller, id)
  judgeUnlessAgain(row, caller, app.clock.now())
  // With the role of whoever prepared it ends what it has prepared.
  const maker = { merchantId: row.merchantId, personId: row.madeBy }
  if (row.status === 'prepared' && (await withdrawIfLeft(app, maker)) > 0) throw alreadyEnded('withdrawn')
  const { fingerprint } = row
  const prepared = { id, freshUntil: await freshUntil(app, row.merchantId, [row.madeBy, caller.personId]) }
  const approval = { caller, key: keyOf(row), fingerprint, requestId, prepared }
  // Its bytes were written from a value of this kind.
  const stored: unknown = JSON.parse(row.request.toString())
  return madeOrThrow(await { ...OWN_KINDS, schedule }[row.kind](app, approval, stored))
}

/** The same approval again shows what the first one made, as long as its key is kept. */
function judgeUnlessAgain(row: StoredPrepared, caller: PersonCaller, at: Date): void {
  const again = row.status === 'approved' && !row.takenBack && row.decidedBy === caller.personId
  if (!again) judgeApproval(row, caller, at)
}

/** Each try has its own key. A further try there is only after the operator provably did not take the one before. */
const keyOf = ({ id, tries, takenBack, status }: StoredPrepared) =>
  reservedKey('prepared', id, status === 'approved' && !takenBack ? tries - 1 : tries)
