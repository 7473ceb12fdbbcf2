import type { OperatorCaller } from '../actors/actor.ts'
import { allow } from '../actors/allow.ts'
import { auditRow } from '../actors/audit-row.ts'
import type { Gateway } from '../app.ts'
import { inOpenMonth } from '../ledger/book.ts'
import { crashPoint } from '../platform/crash-point.ts'
import type { Call } from '../platform/db/database.ts'
import { notFound, Refusal } from '../platform/refusal.ts'
import { ADJUSTMENT } from './adjustment.ts'
import { type Approval, type ApprovalKind, type Command, commandOf } from './approval.ts'
import { type ApprovalPlace, placeOfApproval } from './approval-place.ts'
import { told } from './ask.ts'
import { ACCEPT_BREACH } from './breach.ts'
import type { Effect } from './effect.ts'
import { INSTALLATION } from './installation.ts'
import { alreadyEnded, judgeApproving, readNote } from './judge-approval.ts'
import { REOPEN_ACCOUNT } from './reopen.ts'
import { TAKE_BACK_STATEMENT } from './take-back-statement.ts'
import { UNFREEZE_MERCHANT, UNFREEZE_PLATFORM } from './unfreeze.ts'
import { withdrawIfLeft } from './withdraw-left.ts'
import { decideApproval, findApproval, keepRefusal, lockApproval } from './write-approvals.ts'

const EFFECTS = {
  adjustment: ADJUSTMENT,
  'unfreeze-merchant': UNFREEZE_MERCHANT,
  'unfreeze-platform': UNFREEZE_PLATFORM,
  installation: INSTALLATION,
  'take-back-statement': TAKE_BACK_STATEMENT,
  'accept-breach': ACCEPT_BREACH,
  'reopen-account': REOPEN_ACCOUNT,
} satisfies { [Kind in Exclude<ApprovalKind, keyof MoreEffects>]: Effect<Kind> }

/** Effects whose folders import this one: they are passed in instead of imported, so that no import goes in a circle. */
type MoreEffects = { 'end-as-told': Effect<'end-as-told'> }

/** The operation was refused, not the approver: the approval still waits, and the refusal is stored on it. */
class NotNow extends Error {
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
  more: MoreEffects,
  gateway: Gateway,
  { caller, id, note: typed }: { caller: OperatorCaller; id: string; note: string | null },
): Promise<Approval> {
  allow(caller, 'approval.approve')
  const note = readNote(typed)
  const location = await placeOfApproval(gateway, id)
  await judgeAsker(gateway, location)
  try {
    const { row, isNew } = await inOpenMonth(() => commit(more, gateway, { caller, location, note }))
    if (isNew) {
      crashPoint('approval.committed')
      const command = commandOf(row)
      await effectOf(more, command).after?.(gateway, command)
    }
    return row
  } catch (error) {
    if (!(error instanceof NotNow)) throw error
    const forMoney = error.refusal.code === 'insufficient_funds'
    const store = keepRefusal(location, { says: error.message, forMoney }, gateway.clock.now())
    await location.db.query(store.statement, store.values)
    throw error.refusal
  }
}

/** Withdraws the approval and refuses (409) where its asker may not ask for it any more. */
async function judgeAsker(gateway: Gateway, location: ApprovalPlace): Promise<void> {
  const find = findApproval(location)
  const [row] = await location.db.query(find.statement, find.values)
  if (row?.status !== 'waiting') return
  if (await withdrawIfLeft(gateway, { db: location.db, row })) throw alreadyEnded('withdrawn')
}

function commit(
  more: MoreEffects,
  gateway: Gateway,
  { caller, location, note }: { caller: OperatorCaller; location: ApprovalPlace; note: string | null },
): Promise<{ row: Approval; isNew: boolean }> {
  return location.db.transaction<{ row: Approval; isNew: boolean }>(async (tx) => {
    const [[row]] = await tx.send(lockApproval(location))
    if (!row) throw notFound('approval')
    // Read after the lock: the approval may expire while this transaction waits for it.
    const at = gateway.clock.now()
    if (row.status === 'approved' && row.decidedBy === caller.personId)
      return { value: { row, isNew: false } }
    judgeApproving(row, caller, at)
    const { merchantId, id, mode } = row
    const command = commandOf(row)
    const running = { gateway, tx, actor: caller, merchantId, approval: id, command, at }
    const writes: readonly Call[] = await unlessRefused(() => effectOf(more, command).run(running))
    crashPoint('approval.judged')
    const act = { actor: caller, action: 'approval.approve', at, subject: id } as const
    const whose = merchantId === 0 ? { merchantId: null } : { merchantId, mode }
    return {
      value: { row, isNew: true },
      last: [
        ...writes,
        decideApproval({ merchantId, id, status: 'approved', by: caller, at, note }),
        auditRow({ ...act, ...whose, after: note === null ? told(row) : { ...told(row), note } }),
      ],
    }
  })
}

async function unlessRefused<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    if (error instanceof Refusal && error.status < 500) throw new NotNow(error)
    throw error
  }
}

// The kind of a command chooses the effect of the same kind.
const effectOf = (more: MoreEffects, command: Command) =>
  ({ ...EFFECTS, ...more })[command.kind] as Effect<ApprovalKind>
