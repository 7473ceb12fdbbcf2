import { ruleOf } from '../../api/access/actions.ts'
import { type StaffRole, serviceActor } from '../../api/access/actor.ts'
import { allow } from '../../api/access/allow.ts'
import { auditRow } from '../../api/access/audit-row.ts'
import { readStaffRoles } from '../../merchants/people/roles.ts'
import type { Database } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import type { App, Gateway } from '../../program/app.ts'
import { APPROVAL_ACTIONS, type Approval, type ApprovalKind } from './approval.ts'
import { decideApproval, lockApproval } from './write-approvals.ts'

type WaitingApproval = { merchantId: number; id: string; kind: ApprovalKind; askedBy: number }

const APPROVALS_PER_RUN = 500
const WAITING = statement<WaitingApproval>(
  'askers of what waits',
  `select merchant_id as "merchantId", id, kind, asked_by as "askedBy" from approvals where status = 'waiting'
   order by asked_at limit ${APPROVALS_PER_RUN}`,
)
const ROLE_ENDED_NOTE = 'whoever asked for it may not do so any more'

/** Withdraws approvals whose askers may not ask for them any more, in this cell and the directory. Returns how many. */
export async function withdrawApprovalsWithoutRole(app: App): Promise<number> {
  allow(serviceActor('roles'), 'approval.withdraw')
  let withdrawn = 0
  for (const db of [app.db, app.directory]) {
    const waiting = await db.query(WAITING)
    const roles = await readStaffRoles(app, [...new Set(waiting.map(({ askedBy }) => askedBy))])
    for (const row of waiting) if (hasRoleEnded(roles, row)) withdrawn += await withdrawWaiting(app, db, row)
  }
  return withdrawn
}

/** Withdraws one approval where its asker may not ask for it any more. Returns whether it did. */
export async function withdrawApprovalIfRoleEnded(
  gateway: Gateway,
  { db, row }: { db: Database; row: WaitingApproval },
): Promise<boolean> {
  const roles = await readStaffRoles(gateway, [row.askedBy])
  return hasRoleEnded(roles, row) && (await withdrawWaiting(gateway, db, row)) > 0
}

/** Whether its asker may not ask for it any more. A command has no person behind it (no role is found), so its approvals stay. */
function hasRoleEnded(roles: ReadonlyMap<number, StaffRole | null>, { askedBy, kind }: WaitingApproval): boolean {
  const role = roles.get(askedBy)
  if (role === undefined) return false
  const may = [ruleOf('approval.ask'), ruleOf(APPROVAL_ACTIONS[kind])]
  return role === null || !may.every(({ operators = [] }) => operators.includes(role))
}

/** Withdraws as the asker would have; the audit names the service. */
function withdrawWaiting({ clock }: Pick<App, 'clock'>, db: Database, key: WaitingApproval): Promise<number> {
  return db.transaction<number>(async (tx) => {
    const at = clock.now()
    const [[row]] = await tx.send(lockApproval(key))
    if (row?.status !== 'waiting') return { value: 0 }
    return { value: 1, last: withdrawalCalls(row, at) }
  })
}

function withdrawalCalls(row: Approval, at: Date) {
  const { merchantId, id, kind, mode } = row
  const by = { personId: row.askedBy, name: row.askedName }
  const whose = merchantId === 0 ? { merchantId: null } : { merchantId, mode }
  const act = {
    actor: serviceActor('roles'),
    action: 'approval.withdraw',
    at,
    subject: id,
    ...whose,
  } as const
  return [
    decideApproval({ merchantId, id, status: 'withdrawn', by, at, note: ROLE_ENDED_NOTE }),
    auditRow({ ...act, after: { kind, status: 'withdrawn', note: ROLE_ENDED_NOTE } }),
  ]
}
