import { ruleOf } from '../actors/actions.ts'
import { type OperatorRole, service } from '../actors/actor.ts'
import { allow } from '../actors/allow.ts'
import { auditRow } from '../actors/audit-row.ts'
import type { App, Gateway } from '../app.ts'
import { rolesOfOperators } from '../people/roles.ts'
import type { Database } from '../platform/db/database.ts'
import { statement } from '../platform/db/statement.ts'
import { ACTION_OF, type Approval, type ApprovalKind } from './approval.ts'
import { decideApproval, lockApproval } from './write-approvals.ts'

type Waiting = { merchantId: number; id: string; kind: ApprovalKind; askedBy: number }

const MOST = 500
const WAITING = statement<Waiting>(
  'askers of what waits',
  `select merchant_id as "merchantId", id, kind, asked_by as "askedBy" from approvals where status = 'waiting'
   order by asked_at limit ${MOST}`,
)
const ASKER_GONE = 'whoever asked for it may not do so any more'

/** Withdraws approvals whose askers may not ask for them any more, in this cell and the directory. Returns how many. */
export async function withdrawLeftApprovals(app: App): Promise<number> {
  allow(service('roles'), 'approval.withdraw')
  let withdrawn = 0
  for (const db of [app.db, app.directory]) {
    const waiting = await db.query(WAITING)
    const roles = await rolesOfOperators(app, [...new Set(waiting.map(({ askedBy }) => askedBy))])
    for (const row of waiting) if (hasLeft(roles, row)) withdrawn += await withdraw(app, db, row)
  }
  return withdrawn
}

/** Withdraws one approval where its asker may not ask for it any more. Returns whether it did. */
export async function withdrawIfLeft(
  gateway: Gateway,
  { db, row }: { db: Database; row: Waiting },
): Promise<boolean> {
  const roles = await rolesOfOperators(gateway, [row.askedBy])
  return hasLeft(roles, row) && (await withdraw(gateway, db, row)) > 0
}

/** Whether its asker may not ask for it any more. A command has no person behind it (no role is found), so its approvals stay. */
function hasLeft(roles: ReadonlyMap<number, OperatorRole | null>, { askedBy, kind }: Waiting): boolean {
  const role = roles.get(askedBy)
  if (role === undefined) return false
  const may = [ruleOf('approval.ask'), ruleOf(ACTION_OF[kind])]
  return role === null || !may.every(({ operators = [] }) => operators.includes(role))
}

/** Withdraws as the asker would have; the audit names the service. */
function withdraw({ clock }: Pick<App, 'clock'>, db: Database, key: Waiting): Promise<number> {
  return db.transaction<number>(async (tx) => {
    const at = clock.now()
    const [[row]] = await tx.send(lockApproval(key))
    if (row?.status !== 'waiting') return { value: 0 }
    return { value: 1, last: withdrawn(row, at) }
  })
}

function withdrawn(row: Approval, at: Date) {
  const { merchantId, id, kind, mode } = row
  const by = { personId: row.askedBy, name: row.askedName }
  const whose = merchantId === 0 ? { merchantId: null } : { merchantId, mode }
  const act = { actor: service('roles'), action: 'approval.withdraw', at, subject: id, ...whose } as const
  return [
    decideApproval({ merchantId, id, status: 'withdrawn', by, at, note: ASKER_GONE }),
    auditRow({ ...act, after: { kind, status: 'withdrawn', note: ASKER_GONE } }),
  ]
}
