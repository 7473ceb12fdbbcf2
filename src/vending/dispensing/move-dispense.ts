import type { App } from '../../app.ts'
import { assert } from '../../platform/assert.ts'
import { done, type Outcome } from '../../platform/batch-run.ts'
import type { Tx } from '../../platform/db/database.ts'
import { whenTaken } from '../../platform/db/taken.ts'
import { groupBy } from '../../platform/group-by.ts'
import { runApart } from '../../platform/run-apart.ts'
import { addCallbacks, ordersOfSigns, signName } from '../callbacks/vendor-callbacks.ts'
import { lockDirects } from './direct-standing.ts'
import { type DispenseMove, type DispenseMoved, nameOf } from './dispense-move.ts'
import { judgeMove } from './judge-move.ts'
import { writesOf } from './move-writes.ts'
import { lockOrders } from './order-standing.ts'
import { type MovedDispense, planRefund, type StandingDispense } from './plan-refund.ts'

/** Moves one dispense, as `moveDispenses` does. */
export async function moveDispense(app: App, move: DispenseMove): Promise<DispenseMoved> {
  const [moved] = await moveAll(app, [move])
  assert(moved, 'one was given')
  return moved
}

/**
 * Moves dispenses (orders, and direct dispenses, which are orders without a page): order, claim, event and delivery in one commit,
 * decided on locked rows (contract.md G29a, G36a, 6.3). No other code moves them. A repeat moves nothing; a dispense that a machine or
 * a person has confirmed as dispensed never moves again. `callback` and `manual` move only what is paid and commanded; a callback about
 * a refunded charge changes nothing. Several moves share a transaction, but those about one dispense or with one signature run one
 * after the other, and orders and direct dispenses apart. Returns the verdicts in the order of `moves`.
 */
export function moveDispenses(app: App, moves: readonly DispenseMove[]): Promise<Outcome<DispenseMoved>[]> {
  return runApart(moves, nameOf, (apart) =>
    runApart(apart, signOf, async (some) => (await moveAll(app, some)).map(done)),
  )
}

const signOf = (move: DispenseMove) =>
  move.message === undefined ? nameOf(move) : signName({ ...move, ...move.message })

/** Each move is about another dispense. Orders and direct dispenses lock their charges by different statements: never both in one transaction. */
async function moveAll(app: App, moves: readonly DispenseMove[]): Promise<DispenseMoved[]> {
  const verdicts = new Map<DispenseMove, DispenseMoved>()
  for (const [, own] of groupBy(moves, ({ kind }) => kind)) {
    const judged = await whenTaken(
      () => judgeAndMove(app, own, { looksForSigns: false }),
      () => judgeAndMove(app, own, { looksForSigns: true }),
    )
    for (const [index, move] of own.entries()) verdicts.set(move, judged.verdicts[index] as DispenseMoved)
    if (judged.rows.some(({ dispense }) => dispense.facts.hasWebhookUrl)) app.nudge('send-deliveries')
    if (judged.rows.some(({ refund }) => refund.due !== null)) app.nudge('refund-jams')
  }
  return moves.map((move) => verdicts.get(move) as DispenseMoved)
}

/**
 * The signatures were looked up before the callbacks were judged. One that was stored in the meantime fails the whole transaction, so
 * only the second attempt looks them up once more.
 */
function judgeAndMove(
  app: App,
  moves: readonly DispenseMove[],
  { looksForSigns }: { looksForSigns: boolean },
) {
  const at = app.clock.now()
  return app.db.transactionFor({ kind: 'outcome' }, async (tx) => {
    const { dispenses, signs } = await lockAndRead(tx, moves, looksForSigns)
    const judged = moves.map((move) => {
      const dispense = dispenses.get(nameOf(move))
      assert(dispense, 'neither an order nor a claim is ever deleted')
      const isSeen = move.message !== undefined && signs.has(signName({ ...move, ...move.message }))
      const verdict = isSeen ? ('seen' as const) : judgeMove(dispense.order, move, dispense.facts)
      return { move, dispense, verdict }
    })
    const rows = judged
      .filter(({ verdict }) => verdict === 'moved')
      .map((moved): MovedDispense => ({ ...moved, refund: planRefund(moved, at) }))
    const kept = judged.flatMap(({ move: { message }, verdict }) =>
      message === undefined || verdict === 'seen' ? [] : [message.kept(verdict)],
    )
    return {
      value: { verdicts: judged.map(({ verdict }) => verdict), rows },
      last: [
        ...addCallbacks(kept),
        ...writesOf(app, rows, at),
        ...rows.flatMap(({ move: { alongside } }) => alongside ?? []),
      ],
    }
  })
}

type Standings = { dispenses: ReadonlyMap<string, StandingDispense>; signs: ReadonlySet<string> }

/** Locks the dispenses of these moves, all of one kind, and reads which signatures were stored before. */
async function lockAndRead(
  tx: Tx,
  moves: readonly DispenseMove[],
  looksForSigns: boolean,
): Promise<Standings> {
  const keys = looksForSigns
    ? moves.flatMap(({ merchantId, message }) => (message ? [{ merchantId, sign: message.sign }] : []))
    : []
  const signs = keys.length === 0 ? [] : [ordersOfSigns(keys)]
  const locked =
    moves[0]?.kind === 'direct' ? await lockDirects(tx, moves, signs) : await lockOrders(tx, moves, signs)
  return { dispenses: locked.dispenses, signs: new Set(locked.also.map(signName)) }
}
