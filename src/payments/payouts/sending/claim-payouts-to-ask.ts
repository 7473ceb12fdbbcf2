import { call } from '../../../platform/db/database.ts'
import { statement } from '../../../platform/db/statement.ts'
import type { BudgetedNoun } from '../../../rails/following/budgeted-claims.ts'
import {
  levelSql,
  oldAndDueSql,
  orderWithinLevelSql,
  type QuestionLevel,
  recentlyDueSql,
} from '../../../rails/following/question-levels.ts'
import { CLAIM_DUE_SQL, type DuePayout, merchantsWithPayoutsSql } from './claim-payouts.ts'

/** The merchants with live payouts that have left, as SQL: found fast behind any number of payouts that wait in the queue. */
const UNDER_WAY = merchantsWithPayoutsSql(`'live'`, 'false')
const UNDER_WAY_OF_MERCHANT = `from payouts p join rail_attempts a on a.merchant_id = p.merchant_id and a.subject = p.id
  where p.mode = 'live' and not p.in_queue and p.merchant_id = l.merchant_id`

const DUE_LEVELS = statement<{ installation: string; levels: QuestionLevel[] }>(
  'look for payouts to ask about',
  `with ${UNDER_WAY}
   select n.installation, array(
     select distinct d.level from merchants_of_lane l cross join lateral (
       select ${levelSql('p')} as level ${UNDER_WAY_OF_MERCHANT} and ${recentlyDueSql('p')} and a.installation = n.installation) d
     union select 2 where exists (select 1 from merchants_of_lane l cross join lateral (
       select 1 ${UNDER_WAY_OF_MERCHANT} and ${oldAndDueSql('p')} and a.installation = n.installation limit 1) d)
     order by 1) as levels
   from unnest($2::text[]) as n (installation)`,
)

// The turns of the merchants are drawn by lot, because the budget allows one question at a time and no process knows which merchant had the last one.
const claimSql = (ofMerchant: string) => `
  with ${UNDER_WAY},
  chosen as (
    select d.merchant_id, d.id from merchants_of_lane l cross join lateral (
      select f.merchant_id, f.id, row_number() over (order by f.place) as turn from (${ofMerchant}) f) d
    order by d.turn, hashint8extended(d.merchant_id, $5::bigint) limit $2),
  due as (
    select p.merchant_id, p.id from payouts p join chosen c on c.merchant_id = p.merchant_id and c.id = p.id
    where p.follow_at <= $1 for no key update of p skip locked)
  ${CLAIM_DUE_SQL}`

const CLAIM_RECENT = statement<DuePayout>(
  'claim recent payouts to ask about',
  claimSql(`select p.merchant_id, p.id, row_number() over (order by ${orderWithinLevelSql('p')}) as place
    ${UNDER_WAY_OF_MERCHANT} and ${recentlyDueSql('p')} and a.installation = $4 and ${levelSql('p')} = $6`),
)
const CLAIM_OLD = statement<DuePayout>(
  'claim old payouts to ask about',
  claimSql(`select p.merchant_id, p.id, p.follow_at as place
    ${UNDER_WAY_OF_MERCHANT} and ${oldAndDueSql('p')} and a.installation = $4 order by p.follow_at limit $2`),
)

const LOT_RANGE = 2 ** 31

/** Claims live payouts that have left and are due, at installations with a budget. */
export const PAYOUTS_TO_ASK: BudgetedNoun<DuePayout> = {
  sweep: 'send-payouts',
  dueLevels: (now, installations) => call(DUE_LEVELS, now.toISOString(), installations),
  claim: ({ now, leaseUntil }, { installation, level, limit }) => {
    const lot = Math.floor(Math.random() * LOT_RANGE)
    const room = [now.toISOString(), limit, leaseUntil.toISOString(), installation, lot]
    return level === 2 ? call(CLAIM_OLD, ...room) : call(CLAIM_RECENT, ...room, level)
  },
}
