import type { StaffCaller } from '../../api/access/actor.ts'
import { allow } from '../../api/access/allow.ts'
import type { Gateway } from '../../program/app.ts'
import type { Approval } from '../approvals/approval.ts'
import { approveWith } from '../approvals/approve.ts'
import { END_AS_TOLD_EFFECT } from './end-as-told.ts'

/**
 * Approves a request as the second staff member. It is defined here because the effect that ends movements depends on more rooms than
 * approvals. See `approveWith`.
 */
export async function approve(
  gateway: Gateway,
  caller: StaffCaller,
  { id, note = null }: { id: string; note?: string | null },
): Promise<Approval> {
  allow(caller, 'approval.approve')
  return approveWith({ 'end-as-told': END_AS_TOLD_EFFECT }, gateway, { caller, id, note })
}
