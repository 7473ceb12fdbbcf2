import { serviceActor } from '../../api/access/actor.ts'
import { agreeOnPlatform, openPlatformException } from '../../payments/exceptions/platform-exceptions.ts'
import { statement } from '../../platform/db/statement.ts'
import type { App } from '../../program/app.ts'
import { liveRails } from '../../rails/live-rails.ts'
import type { Installation, RailSide } from '../../rails/rail.ts'
import { type FloatBase, readFloatBase, recordFloat, storeReading } from './float-records.ts'
import { emptyLeg, type Leg } from './leg.ts'
import { liveMovements } from './movements.ts'

const BALANCE_MS = 12_000
const DAY_MS = 86_400_000
const DAYS_OF_OUTFLOW = 7
// One reading can catch money on its way; two in a row do not (rails.md 5.1).
const OUTSIDE_IN_ROW = 2

// Only movements created after the opening figure are surely not in it. Movements that were under way at that moment may be in it or not,
// like those under way now: both widen the interval.
const MOVED_THROUGH_WALLET = statement<{ moved: string; doubtful: string; outflow: string }>(
  'moved through wallet',
  `select coalesce(sum(m.amount) filter (where m.status in ('succeeded', 'refunded') and m.created_at > $3), 0) as moved,
     coalesce(sum(m.amount) filter (where (m.status in ('succeeded', 'refunded') and m.created_at <= $3)
       or m.status in ('pending', 'authorized')), 0) as doubtful,
     coalesce(sum(m.amount) filter (where m.status = 'succeeded' and m.completed_at > $4), 0) as outflow
   from (${liveMovements('true')}) m join rail_attempts a on a.merchant_id = m.merchant_id and a.subject = m.id
   where a.installation = $1 and m.side = $2 and m.voided_at is null
     and (m.completed_at is null or m.completed_at > $3 or m.completed_at > $4)
     and (m.status in ('pending', 'authorized') or m.completed_at > $3 or m.completed_at > $4)`,
)

/** The installations, and every cell whose movements go through their wallets. */
export type Wallets = Pick<App, 'rails' | 'directory' | 'clock' | 'deadlineIn'> & { cells: readonly App[] }

/**
 * Leg 3: compares what the operator says it holds with the expected balance (rails.md 5.1). The first reading sets the opening figure.
 * Two readings in a row outside open `float_drift` for the platform.
 */
export async function checkFloats(gateway: Wallets): Promise<Leg> {
  const leg = emptyLeg('float')
  for (const { rail, contract, side } of listWallets(gateway)) {
    const float = await rail.balance?.(side, gateway.deadlineIn(BALANCE_MS), contract.id)
    // A missing answer is never a break.
    if (float === undefined || float.available === 'unknown') continue
    leg.lookedAt += 1
    const result = await compareWallet(gateway, { contract, side, operator: float.available, currency: float.currency })
    leg.agreed += result === 'agreed' ? 1 : 0
    leg.opened += result === 'opened' ? 1 : 0
  }
  return leg
}

/** Lists every wallet that we have at an operator: one for each side of an installation. */
const listWallets = (gateway: Wallets) =>
  liveRails(gateway).flatMap((rail) =>
    rail.installations.flatMap((contract) => contract.sides.map((side) => ({ rail, contract, side }))),
  )

type WalletBalance = { contract: Installation; side: RailSide; operator: number; currency: string }

async function compareWallet(gateway: Wallets, read: WalletBalance): Promise<'agreed' | 'opened' | 'outside'> {
  const { directory, clock } = gateway
  const { contract, side, operator, currency } = read
  const wallet = { installation: contract.id, side }
  const at = clock.now()
  const base = await readFloatBase(directory, wallet)
  if (base === null) {
    const opening = { ...wallet, kind: 'opening', amount: operator, note: 'the first look' } as const
    await recordFloat(gateway, serviceActor('reconcile'), opening)
  }
  const sums = await readWalletSums(gateway, wallet, base?.openingAt ?? at)
  const { low: least, high: most } = expectedRange(base ?? { openingAt: at, opening: operator, lowered: 0 }, side, sums)
  const outside = operator < least || operator > most
  const low = operator < Math.max(contract.floatAlarmAmount ?? 0, side === 'disburse' ? sums.dailyOutflow : 0)
  const reading = { ...wallet, operator, currency, low, readAt: at }
  const inRow = await storeReading(directory, reading, outside)
  const drift = { kind: 'float_drift', subject: `${contract.id} ${side}` } as const
  if (!outside) {
    const agreeing = agreeOnPlatform(drift, at)
    await directory.query(agreeing.statement, agreeing.values)
    return 'agreed'
  }
  if (inRow < OUTSIDE_IN_ROW) return 'outside'
  const opening = openPlatformException({ ...drift, details: { operator, at_least: least, at_most: most } }, at)
  const [row] = await directory.query(opening.statement, opening.values)
  return row?.opened ? 'opened' : 'outside'
}

type WalletSums = { moved: number; doubtful: number; dailyOutflow: number }

async function readWalletSums(
  gateway: Wallets,
  { installation, side }: { installation: string; side: RailSide },
  openingAt: Date,
): Promise<WalletSums> {
  const week = new Date(gateway.clock.nowMs() - DAYS_OF_OUTFLOW * DAY_MS)
  const values = [installation, side, openingAt.toISOString(), week.toISOString()]
  const rows = await Promise.all(gateway.cells.map((app) => app.db.query(MOVED_THROUGH_WALLET, values)))
  const sum = (name: 'moved' | 'doubtful' | 'outflow') =>
    rows.flat().reduce((total, row) => total + Number(row[name]), 0)
  return {
    moved: sum('moved'),
    doubtful: sum('doubtful'),
    dailyOutflow: Math.round(sum('outflow') / DAYS_OF_OUTFLOW),
  }
}

/** The range in which the wallet's balance must be. */
function expectedRange(
  { opening, lowered }: FloatBase,
  side: RailSide,
  { moved, doubtful }: Pick<WalletSums, 'moved' | 'doubtful'>,
): { low: number; high: number } {
  const base = opening - lowered
  return side === 'collect'
    ? { low: base + moved, high: base + moved + doubtful }
    : { low: base - moved - doubtful, high: base - moved }
}
