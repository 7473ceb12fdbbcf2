import type { Product, Transaction } from './book.ts'

/** Faults that a statement can have on demand. */
type StatementFault = 'missing' | 'extra' | 'amount' | 'duplicate'
/** `side`: the list of one wallet alone, as an operator exports each. */
export type StatementOptions = {
  from?: Date
  to?: Date
  side?: Product
  faults?: readonly StatementFault[]
}

const HEAD = 'rail_transaction_id,external_id,type,amount,fee,tax,currency,at,status'
const KAMPALA_MS = 3 * 3_600_000

/** The operator's own list of what it moved, as neutral CSV (rails.md 5.1), in the time of Kampala. */
export function statementOf(
  transactions: readonly Transaction[],
  { from, to, side, faults = [] }: StatementOptions,
): string {
  const moved = transactions.filter(
    ({ status, endedMs, product }) =>
      status === 'SUCCESSFUL' &&
      (side === undefined || side === product) &&
      endedMs !== null &&
      (from === undefined || endedMs >= from.getTime()) &&
      (to === undefined || endedMs < to.getTime()),
  )
  const kept = faults.includes('missing') ? moved.slice(1) : moved
  const lines = kept.flatMap((transaction, nth) => {
    const line = lineOf(
      transaction,
      faults.includes('amount') && nth === 0 ? transaction.amount + 1 : transaction.amount,
    )
    const twice = transaction.moves > 1 || (faults.includes('duplicate') && nth === 0)
    return twice ? [line, line.replace(/^[0-9]+/, (id) => `${id}9`)] : [line]
  })
  const last = moved.at(-1)
  if (faults.includes('extra') && last !== undefined)
    lines.push(lineOf({ ...last, financialTransactionId: '1999999999', externalId: 'txn_nobody' }, last.amount))
  return `${[HEAD, ...lines].join('\n')}\n`
}

function lineOf(
  { financialTransactionId, externalId, product, currency, endedMs }: Transaction,
  amount: number,
): string {
  const at = new Date((endedMs ?? 0) + KAMPALA_MS).toISOString().replace('Z', '+03:00')
  const type = product === 'collection' ? 'collect' : 'disburse'
  return [financialTransactionId, externalId, type, amount, 0, 0, currency, at, 'SUCCESSFUL'].join(',')
}
