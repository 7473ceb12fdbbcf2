import type { Caller } from '../../api/access/actor.ts'
import { assert } from '../../platform/assert.ts'
import { reportTurns } from '../../platform/batches/report-turns.ts'
import { formatSqlTime } from '../../platform/db/sql-time.ts'
import { statement } from '../../platform/db/statement.ts'
import type { MerchantMode } from '../../platform/mode.ts'
import { unavailable } from '../../platform/refusal.ts'
import { addSums, type ExactSum, negate } from '../../platform/sums.ts'
import { dayBounds } from '../../platform/time/kampala.ts'
import type { App } from '../../program/app.ts'
import { countCovered } from './covered.ts'
import { type KindSum, readKindSums } from './kind-sums.ts'
import type { StatementPeriod } from './period.ts'
import { findMonthRange, type SeqRange } from './range.ts'
import { splitRange } from './read-ahead.ts'
import { type SnapshotLoad, type SnapshotParallelism, type SnapshotQueries, withSnapshot } from './snapshot.ts'

/** The totals of a month, read before its lines. Whole UGX; balances are available + pending. */
export type StatementFigures = {
  opening: ExactSum
  closing: ExactSum
  collectedNet: ExactSum
  chargeFees: ExactSum
  countIn: number
  /** How many of these gift cards covered in full, without a transfer. */
  covered: number
  paidOut: ExactSum
  paidOutTotal: ExactSum
  countOut: number
  adjustmentsNet: ExactSum
  countAdjustments: number
  /** How many reservations never became payouts; the statement shows them as adjustments. */
  withheld: number
  range: SeqRange
}

type PayoutSums = { count: number; paidOut: ExactSum; paidOutTotal: ExactSum }

const CHECKPOINT = statement<{ seq: number; balance: ExactSum }>(
  'checkpoint before a month',
  `select seq, coalesce((balances->>'available')::bigint, 0) + coalesce((balances->>'pending')::bigint, 0) as balance
   from ledger_checkpoints where merchant_id = $1 and mode = $2 and seq < $3 order by seq desc limit 1`,
)

// A payout is created in the commit that reserves its money, with the same time.
const PUBLISHED = statement<PayoutSums>(
  'payouts of a statement',
  `select count(*) as count, coalesce(sum(amount), 0)::bigint as "paidOut",
     coalesce(sum(amount + fee), 0)::bigint as "paidOutTotal"
   from payouts where merchant_id = $1 and mode = $2 and status in ('pending', 'authorized', 'succeeded', 'failed')
     and published and kind <> 'subaccount' and created_at >= $3 and created_at < $4`,
)
const UNDECIDED = statement<{ count: number }>(
  'undecided payouts of a statement',
  `select count(*) as count from transfers t where merchant_id = $1 and mode = $2 and seq >= $3 and seq < $4
     and kind = 'payout_reserve' and at >= $5 and at < $6 and (select not p.published and p.voided_at is null
       and p.completed_at is null from payouts p where p.merchant_id = $1 and p.id = t.subject)`,
)

// In transfers: the server takes some fifty milliseconds for the first number and five for the second, which costs a tenth more in all.
const SUMMED_AT_ONCE = { quietly: 100_000, besideMoney: 10_000 }
// Opening a second connection takes some ten milliseconds, as reading so many transfers does.
const MAX_FOR_ONE_CONNECTION = 20_000
const DECIDED_WITHIN_S = 5

/** Reads the totals of the month. Throws 503 while a payout of a finished month is not decided yet. */
export async function readFigures(
  snapshot: SnapshotQueries & SnapshotLoad & SnapshotParallelism,
  ledger: MerchantMode,
  { period, complete }: { period: StatementPeriod; complete: boolean },
): Promise<StatementFigures> {
  const range = await findMonthRange(snapshot, ledger, period)
  const atOnce = () => SUMMED_AT_ONCE[snapshot.moneyMoves() ? 'besideMoney' : 'quietly']
  const own = [ledger.merchantId, ledger.mode]
  const month = [formatSqlTime(period.start), formatSqlTime(period.end)]
  const [checkpoint] = await snapshot.ask(CHECKPOINT, [...own, range.first])
  const summed = { ...range, first: (checkpoint?.seq ?? 0) + 1 }
  if (summed.end - summed.first > MAX_FOR_ONE_CONNECTION) await snapshot.double()
  const sums = await readKindSums(snapshot, { ledger, range: summed, period, atOnce })
  const before = addUp(sums.filter(({ inside }) => !inside))
  const reserved = addUp(sums.filter((sum) => sum.inside && isReserve(sum)))
  const [published] = reserved.count === 0 ? [NO_PAYOUTS] : await snapshot.ask(PUBLISHED, [...own, ...month])
  assert(published, 'an aggregate is one row')
  const covered = await countCovered(snapshot, ledger, period)
  const opening = addSums(checkpoint?.balance ?? 0, before.change)
  const figures = computeFigures(sums, published, { opening, range, covered })
  if (complete && figures.withheld > 0)
    for (const { first, end } of splitRange(range, atOnce))
      refuseUndecided(await snapshot.ask(UNDECIDED, [...own, first, end, ...month]))
  return figures
}

const isReserve = ({ kind }: KindSum) => kind === 'payout_reserve'

const NO_PAYOUTS: PayoutSums = { count: 0, paidOut: 0, paidOutTotal: 0 }

/** Throws 503 for an undecided payout: within seconds it will be shown or taken back, and a finished month must not change. */
function refuseUndecided([undecided]: readonly { count: number }[]): void {
  if (undecided && undecided.count > 0) throw unavailable(DECIDED_WITHIN_S)
}

function computeFigures(
  sums: readonly KindSum[],
  published: PayoutSums,
  { opening, range, covered }: Pick<StatementFigures, 'opening' | 'range' | 'covered'>,
): StatementFigures {
  const inside = sums.filter((sum) => sum.inside)
  const of = (...kinds: string[]) => addUp(inside.filter(({ kind }) => kinds.includes(kind)))
  const reserved = of('payout_reserve')
  const shares = of('split_share')
  // All other kinds whose transfers change the balance.
  const others = addUp(inside.filter(({ kind, change }) => change !== 0 && !NOT_ADJUSTMENT_KINDS.includes(kind)))
  const withheld = reserved.count - published.count
  const withheldTotal = addSums(reserved.amount, negate(published.paidOutTotal))
  const figures = {
    opening,
    closing: addSums(opening, addUp(inside).change),
    collectedNet: of('charge_net', 'split_share').amount,
    chargeFees: of('charge_fee').amount,
    countIn: of('charge_fee').count + covered,
    covered,
    paidOut: published.paidOut,
    paidOutTotal: published.paidOutTotal,
    countOut: published.count,
    adjustmentsNet: addSums(others.change, negate(shares.amount), negate(withheldTotal)),
    countAdjustments: others.count + shares.count + withheld,
    withheld,
    range,
  }
  const { closing, collectedNet, paidOutTotal, adjustmentsNet } = figures
  const led = addSums(opening, collectedNet, negate(paidOutTotal), adjustmentsNet)
  assert(closing === led, 'the lines lead to the closing')
  return figures
}

const NOT_ADJUSTMENT_KINDS = ['charge_net', 'payout_reserve', 'hold_release']

function addUp(sums: readonly KindSum[]): { count: number; amount: ExactSum; change: ExactSum } {
  const total: { count: number; amount: ExactSum; change: ExactSum } = { count: 0, amount: 0, change: 0 }
  for (const { count, amount, change } of sums) {
    total.count += count
    total.amount = addSums(total.amount, amount)
    total.change = addSums(total.change, change)
  }
  return total
}

/** Reads the totals of one day in Kampala (`YYYY-MM-DD`), as the statement of its month adds them up. */
export const readDayFigures = (app: App, { merchantId, mode }: Caller, day: string): Promise<StatementFigures> =>
  reportTurns(app).small(merchantId, () =>
    withSnapshot(app.db, (snapshot) => {
      const period = { name: day, label: day, ...dayBounds(day) }
      return readFigures(snapshot, { merchantId, mode }, { period, complete: false })
    }),
  )
