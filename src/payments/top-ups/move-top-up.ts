import { railAccount } from '../../ledger/accounts.ts'
import { type Book, inOpenMonth, lockHeads, openBook } from '../../ledger/book.ts'
import type { Call, Tx } from '../../platform/db/database.ts'
import { parseTag } from '../../platform/text/ids.ts'
import type { App } from '../../program/app.ts'
import { type FinishedMovement, findOvertaken, readMissedResults } from '../../rails/finished-movements.ts'
import type { LockedMovement } from '../../rails/lock-movements.ts'
import type { MovementOutcome, MoveResult } from '../../rails/mover.ts'
import type { ChargeFailure } from '../../rails/rail.ts'
import { openContradiction } from '../exceptions/exception.ts'
import { TOP_UP_PREFIX, type TopUp } from './top-up.ts'
import { finishTopUp } from './write-top-ups.ts'

/**
 * An open top-up and the rail's final answer about it. `alongside`: writes that commit with the move. `still`: a condition on
 * the locked top-up and its attempt; if it does not hold, nothing is written.
 */
type TopUpMove = {
  topUp: Pick<TopUp, 'merchantId' | 'id' | 'mode'>
  to: MovementOutcome<ChargeFailure>
  still?: (locked: LockedMovement<ChargeFailure>) => boolean
  alongside: readonly Call[]
  /** Posts further transfers with the move, on the same locked head. May throw a refusal: then nothing is written. */
  posts?: (book: Book) => void
}

/**
 * Gives a top-up its final status and, if it succeeded, posts its one transfer to available, in one commit, by
 * compare-and-set (G74; ledger.md 5). No other function does. A second call moves nothing; a final status never changes.
 */
export const moveTopUp = (app: App, move: TopUpMove): Promise<MoveResult> => inOpenMonth(() => moveOnce(app, move))

const overtakenInput = (move: TopUpMove) => ({
  ...{ noun: 'top-up' as const, moves: [move], rowOf: (topUpMove: TopUpMove) => topUpMove.topUp },
})

function moveOnce(app: App, move: TopUpMove): Promise<MoveResult> {
  return app.db.transactionFor<MoveResult>({ kind: 'outcome' }, async (tx) => {
    const overtaken = await findOvertaken<ChargeFailure, TopUpMove>(tx, overtakenInput(move))
    if (overtaken.has(move)) return { value: 'overtaken' }
    const { moved, writes } = await finishTopUpIn(tx, move, app.clock.now())
    return { value: moved, last: writes }
  })
}

/** Does what `moveTopUp` does inside a transaction that writes more. Locks the top-up, then the head. */
export async function finishTopUpIn(
  tx: Tx,
  move: TopUpMove,
  at: Date,
): Promise<{ moved: MoveResult; writes: readonly Call[] }> {
  const { topUp, to, alongside, posts } = move
  const [ended, heads] = await tx.send(finishTopUp(topUp, to, at), lockHeads([topUp]))
  const missed = await readMissedResults(tx, overtakenInput(move), { finished: ended, compare: judgeMissed })
  const moved = missed.get(topUp.id) ?? 'moved'
  const tag = parseTag(TOP_UP_PREFIX, topUp.id) ?? undefined
  const opened = moved === 'contradicted' ? openContradiction(topUp, { tag, answer: to, at }) : []
  const book = openBook(heads, at)
  for (const row of ended) creditTopUp(book, row)
  if (moved === 'moved') posts?.(book)
  return { moved, writes: [...book.writes(), ...alongside, ...opened] }
}

/** Posts the whole amount to available. The subject is the rail's reference, so that no other top-up can be credited under it. */
function creditTopUp(book: Book, topUp: TopUp): void {
  const { merchantId, mode, status, amount, channel, railReference: subject } = topUp
  const debit = railAccount(channel)
  if (status === 'succeeded')
    book.post({ merchantId, mode, kind: 'top_up', subject, debit, credit: 'available', amount })
}

/** For a top-up that was final already: the same outcome is a no-op, another one a contradiction (contract.md 3 o). */
function judgeMissed(earlier: FinishedMovement | undefined, { to }: TopUpMove): MoveResult {
  if (earlier === undefined) return 'same'
  const before = earlier.voided ? 'failed' : earlier.status
  return before === to.status ? 'same' : 'contradicted'
}
