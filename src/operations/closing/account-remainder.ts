import { payoutFee } from '../../ledger/fees.ts'
import type { Merchant } from '../../merchants/account/merchant.ts'
import { mayPayOutSql } from '../../payments/payouts/find-stop.ts'
import { findWaitReason } from '../../payments/withdrawals/withdrawal-number.ts'
import { assert } from '../../platform/assert.ts'
import { statement } from '../../platform/db/statement.ts'
import type { App } from '../../program/app.ts'

/** The money, open payments and open duties that an account still has in live mode. Whole UGX; counts stop at a thousand. */
export type AccountRemainder = {
  available: number
  pending: number
  inFlight: number
  seq: number
  /** Money of subaccounts: what can be paid out to their numbers, what is held, and what has no number or came back from it. */
  sharesDue: number
  sharesPending: number
  sharesStuck: number
  openCharges: number
  openTopUps: number
  openGoods: number
  openDisputes: number
  schedules: number
  cards: number
  cardsWorth: number
  stopped: boolean
  number: { phone: string; verified: boolean; waitsUntil: Date | null } | null
  /** The last withdrawal came back, and no other number was set since. */
  cameBack: boolean
}

const MAX_COUNTED = 1000
const cappedCount = (from: string) => `(select count(*)::int from (select ${from} limit ${MAX_COUNTED}) c)`
// Live money only: test money is owed to no one.
const READ_REMAINDER = statement<
  Omit<AccountRemainder, 'sharesDue' | 'sharesPending' | 'sharesStuck' | 'number'> & NumberColumns
>(
  'what an account has left',
  `select h.available, h.pending, h.in_flight as "inFlight", h.seq,
     not ${mayPayOutSql('h')} as stopped,
     ${cappedCount(`from charges where merchant_id = $1 and mode = 'live' and follow_at is not null`)} as "openCharges",
     ${cappedCount('from top_ups where merchant_id = $1 and follow_at is not null')} as "openTopUps",
     ${cappedCount(`from dispense_claims where merchant_id = $1 and mode = 'live' and state in ('claimed', 'commanding', 'accepted', 'ambiguous')`)}
       + ${cappedCount(`from vending_orders o join payment_links l on (l.merchant_id, l.id) = (o.merchant_id, o.id)
         join charges p on (p.merchant_id, p.id) = (l.merchant_id, l.charge_id) and p.status = 'succeeded'
         where o.merchant_id = $1 and o.mode = 'live' and (o.watched or o.refund_due_at is not null)`)} as "openGoods",
     ${cappedCount(`from disputes where merchant_id = $1 and mode = 'live' and closed_at is null`)} as "openDisputes",
     ${cappedCount(`from schedules where merchant_id = $1 and status = 'active'`)} as schedules,
     (select count(*)::int from gift_cards where merchant_id = $1 and balance > 0 and deactivated_at is null and expires_at > $2) as cards,
     (select coalesce(sum(balance), 0)::bigint from gift_cards
       where merchant_id = $1 and balance > 0 and deactivated_at is null and expires_at > $2) as "cardsWorth",
     n.phone, n.verified_at is not null as verified, n.waits_until as "waitsUntil",
     exists (select from payouts where merchant_id = $1 and kind = 'withdrawal' and status = 'failed'
       and completed_at > greatest($3::timestamptz, n.set_at)) as "cameBack"
   from ledger_heads h left join withdrawal_numbers n on n.merchant_id = h.merchant_id
   where h.merchant_id = $1 and h.mode = 'live'`,
)
type NumberColumns = { phone: string | null; verified: boolean; waitsUntil: Date | null }
const SUBACCOUNT_SHARES = statement<SubaccountShare>(
  'what subaccounts have left',
  `select h.subaccount_id as id, h.available, h.pending, s.payout_phone is not null and h.subaccount_id not in (
       select p.subaccount_id from payouts p where p.merchant_id = $1 and p.mode = 'live' and p.status = 'failed' and p.published
         and p.created_at >= $2 and p.kind = 'subaccount') as reached,
     (select count(*)::int from payouts p where p.merchant_id = $1 and p.mode = 'live' and p.kind = 'subaccount'
       and p.subaccount_id = h.subaccount_id and p.created_at >= $2) as sent
   from subaccount_heads h join subaccounts s on (s.merchant_id, s.id) = (h.merchant_id, h.subaccount_id)
   where h.merchant_id = $1 and h.mode = 'live' and (h.available > 0 or h.pending > 0) order by h.subaccount_id`,
)
/** `reached`: it has a number, and no payout to it has failed since the closing began. `sent`: how many payouts went to it since then. */
type SubaccountShare = { id: string; available: number; pending: number; reached: boolean; sent: number }

/**
 * The largest amount that one payout can send from `available`, its fee included; 0 if that is less than the operator moves. `limit`: the
 * merchant's own limit.
 */
export function sendableAmount(
  { config }: Pick<App, 'config'>,
  available: number,
  limit: number | null = null,
): number {
  if (available <= 0) return 0
  const highest = Math.min(config.railPayoutMax, config.amountMax, limit ?? config.amountMax)
  // A smaller amount never has a higher fee, so this start is affordable, and only some shillings below the largest amount.
  let amount = available - payoutFee(available)
  while (amount < highest && amount + 1 + payoutFee(amount + 1) <= available) amount += 1
  const sent = Math.min(amount, highest)
  return sent < config.railPayoutMin ? 0 : sent
}

/** The subaccounts with money in live mode, which goes to their own numbers while the account closes. */
export async function listSubaccountShares(app: App, { id, closingAt }: Merchant): Promise<readonly SubaccountShare[]> {
  return app.db.query(SUBACCOUNT_SHARES, [id, (closingAt ?? app.clock.now()).toISOString()])
}

export async function readRemainder(app: App, merchant: Merchant): Promise<AccountRemainder> {
  const now = app.clock.now().toISOString()
  const since = merchant.closingAt?.toISOString() ?? now
  const [[row], shares] = await Promise.all([
    app.db.query(READ_REMAINDER, [merchant.id, now, since]),
    listSubaccountShares(app, merchant),
  ])
  assert(row, 'a merchant has a head in each mode')
  const { phone, verified, waitsUntil, ...facts } = row
  const sum = (amount: (share: SubaccountShare) => number) => shares.reduce((total, share) => total + amount(share), 0)
  const due = (share: SubaccountShare) =>
    share.reached && sendableAmount(app, share.available, merchant.payoutLimit) > 0 ? share.available : 0
  return {
    ...facts,
    sharesDue: sum(due),
    sharesPending: sum(({ pending }) => pending),
    sharesStuck: sum((share) => share.available - due(share)),
    number: phone === null ? null : { phone, verified, waitsUntil },
  }
}

/** What keeps an account from being closed, in the order in which people read it and in which it is resolved. */
export type ClosingBlocker =
  | 'charges'
  | 'goods'
  | 'disputes'
  | 'holds'
  | 'reports'
  | 'shares'
  | 'verification'
  | 'number'
  | 'number-waits'
  | 'stopped'
  | 'came-back'
  | 'sending'

// How long customers may still report a problem before the money leaves, so that they can get it back: the time in which a shop answers a report.
const REPORT_WINDOW_MS = 72 * 3_600_000

const waitsForReports = (app: Pick<App, 'witness'>, { closingAt }: Merchant, remainder: AccountRemainder): boolean =>
  remainder.available + remainder.sharesDue > 0 &&
  closingAt !== null &&
  app.witness.earlierMs() < closingAt.getTime() + REPORT_WINDOW_MS

/** What must be finished before the last money is sent. */
export const listSendingBlockers = (
  app: Pick<App, 'witness'>,
  merchant: Merchant,
  remainder: AccountRemainder,
): ClosingBlocker[] => [
  ...((remainder.openCharges + remainder.openTopUps > 0 ? ['charges'] : []) satisfies ClosingBlocker[]),
  ...((remainder.openGoods > 0 ? ['goods'] : []) satisfies ClosingBlocker[]),
  ...((remainder.openDisputes > 0 ? ['disputes'] : []) satisfies ClosingBlocker[]),
  ...((remainder.pending + remainder.sharesPending > 0 ? ['holds'] : []) satisfies ClosingBlocker[]),
  ...((waitsForReports(app, merchant, remainder) ? ['reports'] : []) satisfies ClosingBlocker[]),
]

/** What keeps the account's own balance from being withdrawn; empty if there is none that can be sent. */
export function listWithdrawalBlockers(app: App, merchant: Merchant, remainder: AccountRemainder): ClosingBlocker[] {
  if (sendableAmount(app, remainder.available) === 0) return []
  if (merchant.kycStatus !== 'verified') return ['verification']
  if (remainder.stopped) return ['stopped']
  if (!remainder.number?.verified) return ['number']
  if (findWaitReason(app, remainder.number) !== null) return ['number-waits']
  return remainder.cameBack ? ['came-back'] : []
}

/** Everything that keeps the account from being closed. */
export const listClosingBlockers = (app: App, merchant: Merchant, remainder: AccountRemainder): ClosingBlocker[] => [
  ...listSendingBlockers(app, merchant, remainder),
  ...((remainder.sharesDue > 0 ? ['shares'] : []) satisfies ClosingBlocker[]),
  ...listWithdrawalBlockers(app, merchant, remainder),
  ...((remainder.inFlight > 0 || sendableAmount(app, remainder.available) > 0
    ? ['sending']
    : []) satisfies ClosingBlocker[]),
]
