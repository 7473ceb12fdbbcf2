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

/** `moveDispenses` of one. */
export async function moveDispense(app: App, move: DispenseMove): Promise<DispenseMoved> {
  const [moved] = await moveAll(app, [move])
  assert(moved, 'one was given')
  return moved
}

/**
 * The one door through which the machine's side of an order ends, and a direct dispense, which is an order without a page:
 * order, claim, event and delivery in one commit, decided on locked rows (contract.md G29a, G36a, 6.3). Said twice it moves
 * once; what a machine or a person has confirmed as dispensed never moves again. `callback` and `manual` move what is paid and
 * commanded only; a callback about what is refunded changes nothing. Several travel in one transaction, those about one dispense
 * or with one sign in turn, orders and direct dispenses apart. Answers each in the order given.
 */
export function moveDispenses(app: App, moves: readonly DispenseMove[]): Promise<Outcome<DispenseMoved>[]> {
  return runApart(moves, nameOf, (apart) =>
    runApart(apart, signOf, async (some) => (await moveAll(app, some)).map(done)),
  )
}

const signOf = (move: DispenseMove) =>
  move.said === undefined ? nameOf(move) : signName({ ...move, ...move.said })

/** Each about another dispense. Orders and direct dispenses lock their charges by statements of their own: never both in one. */
async function moveAll(app: App, moves: readonly DispenseMove[]): Promise<DispenseMoved[]> {
  const verdicts = new Map<DispenseMove, DispenseMoved>()
  for (const [, own] of groupBy(moves, ({ kind }) => kind)) {
    const judged = await whenTaken(
      () => judgeAndMove(app, own, { looksForSigns: false }),
      () => judgeAndMove(app, own, { looksForSigns: true }),
    )
    for (const [index, move] of own.entries()) verdicts.set(move, judged.verdicts[index] as DispenseMoved)
    if (judged.rows.some(({ standing }) => standing.facts.hasWebhookUrl)) app.nudge('send-deliveries')
    if (judged.rows.some(({ refund }) => refund.due !== null)) app.nudge('refund-jams')
  }
  return moves.map((move) => verdicts.get(move) as DispenseMoved)
}

/**
 * Signs were looked for before their callbacks were believed. One that was stored in the meantime cannot be stored again, which takes
 * all of this back; so only the second attempt looks for them once more.
 */
function judgeAndMove(
  app: App,
  moves: readonly DispenseMove[],
  { looksForSigns }: { looksForSigns: boolean },
) {
  const at = app.clock.now()
  return app.db.transactionFor({ kind: 'outcome' }, async (tx) => {
    const { standing, signs } = await lockAndRead(tx, moves, looksForSigns)
    const judged = moves.map((move) => {
      const one = standing.get(nameOf(move))
      assert(one, 'neither an order nor a claim is ever deleted')
      const isSeen = move.said !== undefined && signs.has(signName({ ...move, ...move.said }))
      const verdict = isSeen ? ('seen' as const) : judgeMove(one.order, move, one.facts)
      return { move, standing: one, verdict }
    })
    const rows = judged
      .filter(({ verdict }) => verdict === 'moved')
      .map((one): MovedDispense => ({ ...one, refund: planRefund(one, at) }))
    const kept = judged.flatMap(({ move: { said }, verdict }) =>
      said === undefined || verdict === 'seen' ? [] : [said.kept(verdict)],
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

type Standings = { standing: ReadonlyMap<string, StandingDispense>; signs: ReadonlySet<string> }

/** All of one kind. */
async function lockAndRead(
  tx: Tx,
  moves: readonly DispenseMove[],
  looksForSigns: boolean,
): Promise<Standings> {
  const said = looksForSigns
    ? moves.flatMap(({ merchantId, said }) => (said ? [{ merchantId, sign: said.sign }] : []))
    : []
  const signs = said.length === 0 ? [] : [ordersOfSigns(said)]
  const read =
    moves[0]?.kind === 'direct' ? await lockDirects(tx, moves, signs) : await lockOrders(tx, moves, signs)
  return { standing: read.standing, signs: new Set(read.also.map(signName)) }
}
