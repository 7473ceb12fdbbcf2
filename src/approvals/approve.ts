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

/** The effects that belong to folders further right. */
export type MoreEffects = { 'end-as-told': Effect<'end-as-told'> }

/** The operation itself refused, not whoever approves it: it still waits, and says why. */
class NotNow extends Error {
  readonly refusal: Refusal
  constructor(refusal: Refusal) {
    super(refusal.message)
    this.refusal = refusal
  }
}

/**
 * A second operator approves: exactly the stored bytes run, and what they make commits with the approval. Of two at once, one does
 * it. The same person again changes nothing. Throws Refusal: 403 for who asked, 409 when it was decided, and what the operation
 * refuses; then it still waits, with that text.
 */
export async function approveWith(
  more: MoreEffects,
  gateway: Gateway,
  { caller, id, note: typed }: { caller: OperatorCaller; id: string; note: string | null },
): Promise<Approval> {
  allow(caller, 'approval.approve')
  const note = readNote(typed)
  const place = await placeOfApproval(gateway, id)
  await judgeAsker(gateway, place)
  try {
    const { row, isNew } = await inOpenMonth(() => commit(more, gateway, { caller, place, note }))
    if (isNew) {
      crashPoint('approval.committed')
      const command = commandOf(row)
      await effectOf(more, command).after?.(gateway, command)
    }
    return row
  } catch (error) {
    if (!(error instanceof NotNow)) throw error
    const forMoney = error.refusal.code === 'insufficient_funds'
    const kept = keepRefusal(place, { says: error.message, forMoney }, gateway.clock.now())
    await place.db.query(kept.statement, kept.values)
    throw error.refusal
  }
}

/** With the role of whoever asked for it ends what it has asked for. */
async function judgeAsker(gateway: Gateway, place: ApprovalPlace): Promise<void> {
  const wanted = findApproval(place)
  const [row] = await place.db.query(wanted.statement, wanted.values)
  if (row?.status !== 'waiting') return
  if (await withdrawIfLeft(gateway, { db: place.db, row })) throw alreadyEnded('withdrawn')
}

function commit(
  more: MoreEffects,
  gateway: Gateway,
  { caller, place, note }: { caller: OperatorCaller; place: ApprovalPlace; note: string | null },
): Promise<{ row: Approval; isNew: boolean }> {
  return place.db.transaction<{ row: Approval; isNew: boolean }>(async (tx) => {
    const [[row]] = await tx.send(lockApproval(place))
    if (!row) throw notFound('approval')
    // After the lock: it may expire while it waits for it.
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
