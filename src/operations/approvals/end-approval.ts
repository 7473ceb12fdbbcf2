import type { StaffCaller } from '../../api/access/actor.ts'
import { allow } from '../../api/access/allow.ts'
import { auditRow } from '../../api/access/audit-row.ts'
import { notFound } from '../../platform/refusal.ts'
import type { App, Gateway } from '../../program/app.ts'
import type { Approval } from './approval.ts'
import { locateApproval } from './approval-location.ts'
import { judgeRejecting, judgeWithdrawing, parseDecisionNote } from './judge-approval.ts'
import { withdrawApprovalsWithoutRole } from './withdraw-without-role.ts'
import { decideApproval, expireDueApprovals, lockApproval } from './write-approvals.ts'

type DecisionInput = { id: string; note: string | null }
type DecisionRule = {
  status: 'rejected' | 'withdrawn'
  action: 'approval.reject' | 'approval.withdraw'
  judge(row: Approval, caller: StaffCaller, at: Date): void
}

const EXPIRED_PER_RUN = 500

/** Rejects by a second operator, with a reason. A repeat by the same person changes nothing. Throws Refusal. */
export function rejectApproval(gateway: Gateway, caller: StaffCaller, input: DecisionInput): Promise<Approval> {
  allow(caller, 'approval.reject')
  return endApproval(gateway, caller, {
    ...{ ...input, status: 'rejected', action: 'approval.reject', judge: judgeRejecting },
  })
}

/** Withdraws by the asker. A repeat changes nothing. Throws Refusal. */
export function withdrawApproval(gateway: Gateway, caller: StaffCaller, input: DecisionInput): Promise<Approval> {
  allow(caller, 'approval.withdraw')
  return endApproval(gateway, caller, {
    ...{ ...input, status: 'withdrawn', action: 'approval.withdraw', judge: judgeWithdrawing },
  })
}

async function endApproval(
  gateway: Gateway,
  caller: StaffCaller,
  { id, note: typed, status, action, judge }: DecisionInput & DecisionRule,
): Promise<Approval> {
  const note = parseDecisionNote(typed)
  const location = await locateApproval(gateway, id)
  return location.db.transaction<Approval>(async (tx) => {
    const at = gateway.clock.now()
    const [[row]] = await tx.send(lockApproval(location))
    if (!row) throw notFound('approval')
    if (row.status === status && row.decidedBy === caller.personId) return { value: row }
    judge(row, caller, at)
    const { merchantId, mode } = row
    const whose = merchantId === 0 ? { merchantId: null } : { merchantId, mode }
    const act = { actor: caller, action, at, subject: id, ...whose } as const
    return {
      value: row,
      last: [
        decideApproval({ merchantId, id, status, by: caller, at, note }),
        auditRow({ ...act, after: { kind: row.kind, status, note } }),
      ],
    }
  })
}

/** Expires overdue approvals, and withdraws those whose askers may not ask any more, in this cell and the directory. Returns how many. */
export async function expireApprovals(app: App): Promise<number> {
  const { db, directory, witness } = app
  const due = expireDueApprovals(witness.earlier(), EXPIRED_PER_RUN)
  const expired = await Promise.all([db, directory].map((database) => database.query(due.statement, due.values)))
  return expired.flat().length + (await withdrawApprovalsWithoutRole(app))
}
