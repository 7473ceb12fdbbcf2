import type { PersonCaller } from '../../../api/access/actor.ts'
import { allow } from '../../../api/access/allow.ts'
import type { Answer } from '../../../api/http/answer.ts'
import { buildReservedKey } from '../../../api/idempotency/keys.ts'
import { throwStoredRefusal } from '../../../api/idempotency/refused-answer.ts'
import { readFreshRoleEnd } from '../../../merchants/people/roles.ts'
import type { App } from '../../../program/app.ts'
import type { BulkItem } from '../bulk/bulk-item.ts'
import { createBulk } from '../bulk/bulk-payouts.ts'
import { createPayout } from '../create-payout.ts'
import type { PayoutCreate } from '../payout-request.ts'
import { getPrepared } from './find-prepared.ts'
import { type ApprovalInProgress, judgeApproval, preparedAlreadyDecided } from './open-checks.ts'
import type { PreparedKind, StoredPrepared } from './prepared-payout.ts'
import { approveSubaccountPayout, type SubaccountPayoutRequest } from './request-subaccount-payout.ts'
import { withdrawIfRoleEnded } from './withdraw-without-role.ts'

/** An approved request, as the ordinary operation of its kind runs it. */
export type PreparedApproval = {
  caller: PersonCaller
  key: string
  fingerprint: Buffer
  requestId: string
  prepared: ApprovalInProgress
}
type RunByKind = Record<PreparedKind, (app: App, approval: PreparedApproval, stored: unknown) => Promise<Answer>>

const OWN_KINDS: Omit<RunByKind, 'schedule'> = {
  payout: (app, approval, stored) => createPayout(app, { ...approval, input: stored as PayoutCreate }),
  bulk: (app, approval, stored) => createBulk(app, { ...approval, items: stored as BulkItem[] }),
  subaccount: (app, approval, stored) => approveSubaccountPayout(app, approval, stored as SubaccountPayoutRequest),
}

/**
 * Approves, as a second person, what another person has prepared: exactly the stored bytes run through the ordinary operation. The approval
 * and what it creates are one commit, and the key is derived from the prepared payout, so that it is sent once, however often and by
 * whomever it is approved. `schedule` runs schedules, which this folder does not know. Throws Refusal: 403 for the person who prepared it,
 * 409 when it was decided or has expired, and the refusals of the operation; after those it still waits.
 */
export async function approvePrepared(
  app: App,
  caller: PersonCaller,
  { id, requestId, schedule }: { id: string; requestId: string; schedule: RunByKind['schedule'] },
): Promise<Answer> {
  allow(caller, 'payout.approve')
  const row = await getPrepared(app, caller, id)
  judgeUnlessRepeated(row, caller, app.clock.now())
  // What a person has prepared ends with that person's role.
  const maker = { merchantId: row.merchantId, personId: row.madeBy }
  if (row.status === 'prepared' && (await withdrawIfRoleEnded(app, maker)) > 0)
    throw preparedAlreadyDecided('withdrawn')
  const { fingerprint } = row
  const prepared = {
    id,
    freshUntil: await readFreshRoleEnd(app, row.merchantId, [row.madeBy, caller.personId]),
  }
  const approval = { caller, key: approvalKey(row), fingerprint, requestId, prepared }
  // Its bytes were written from a value of this kind.
  const stored: unknown = JSON.parse(row.request.toString())
  return throwStoredRefusal(await { ...OWN_KINDS, schedule }[row.kind](app, approval, stored))
}

/** Judges the approval, unless it repeats one of the same person: that returns what the first one created, as long as its key is kept. */
function judgeUnlessRepeated(row: StoredPrepared, caller: PersonCaller, at: Date): void {
  const isRepeat = row.status === 'approved' && !row.takenBack && row.decidedBy === caller.personId
  if (!isRepeat) judgeApproval(row, caller, at)
}

/** Returns the key of the approval. Each try has its own key; there is a further try only after the operator provably took nothing of the one before. */
const approvalKey = ({ id, tries, takenBack, status }: StoredPrepared) =>
  buildReservedKey('prepared', id, status === 'approved' && !takenBack ? tries - 1 : tries)
