import type { StaffCaller } from '../../api/access/actor.ts'
import { allow } from '../../api/access/allow.ts'
import { auditRow } from '../../api/access/audit-row.ts'
import { inOpenMonth } from '../../ledger/book.ts'
import type { Call } from '../../platform/db/database.ts'
import { crashPoint } from '../../platform/processes/crash-point.ts'
import { notFound, Refusal } from '../../platform/refusal.ts'
import type { Gateway } from '../../program/app.ts'
import { ACCEPT_BREACH } from './accept-breach.ts'
import { ADJUSTMENT } from './adjustment.ts'
import { type Approval, type ApprovalCommand, type ApprovalKind, parseCommand } from './approval.ts'
import { type ApprovalLocation, locateApproval } from './approval-location.ts'
import { auditFactsOf } from './ask-for-approval.ts'
import type { Effect } from './effect.ts'
import { approvalAlreadyDecided, judgeApproving, parseDecisionNote } from './judge-approval.ts'
import { REOPEN_ACCOUNT } from './reopen-account.ts'
import { SWITCH_INSTALLATION } from './switch-installation.ts'
import { TAKE_BACK_STATEMENT } from './take-back-statement.ts'
import { UNFREEZE_MERCHANT, UNFREEZE_PLATFORM } from './unfreeze.ts'
import { withdrawApprovalIfRoleEnded } from './withdraw-without-role.ts'
import { decideApproval, findApproval, lockApproval, storeApprovalRefusal } from './write-approvals.ts'

const EFFECTS = {
  adjustment: ADJUSTMENT,
  'unfreeze-merchant': UNFREEZE_MERCHANT,
  'unfreeze-platform': UNFREEZE_PLATFORM,
  installation: SWITCH_INSTALLATION,
  'take-back-statement': TAKE_BACK_STATEMENT,
  'accept-breach': ACCEPT_BREACH,
  'reopen-account': REOPEN_ACCOUNT,
} satisfies { [Kind in Exclude<ApprovalKind, keyof InjectedEffects>]: Effect<Kind> }

/** Effects whose folders import this one: they are passed in instead of imported, so that no import goes in a circle. */
type InjectedEffects = { 'end-as-told': Effect<'end-as-told'> }

/** The operation was refused, not the approver: the approval still waits, and the refusal is stored on it. */
class OperationRefused extends Error {
  readonly refusal: Refusal
  constructor(refusal: Refusal) {
    super(refusal.message)
    this.refusal = refusal
  }
}

/**
 * Approves by a second operator: exactly the stored bytes run, and their writes commit with the approval. Of two approvers at once,
 * one runs them. A repeat by the same person changes nothing. Throws Refusal: 403 for the asker, 409 when it was decided already, and
 * the operation's own refusal; then the approval still waits, with that text.
 */
export async function approveWith(
  more: InjectedEffects,
  gateway: Gateway,
  { caller, id, note: typed }: { caller: StaffCaller; id: string; note: string | null },
): Promise<Approval> {
  allow(caller, 'approval.approve')
  const note = parseDecisionNote(typed)
  const location = await locateApproval(gateway, id)
  await refuseIfRoleEnded(gateway, location)
  try {
    const { row, isNew } = await inOpenMonth(() => commitApproval(more, gateway, { caller, location, note }))
    if (isNew) {
      crashPoint('approval.committed')
      const command = parseCommand(row)
      await effectOf(more, command).afterCommit?.(gateway, command)
    }
    return row
  } catch (error) {
    if (!(error instanceof OperationRefused)) throw error
    const forMoney = error.refusal.code === 'insufficient_funds'
    const store = storeApprovalRefusal(location, { text: error.message, forMoney }, gateway.clock.now())
    await location.db.query(store.statement, store.values)
    throw error.refusal
  }
}

/** Withdraws the approval and refuses (409) where its asker may not ask for it any more. */
async function refuseIfRoleEnded(gateway: Gateway, location: ApprovalLocation): Promise<void> {
  const find = findApproval(location)
  const [row] = await location.db.query(find.statement, find.values)
  if (row?.status !== 'waiting') return
  if (await withdrawApprovalIfRoleEnded(gateway, { db: location.db, row })) throw approvalAlreadyDecided('withdrawn')
}

function commitApproval(
  more: InjectedEffects,
  gateway: Gateway,
  { caller, location, note }: { caller: StaffCaller; location: ApprovalLocation; note: string | null },
): Promise<{ row: Approval; isNew: boolean }> {
  return location.db.transaction<{ row: Approval; isNew: boolean }>(async (tx) => {
    const [[row]] = await tx.send(lockApproval(location))
    if (!row) throw notFound('approval')
    // Read after the lock: the approval may expire while this transaction waits for it.
    const at = gateway.clock.now()
    if (row.status === 'approved' && row.decidedBy === caller.personId) return { value: { row, isNew: false } }
    judgeApproving(row, caller, at)
    const { merchantId, id, mode } = row
    const command = parseCommand(row)
    const running = { gateway, tx, actor: caller, merchantId, approval: id, command, at }
    const writes: readonly Call[] = await markRefusal(() => effectOf(more, command).run(running))
    crashPoint('approval.judged')
    const act = { actor: caller, action: 'approval.approve', at, subject: id } as const
    const whose = merchantId === 0 ? { merchantId: null } : { merchantId, mode }
    return {
      value: { row, isNew: true },
      last: [
        ...writes,
        decideApproval({ merchantId, id, status: 'approved', by: caller, at, note }),
        auditRow({
          ...act,
          ...whose,
          after: note === null ? auditFactsOf(row) : { ...auditFactsOf(row), note },
        }),
      ],
    }
  })
}

async function markRefusal<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    if (error instanceof Refusal && error.status < 500) throw new OperationRefused(error)
    throw error
  }
}

// The kind of a command chooses the effect of the same kind.
const effectOf = (more: InjectedEffects, command: ApprovalCommand) =>
  ({ ...EFFECTS, ...more })[command.kind] as Effect<ApprovalKind>
