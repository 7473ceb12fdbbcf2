import { railAccount } from '../../ledger/accounts.ts'
import { type Book, lockHeads, openBook } from '../../ledger/book.ts'
import { assert } from '../../platform/assert.ts'
import type { Tx } from '../../platform/db/database.ts'
import { parseTag } from '../../platform/text/ids.ts'
import type { App } from '../../program/app.ts'
import { completeMoves, finishOne } from '../../rails/finishing/finish-moves.ts'
import type { Finisher, FinishResult, Move, MoveResult, MovesAt } from '../../rails/finishing/move.ts'
import type { ChargeFailure } from '../../rails/rail.ts'
import { openContradiction } from '../exceptions/exception.ts'
import { TOP_UP_PREFIX, type TopUp } from './top-up.ts'
import { finishTopUp } from './write-top-ups.ts'

type TopUpMove = Move<ChargeFailure> & { topUp: Pick<TopUp, 'merchantId' | 'id' | 'mode'> }

/**
 * Gives a top-up its final status and, if it succeeded, posts its one transfer to available, in one commit, by
 * compare-and-set (G74; ledger.md 5). No other function does. A second call moves nothing; a final status never changes.
 */
export const moveTopUp = (app: App, move: TopUpMove): Promise<MoveResult> => finishOne(app, TOP_UP_FINISHER, move)

const TOP_UP_FINISHER: Finisher<TopUpMove> = {
  noun: 'top-up',
  movementOf: ({ topUp }) => topUp,
  finishIn: finishTopUpIn,
  openContradiction,
}

/** Finishes a top-up inside a transaction that may write more; top-ups are few, so they need no batches. Locks the top-up, then the head. */
export async function finishTopUpIn(_app: App, tx: Tx, { moves, at }: MovesAt<TopUpMove>): Promise<FinishResult> {
  const [move] = moves
  assert(move && moves.length === 1, 'one top-up is finished in a transaction')
  const [finished, heads] = await tx.send(finishTopUp(move.topUp, move.to, at), lockHeads([move.topUp]))
  const book = openBook(heads, at)
  for (const topUp of finished) creditTopUp(book, topUp)
  return completeMoves(tx, TOP_UP_FINISHER, {
    moves,
    at,
    finished,
    book,
    writes: [],
    wakes: [],
    tagOf: ({ id }) => parseTag(TOP_UP_PREFIX, id) ?? undefined,
  })
}

/** Posts the whole amount to available. The subject is the rail's reference, so that no other top-up can be credited under it. */
function creditTopUp(book: Book, topUp: TopUp): void {
  const { merchantId, mode, status, amount, channel, railReference: subject } = topUp
  const debit = railAccount(channel)
  if (status === 'succeeded')
    book.post({ merchantId, mode, kind: 'top_up', subject, debit, credit: 'available', amount })
}
