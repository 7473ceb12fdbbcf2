import { actorName, type StaffCaller } from '../../api/access/actor.ts'
import { allow } from '../../api/access/allow.ts'
import { auditRow } from '../../api/access/audit-row.ts'
import { openBook } from '../../ledger/book.ts'
import { addAdjustment, postCorrection } from '../../ledger/corrections.ts'
import { locateException } from '../../payments/exceptions/any-exception.ts'
import { addExceptionNote } from '../../payments/exceptions/notes.ts'
import { closeLockedException, findException, lockOpenException } from '../../payments/exceptions/resolve-exception.ts'
import type { Call } from '../../platform/db/database.ts'
import { domainRefusal, invalidRequest, notFound } from '../../platform/refusal.ts'
import { newId, parseTag } from '../../platform/text/ids.ts'
import type { Gateway } from '../../program/app.ts'
import type { Approval, ApprovalCommands } from './approval.ts'
import { askForApproval } from './ask-for-approval.ts'
import type { Effect } from './effect.ts'

type AdjustmentInput = Pick<
  ApprovalCommands['adjustment'],
  'exception' | 'direction' | 'against' | 'amount' | 'told' | 'resolve' | 'reason'
>

/** The largest correction, in whole UGX. */
const MAX_CORRECTION = 1e12
const MAX_TOLD_CHARACTERS = 200

/** Asks to correct the balance of the merchant that an open exception is about. Throws Refusal. */
export async function askAdjustment(gateway: Gateway, caller: StaffCaller, input: AdjustmentInput): Promise<Approval> {
  allow(caller, 'ledger.adjust')
  judgeAdjustment(input)
  const { app, merchantId } = await locateException(gateway, input.exception)
  if (app === null) throw domainRefusal('conflict', 'this exception is no merchant’s: there is no balance to correct')
  const exception = await findException(app, merchantId, input.exception)
  const tag = parseTag('exc_', input.exception)
  if (exception === null || tag === null) throw notFound('exception')
  const { mode, subject: about, merchant } = exception
  const id = newId('adj_', tag)
  const command = { kind: 'adjustment' as const, merchant: merchant ?? '', mode, about, id, ...input }
  const summary = `${input.direction} ${input.amount}`
  return askForApproval(caller, {
    ...{ db: app.db, clock: gateway.clock, merchantId, tag, mode, subject: input.exception, command },
    async extraWrites(tx, approval, at) {
      await lockOpenException(tx, { merchantId, id: input.exception })
      const note = { kind: 'asked', text: `${approval}: ${summary}`, at, by: actorName(caller) } as const
      return [addExceptionNote({ ...note, merchantId, id: input.exception })]
    },
  })
}

function judgeAdjustment({ amount, told }: AdjustmentInput): void {
  if (!Number.isSafeInteger(amount) || amount < 1 || amount > MAX_CORRECTION)
    throw invalidRequest(`amount must be a whole number from 1 to ${MAX_CORRECTION}`, 'amount')
  if (told.trim() === '') throw invalidRequest('told is required', 'told')
  if (told.length > MAX_TOLD_CHARACTERS)
    throw invalidRequest(`told must be at most ${MAX_TOLD_CHARACTERS} characters`, 'told')
}

/** Posts the correction. Where `resolve` was asked for it closes the exception too: with the last critical one the pause ends. */
export const ADJUSTMENT: Effect<'adjustment'> = {
  async run({ tx, actor, merchantId, approval, command, at }) {
    const { id, mode, direction, against, amount, exception, about, told } = command
    const { heads, exception: found } = await lockOpenException(tx, { merchantId, id: exception })
    const book = openBook(heads, at)
    postCorrection(book, { merchantId, mode, id, direction, against, amount })
    const act = { actor, action: 'ledger.adjust', at, merchantId, mode, subject: id } as const
    const writes: Call[] = [
      ...book.writes(),
      addAdjustment({ merchantId, mode, id, direction, amount, approval, exception, about, told, at }),
      auditRow({ ...act, after: { direction, against, amount, exception, approval } }),
    ]
    if (!command.resolve) return writes
    const closed = { closedAt: at, note: command.reason, resolvedBy: actorName(actor) }
    return [...writes, ...closeLockedException({ ...found, ...closed, resolution: 'adjusted' })]
  },
}
