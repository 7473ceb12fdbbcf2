import type { Caller } from '../api/access/actor.ts'
import type { Merchant } from '../merchants/account/merchant.ts'
import { listSupportViews } from '../merchants/account/support-views.ts'
import { statement } from '../platform/db/statement.ts'
import type { App } from '../program/app.ts'

/** What our staff did about a business, as its own people may see it: what, when and why, never who. */
export type StaffActs = {
  frozen: { since: Date | null; until: Date | null; says: string | null } | null
  inactive: { since: Date | null; says: string | null } | null
  /** When the limits were set last, and their values; null for the usual one. `rates`: it has rates of its own for some requests. */
  limits: { at: Date; charge: number | null; payout: number | null; rates: boolean } | null
  /** The last decision about the verification. */
  decided: { at: Date; state: 'approved' | 'rejected'; note: string | null } | null
  /** When our staff viewed the pages of the business. */
  visits: readonly Date[]
}

const FREEZE = statement<{ since: Date | null; until: Date | null; says: string | null }>(
  'freeze of merchant',
  `select payouts_frozen_at as since, payouts_frozen_until as until, payouts_frozen_says as says from ledger_heads
   where merchant_id = $1 and mode = 'live' and payouts_frozen_for is not null`,
)
const LAST_DECISION = statement<{ at: Date; state: 'approved' | 'rejected'; note: string | null }>(
  'last decision of merchant',
  `select decided_at as at, state, note from verifications where merchant_id = $1 and decided_at is not null
   order by number desc limit 1`,
)

/** Reads the acts from the facts themselves, never from the audit, whose rows have names. */
export async function readStaffActs(
  app: App,
  { merchantId }: Pick<Caller, 'merchantId'>,
  merchant: Merchant,
): Promise<StaffActs> {
  const [[frozen = null], [decided = null], visits] = await Promise.all([
    app.db.query(FREEZE, [merchantId]),
    app.db.query(LAST_DECISION, [merchantId]),
    listSupportViews(app, merchantId),
  ])
  const { active, account, closingBy, inactiveSince: since, inactiveFor: says, limitsSetAt: at } = merchant
  return {
    frozen,
    inactive: active || (account !== 'open' && closingBy === 'owner') ? null : { since, says },
    limits:
      at === null
        ? null
        : {
            ...{ at, charge: merchant.chargeLimit, payout: merchant.payoutLimit },
            rates: Object.keys(merchant.rateLimits).length > 0,
          },
    decided,
    visits,
  }
}
