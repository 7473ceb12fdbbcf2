import { actorName } from '../../api/access/actor.ts'
import { allow } from '../../api/access/allow.ts'
import { auditRow } from '../../api/access/audit-row.ts'
import type { Book } from '../../ledger/book.ts'
import { addAdjustment, postCorrection } from '../../ledger/corrections.ts'
import { finishChargesIn } from '../../payments/charges/move-charge.ts'
import { locateException } from '../../payments/exceptions/any-exception.ts'
import { addExceptionNote } from '../../payments/exceptions/notes.ts'
import {
  closeLockedException,
  lockOpenException,
  type OpenedException,
} from '../../payments/exceptions/resolve-exception.ts'
import { finishPayoutsIn } from '../../payments/payouts/move-payout.ts'
import { finishTopUpIn } from '../../payments/top-ups/move-top-up.ts'
import { assert } from '../../platform/assert.ts'
import type { Call, Tx } from '../../platform/db/database.ts'
import { domainRefusal, invalidRequest, notFound } from '../../platform/refusal.ts'
import { newId, parseTag } from '../../platform/text/ids.ts'
import type { App, Gateway } from '../../program/app.ts'
import { endAttempt } from '../../rails/attempts.ts'
import { addEvidence } from '../../rails/evidence.ts'
import type { FinishResult } from '../../rails/finishing/move.ts'
import { lockMovements, type TravellingNoun } from '../../rails/lock-movements.ts'
import type { Approval, ApprovalCommands } from '../approvals/approval.ts'
import { type Asker, askForApproval } from '../approvals/ask-for-approval.ts'
import type { Effect } from '../approvals/effect.ts'
import { findMismatchedMovement, judgeMismatch, type MismatchedMovement } from './mismatched-movement.ts'

type EndAsToldInput = Pick<ApprovalCommands['end-as-told'], 'exception' | 'told' | 'reason'>
const MAX_TOLD_LENGTH = 200

const NOUN_BY_PREFIX: Record<string, TravellingNoun> = { txn: 'charge', pout: 'payout', top: 'top-up' }
function getNoun(id: string): TravellingNoun {
  const noun = NOUN_BY_PREFIX[id.slice(0, id.indexOf('_'))]
  if (noun === undefined) throw domainRefusal('conflict', `${id} is no charge, payout or top-up`)
  return noun
}

/**
 * Asks that an open movement, of which its operator reports another amount, ends as succeeded, with a correction of the difference
 * (decision 42). A second staff member approves it. Throws Refusal.
 */
export async function askEndAsTold(gateway: Gateway, caller: Asker, wanted: EndAsToldInput): Promise<Approval> {
  allow(caller, 'movement.end-as-told')
  const { exception, told, reason } = wanted
  if (told.trim() === '') throw invalidRequest('told is required', 'told')
  if (told.length > MAX_TOLD_LENGTH) throw invalidRequest(`told must be at most ${MAX_TOLD_LENGTH} characters`, 'told')
  const { app, merchantId } = await locateException(gateway, exception)
  const tag = parseTag('exc_', exception)
  if (app === null || tag === null) throw notFound('movement')
  const { found, movement } = await app.db.transaction(async (tx) => ({
    value: await lockAndRead(tx, merchantId, exception),
  }))
  const end = judgeMismatch(found, movement)
  const { subject: about, merchant } = found
  const command = {
    ...({ kind: 'end-as-told', merchant: merchant ?? '', mode: 'live', exception, about } as const),
    ...({ id: newId('adj_', tag), against: 'rail', ...end, told, reason } as const),
  }
  return askForApproval(caller, {
    ...{ db: app.db, clock: gateway.clock, merchantId, tag, mode: 'live', subject: exception, command },
    async extraWrites(_tx, approval, at) {
      const text = `${approval}: end ${about} as told, ${end.moved}`
      return [addExceptionNote({ kind: 'asked', text, at, by: actorName(caller), merchantId, id: exception })]
    },
  })
}

/** Locks the exception with its head, and reads its movement. */
async function lockAndRead(
  tx: Tx,
  merchantId: number,
  id: string,
): Promise<{ found: OpenedException; movement: MismatchedMovement | undefined }> {
  const { exception } = await lockOpenException(tx, { merchantId, id })
  const [[movement]] = await tx.send(findMismatchedMovement(merchantId, exception.subject))
  return { found: exception, movement }
}

/**
 * Ends the movement by the mover of its noun, in the transaction that approves it. The movement is locked first, then what its outcome
 * locks, and the exception last.
 */
export const END_AS_TOLD_EFFECT: Effect<'end-as-told'> = {
  async run({ gateway, tx, actor, merchantId, approval, command, at }) {
    const { id, exception, about, moved, number, direction, amount, against, told, reason } = command
    const noun = getNoun(about)
    await tx.send(lockMovements(noun, [{ merchantId, id: about }]))
    const { found, movement } = await lockAndRead(tx, merchantId, exception)
    const now = judgeMismatch(found, movement)
    assert(movement, 'a movement that can be ended is there')
    if (now.moved !== moved || now.amount !== amount || now.direction !== direction || found.subject !== about)
      throw domainRefusal('conflict', 'its operator reports something else now: ask for it again')
    const { app } = await locateException(gateway, exception)
    assert(app, 'a movement has a merchant')
    const mode = 'live' as const
    const correction = { merchantId, mode, id, direction, amount }
    const posts = (book: Book) => {
      if (amount > 0) postCorrection(book, { ...correction, against })
    }
    const alongside = evidenceWrites({ merchantId, movement, found, at })
    const writes = await succeedIn(app, tx, { merchantId, noun, movement, number, posts, alongside, at })
    const after = { status: 'succeeded', moved, direction, amount, approval }
    const act = { actor, action: 'movement.end-as-told', at, merchantId, mode, subject: about } as const
    const closed = {
      closedAt: at,
      note: reason,
      resolvedBy: actorName(actor),
      resolution: 'ended_as_told',
    } as const
    return [
      ...writes,
      ...(amount > 0 ? [addAdjustment({ ...correction, approval, exception, about, told, at })] : []),
      auditRow({ ...act, after }),
      ...closeLockedException({ ...found, ...closed }),
    ]
  },
  async afterCommit(gateway) {
    for (const app of gateway.cells) for (const sweep of ['send-deliveries', 'dispense'] as const) app.nudge(sweep)
  },
}

type EvidenceInput = { merchantId: number; movement: MismatchedMovement; found: OpenedException; at: Date }

/** The writes that end the attempt, with the operator's report of success as evidence. */
function evidenceWrites({ merchantId, movement: { reference, installation }, found, at }: EvidenceInput): Call[] {
  const operation = found.foundBy?.includes('references') ? 'status' : 'statement'
  return [
    endAttempt({ merchantId, reference }, { at }),
    addEvidence({ merchantId, reference, installation }, 'succeeded', {
      at,
      operation,
      stage: 'answered',
      elapsedMs: 0,
    }),
  ]
}

type SucceedInput = {
  merchantId: number
  noun: TravellingNoun
  movement: MismatchedMovement
  number: string | null
  posts: (book: Book) => void
  alongside: readonly Call[]
  at: Date
}

async function succeedIn(app: App, tx: Tx, input: SucceedInput): Promise<readonly Call[]> {
  const { missed, writes } = await finishAsSucceeded(app, tx, input)
  assert(missed.size === 0, 'a locked movement that is open ends')
  return writes
}

function finishAsSucceeded(
  app: App,
  tx: Tx,
  { merchantId, noun, movement, number, posts, alongside, at }: SucceedInput,
): Promise<FinishResult> {
  const { id, giftCardAmount, subaccountId } = movement
  const key = { merchantId, id, mode: 'live' } as const
  const end = { to: { status: 'succeeded', railTransactionId: number } as const, posts, alongside }
  switch (noun) {
    case 'charge': {
      const charge = { ...key, giftCardAmount: giftCardAmount ?? 0 }
      return finishChargesIn(app, tx, { moves: [{ charge, ...end }], at })
    }
    case 'payout':
      return finishPayoutsIn(app, tx, { moves: [{ payout: { ...key, subaccountId }, ...end }], at })
    case 'top-up':
      return finishTopUpIn(app, tx, { moves: [{ topUp: key, ...end }], at })
  }
}
