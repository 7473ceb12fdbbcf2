import { assert } from '../../../platform/assert.ts'
import { type ItemOutcome, itemDone } from '../../../platform/batches/batch-run.ts'
import { runDistinct } from '../../../platform/batches/run-distinct.ts'
import type { Tx } from '../../../platform/db/database.ts'
import { onUniqueViolation } from '../../../platform/db/unique-violation.ts'
import { groupBy } from '../../../platform/group-by.ts'
import type { App } from '../../../program/app.ts'
import { addCallbacks, formatSignKey, ordersBySign } from '../callbacks/vendor-callbacks.ts'
import { type DispenseMove, type DispenseVerdict, dispenseName } from './dispense-move.ts'
import { judgeMove } from './judge-move.ts'
import { lockDirects } from './lock-directs.ts'
import { lockOrders } from './lock-orders.ts'
import { listMoveWrites } from './move-writes.ts'
import { type LockedDispense, type MovedDispense, planRefund } from './plan-refund.ts'

/** Moves one dispense, as `moveDispenses` does. */
export async function moveDispense(app: App, move: DispenseMove): Promise<DispenseVerdict> {
  const [moved] = await moveDistinct(app, [move])
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
export function moveDispenses(app: App, moves: readonly DispenseMove[]): Promise<ItemOutcome<DispenseVerdict>[]> {
  return runDistinct(moves, dispenseName, (apart) =>
    runDistinct(apart, messageKey, async (some) => (await moveDistinct(app, some)).map(itemDone)),
  )
}

const messageKey = (move: DispenseMove) =>
  move.message === undefined ? dispenseName(move) : formatSignKey({ ...move, ...move.message })

/** Each move is about another dispense. Orders and direct dispenses lock their charges by different statements: never both in one transaction. */
async function moveDistinct(app: App, moves: readonly DispenseMove[]): Promise<DispenseVerdict[]> {
  const verdicts = new Map<DispenseMove, DispenseVerdict>()
  for (const [, own] of groupBy(moves, ({ kind }) => kind)) {
    const judged = await onUniqueViolation(
      () => judgeAndMove(app, own, { looksForSigns: false }),
      () => judgeAndMove(app, own, { looksForSigns: true }),
    )
    for (const [index, move] of own.entries()) verdicts.set(move, judged.verdicts[index] as DispenseVerdict)
    if (judged.rows.some(({ dispense }) => dispense.facts.hasWebhookUrl)) app.nudge('send-deliveries')
    if (judged.rows.some(({ refund }) => refund.due !== null)) app.nudge('refund-jams')
  }
  return moves.map((move) => verdicts.get(move) as DispenseVerdict)
}

/**
 * The signatures were looked up before the callbacks were judged. One that was stored in the meantime fails the whole transaction, so
 * only the second attempt looks them up once more.
 */
function judgeAndMove(app: App, moves: readonly DispenseMove[], { looksForSigns }: { looksForSigns: boolean }) {
  const at = app.clock.now()
  return app.db.transactionFor({ kind: 'outcome' }, async (tx) => {
    const { dispenses, signs } = await lockAndRead(tx, moves, looksForSigns)
    const judged = moves.map((move) => {
      const dispense = dispenses.get(dispenseName(move))
      assert(dispense, 'neither an order nor a claim is ever deleted')
      const isSeen = move.message !== undefined && signs.has(formatSignKey({ ...move, ...move.message }))
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
        ...listMoveWrites(app, rows, at),
        ...rows.flatMap(({ move: { alongside } }) => alongside ?? []),
      ],
    }
  })
}

type LockedDispenses = { dispenses: ReadonlyMap<string, LockedDispense>; signs: ReadonlySet<string> }

/** Locks the dispenses of these moves, all of one kind, and reads which signatures were stored before. */
async function lockAndRead(tx: Tx, moves: readonly DispenseMove[], looksForSigns: boolean): Promise<LockedDispenses> {
  const keys = looksForSigns
    ? moves.flatMap(({ merchantId, message }) => (message ? [{ merchantId, sign: message.sign }] : []))
    : []
  const signs = keys.length === 0 ? [] : [ordersBySign(keys)]
  const locked = moves[0]?.kind === 'direct' ? await lockDirects(tx, moves, signs) : await lockOrders(tx, moves, signs)
  return { dispenses: locked.dispenses, signs: new Set(locked.also.map(formatSignKey)) }
}
