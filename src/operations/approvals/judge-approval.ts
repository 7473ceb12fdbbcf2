import type { Actor, StaffCaller } from '../../api/access/actor.ts'
import { allow, requireRole } from '../../api/access/allow.ts'
import { invalidRequest, Refusal } from '../../platform/refusal.ts'
import { hasForbiddenControl } from '../../platform/text/text.ts'
import { APPROVAL_ACTIONS, type Approval, type ApprovalKind } from './approval.ts'

// The one file that judges who may decide on an approval. `row` is locked.

/** Refuses a caller who may not ask for a command of this kind. */
export function judgeAsking(caller: Actor, kind: ApprovalKind): void {
  allow(caller, 'approval.ask')
  allow(caller, APPROVAL_ACTIONS[kind])
}

/** Refuses the asker itself, callers without the action, and an approval that does not wait any more. */
export function judgeApproving(row: Approval, caller: StaffCaller, at: Date): void {
  allow(caller, APPROVAL_ACTIONS[row.kind])
  if (row.askedBy === caller.personId) throw samePerson()
  judgeWaiting(row, at)
}

/** Refuses everybody but those who might approve it now: only they may reject it. */
export function judgeRejecting(row: Approval, caller: StaffCaller, at: Date): void {
  requireRole(caller, APPROVAL_ACTIONS[row.kind])
  if (row.askedBy === caller.personId) throw samePerson()
  judgeWaiting(row, at)
}

/** Refuses everybody but the asker, and an approval that does not wait any more. */
export function judgeWithdrawing(row: Approval, caller: StaffCaller, at: Date): void {
  if (row.askedBy !== caller.personId)
    throw new Refusal(403, 'forbidden', 'only who asked for this may withdraw it; you may reject it')
  judgeWaiting(row, at)
}

const MAX_NOTE_CHARACTERS = 500

/** Parses the note of a decision; null where it is blank. Throws 400. */
export function parseDecisionNote(typed: string | null): string | null {
  const note = typed?.trim() ?? ''
  if (note.length > MAX_NOTE_CHARACTERS || hasForbiddenControl(note, false))
    throw invalidRequest(`note must be at most ${MAX_NOTE_CHARACTERS} characters, without control characters`, 'note')
  return note === '' ? null : note
}

function judgeWaiting(row: Approval, at: Date): void {
  if (row.status !== 'waiting') throw approvalAlreadyDecided(row.status)
  if (isApprovalExpired(row, at)) throw approvalAlreadyDecided('expired')
}

/** Whether a waiting approval is overdue. One that was refused for lack of money waits until the money is there. */
export const isApprovalExpired = ({ status, expiresAt, waitsForMoney }: Approval, at: Date): boolean =>
  status === 'waiting' && expiresAt <= at && !waitsForMoney

const samePerson = () =>
  new Refusal(403, 'same_person', 'you asked for this yourself: a second operator must decide on it')
export const approvalAlreadyDecided = (status: string) => new Refusal(409, 'conflict', `this was already ${status}`)
