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

/** An approved request, as the ordinary operation of its kind runs it. */
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
 * Approves, as a second person, what another person has prepared: exactly the stored bytes run through the ordinary operation. The approval
 * and what it creates are one commit, and the key is derived from the prepared payout, so that it is sent once, however often and by
 * whomever it is approved. `schedule` runs schedules, which this folder does not know. Throws Refusal: 403 for the person who prepared it,
 * 409 when it was decided or has expired, and the refusals of the operation; after those it still waits.
 */
export async function approvePrepared(
  app: App,
  caller: PersonCaller,
  { id, requestId, schedule }: { id: string; requestId: string; schedule: Runs['schedule'] },
): Promise<Answer> {
  allow(caller, 'payout.approve')
  const row = await getStored(app, caller, id)
  judgeUnlessAgain(row, caller, app.clock.now())
  // What a person has prepared ends with that person's role.
  const maker = { merchantId: row.merchantId, personId: row.madeBy }
  if (row.status === 'prepared' && (await withdrawIfLeft(app, maker)) > 0) throw alreadyEnded('withdrawn')
  const { fingerprint } = row
  const prepared = { id, freshUntil: await freshUntil(app, row.merchantId, [row.madeBy, caller.personId]) }
  const approval = { caller, key: keyOf(row), fingerprint, requestId, prepared }
  // Its bytes were written from a value of this kind.
  const stored: unknown = JSON.parse(row.request.toString())
  return madeOrThrow(await { ...OWN_KINDS, schedule }[row.kind](app, approval, stored))
}

/** Judges the approval, unless it repeats one of the same person: that returns what the first one created, as long as its key is kept. */
function judgeUnlessAgain(row: StoredPrepared, caller: PersonCaller, at: Date): void {
  const isRepeat = row.status === 'approved' && !row.takenBack && row.decidedBy === caller.personId
  if (!isRepeat) judgeApproval(row, caller, at)
}

/** Returns the key of the approval. Each try has its own key; there is a further try only after the operator provably took nothing of the one before. */
const keyOf = ({ id, tries, takenBack, status }: StoredPrepared) =>
  reservedKey('prepared', id, status === 'approved' && !takenBack ? tries - 1 : tries)
