import { assert } from '../../platform/assert.ts'
import { statement } from '../../platform/db/statement.ts'
import type { Period } from './period.ts'
import type { Asked, Ledger } from './snapshot.ts'

/** Numbers of transfers: from `first` up to and without `end`. */
export type SeqRange = { first: number; end: number }

const HEAD_SEQ = statement<{ seq: number }>(
  'last transfer of a ledger',
  'select seq from ledger_heads where merchant_id = $1 and mode = $2',
)
const TIME_OF = statement<{ at: Date }>(
  'time of a transfer',
  'select at from transfers where merchant_id = $1 and mode = $2 and seq = $3',
)

// A transfer gets its time before its number, so numbers are in the order of time except for the waits of transactions and
// the differences between clocks. A day is far more than that.
const SLACK_MS = 86_400_000

/**
 * A range of transfers that contains every transfer of the month, found by binary search: there is no index on their time,
 * because it would cost every payment. Transfers before the range are older than the month, those after it newer.
 */
export async function rangeOf(snapshot: Asked, ledger: Ledger, { start, end }: Period): Promise<SeqRange> {
  const [head] = await snapshot.ask(HEAD_SEQ, [ledger.merchantId, ledger.mode])
  const last = head?.seq ?? 0
  const first = await firstSince(snapshot, ledger, { since: start.getTime() - SLACK_MS, from: 1, last })
  const behind = await firstSince(snapshot, ledger, { since: end.getTime() + SLACK_MS, from: first, last })
  return { first, end: behind }
}

/** The first transfer from `from` on that is not older than `since`; `last` + 1 when there is none. */
async function firstSince(
  snapshot: Asked,
  { merchantId, mode }: Ledger,
  { since, from, last }: { since: number; from: number; last: number },
): Promise<number> {
  let [low, high] = [from, last + 1]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const [transfer] = await snapshot.ask(TIME_OF, [merchantId, mode, middle])
    assert(transfer, 'the numbers of transfers have no gap')
    if (transfer.at.getTime() >= since) high = middle
    else low = middle + 1
  }
  return low
}
