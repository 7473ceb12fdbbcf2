import { nameOf } from '../actors/actor.ts'
import { allow } from '../actors/allow.ts'
import { auditRow } from '../actors/audit-row.ts'
import type { App, Gateway } from '../app.ts'
import type { Approval, Commands } from '../approvals/approval.ts'
import { type Asker, ask } from '../approvals/ask.ts'
import type { Effect } from '../approvals/effect.ts'
import { endChargesIn } from '../charges/move-charge.ts'
import { placeOfException } from '../exceptions/any-exception.ts'
import { addExceptionNote } from '../exceptions/notes.ts'
import { closeLocked, lockOpenException, type OpenedException } from '../exceptions/resolve-exception.ts'
import type { Book } from '../ledger/book.ts'
import { addAdjustment, postCorrection } from '../ledger/corrections.ts'
import { endPayoutsIn } from '../payouts/move-payout.ts'
import { assert } from '../platform/assert.ts'
import type { Call, Tx } from '../platform/db/database.ts'
import { newId, tagOf } from '../platform/ids.ts'
import { domainRefusal, invalidRequest, notFound } from '../platform/refusal.ts'
import { addEvidence, endAttempt } from '../rails/attempts.ts'
import { lockPosts, type Noun } from '../rails/lock-posts.ts'
import { endTopUpIn } from '../top-ups/move-top-up.ts'
import { type ToldMovement, toldEnd, toldMovement } from './told-movement.ts'

type Wanted = Pick<Commands['end-as-told'], 'exception' | 'told' | 'reason'>
const MOST_TOLD = 200

const NOUNS: Record<string, Noun> = { txn: 'charge', pout: 'payout', top: 'top-up' }
function nounOf(id: string): Noun {
  const noun = NOUNS[id.slice(0, id.indexOf('_'))]
  if (noun === undefined) throw domainRefusal('conflict', `${id} is no charge, payout or top-up`)
  return noun
}

/**
 * Asks that an open movement, of which its operator reports another amount, ends as succeeded, with a correction of the difference
 * (decision 42). A second staff member approves it. Throws Refusal.
 */
export async function askEndAsTold(gateway: Gateway, caller: Asker, wanted: Wanted): Promise<Approval> {
  allow(caller, 'movement.end-as-told')
  const { exception, told, reason } = wanted
  if (told.trim() === '') throw invalidRequest('told is required')
  if (told.length > MOST_TOLD) throw invalidRequest(`told must be at most ${MOST_TOLD} characters`)
  const { app, merchantId } = await placeOfException(gateway, exception)
  const tag = tagOf('exc_', exception)
  if (app === null || tag === null) throw notFound('movement')
  const { found, movement } = await app.db.transaction(async (tx) => ({
    value: await look(tx, merchantId, exception),
  }))
  const end = toldEnd(found, movement)
  const { subject: about, merchant } = found
  const command = {
    ...({ kind: 'end-as-told', merchant: merchant ?? '', mode: 'live', exception, about } as const),
    ...({ id: newId('adj_', tag), against: 'rail', ...end, told, reason } as const),
  }
  return ask(caller, {
    ...{ db: app.db, clock: gateway.clock, merchantId, tag, mode: 'live', subject: exception, command },
    async along(_tx, approval, at) {
      const text = `${approval}: end ${about} as told, ${end.moved}`
      return [addExceptionNote({ kind: 'asked', text, at, by: nameOf(caller), merchantId, id: exception })]
    },
  })
}

/** Locks the exception with its head, and reads its movement. */
async function look(
  tx: Tx,
  merchantId: number,
  id: string,
): Promise<{ found: OpenedException; movement: ToldMovement | undefined }> {
  const { found } = await lockOpenException(tx, { merchantId, id })
  const [[movement]] = await tx.send(toldMovement(merchantId, found.subject))
  return { found, movement }
}

/**
 * Ends the movement by the mover of its noun, in the transaction that approves it. The movement is locked first, then what its outcome
 * locks, and the exception last.
 */
export const END_AS_TOLD: Effect<'end-as-told'> = {
  async run({ gateway, tx, actor, merchantId, approval, command, at }) {
    const { id, exception, about, moved, number, direction, amount, against, told, reason } = command
    const noun = nounOf(about)
    await tx.send(lockPosts(noun, [{ merchantId, id: about }]))
    const { found, movement } = await look(tx, merchantId, exception)
    const now = toldEnd(found, movement)
    assert(movement, 'a movement that can be ended is there')
    if (
      now.moved !== moved ||
      now.amount !== amount ||
      now.direction !== direction ||
      found.subject !== about
    )
      throw domainRefusal('conflict', 'its operator reports something else now: ask for it again')
    const { app } = await placeOfException(gateway, exception)
    assert(app, 'a movement has a merchant')
    const mode = 'live' as const
    const correction = { merchantId, mode, id, direction, amount }
    const posts = (book: Book) => {
      if (amount > 0) postCorrection(book, { ...correction, against })
    }
    const alongside = heard({ merchantId, movement, found, at })
    const writes = await endIn(app, tx, { merchantId, noun, movement, number, posts, alongside, at })
    const after = { status: 'succeeded', moved, direction, amount, approval }
    const act = { actor, action: 'movement.end-as-told', at, merchantId, mode, subject: about } as const
    const closed = {
      closedAt: at,
      note: reason,
      resolvedBy: nameOf(actor),
      resolution: 'ended_as_told',
    } as const
    return [
      ...writes,
      ...(amount > 0 ? [addAdjustment({ ...correction, approval, exception, about, told, at })] : []),
      auditRow({ ...act, after }),
      ...closeLocked({ ...found, ...closed }),
    ]
  },
  async after(gateway) {
    for (const app of gateway.cells)
      for (const sweep of ['send-deliveries', 'dispense'] as const) app.nudge(sweep)
  },
}

type Hearing = { merchantId: number; movement: ToldMovement; found: OpenedException; at: Date }

/** The writes that end the attempt, with the operator's report of success as evidence. */
function heard({ merchantId, movement: { reference, installation }, found, at }: Hearing): Call[] {
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

type Ending = {
  merchantId: number
  noun: Noun
  movement: ToldMovement
  number: string | null
  posts: (book: Book) => void
  alongside: readonly Call[]
  at: Date
}

async function endIn(
  app: App,
  tx: Tx,
  { merchantId, noun, movement, number, posts, alongside, at }: Ending,
): Promise<readonly Call[]> {
  const { id, giftCardAmount, subaccountId } = movement
  const key = { merchantId, id, mode: 'live' } as const
  const end = { to: { status: 'succeeded', railTransactionId: number } as const, posts, alongside }
  switch (noun) {
    case 'charge': {
      const move = { charge: { ...key, giftCardAmount: giftCardAmount ?? 0 }, ...end }
      const { missed, writes } = await endChargesIn(app, tx, { moves: [move], at })
      assert(missed.size === 0, 'a locked charge that is open ends')
      return writes
    }
    case 'payout': {
      const { moved, writes } = await endPayoutsIn(tx, [{ payout: { ...key, subaccountId }, ...end }], at)
      assert(moved[0] === 'moved', 'a locked payout that is open ends')
      return writes
    }
    case 'top-up': {
      const { moved, writes } = await endTopUpIn(tx, { topUp: key, ...end }, at)
      assert(moved === 'moved', 'a locked top-up that is open ends')
      return writes
    }
  }
}
