import { type Call, call } from '../../../platform/db/database.ts'
import { statement } from '../../../platform/db/statement.ts'

/** A row of `checker_rules`. `above`: a second person is needed above this amount (whole UGX, null: never). `next...`: the weaker rule that an owner has asked for. */
export type CheckerRule = {
  merchantId: number
  above: number | null
  changedAt: Date
  changedBy: string
  nextAbove: number | null
  nextFrom: Date | null
  nextBy: number | null
  nextName: string | null
}

const COLUMNS = `c.merchant_id as "merchantId", c.above, c.changed_at as "changedAt", c.changed_by as "changedBy",
  c.next_above as "nextAbove", c.next_from as "nextFrom", c.next_by as "nextBy", c.next_name as "nextName"`
const CHECKER_RULE = statement<CheckerRule>(
  'checker rule',
  `select ${COLUMNS} from checker_rules c where c.merchant_id = $1`,
)
const SHARE_RULES = statement<CheckerRule>(
  'checker rules of payouts',
  `select ${COLUMNS} from checker_rules c where c.merchant_id = any($1::bigint[]) order by c.merchant_id for share`,
)
const LOCK_RULE = statement<CheckerRule>(
  'lock checker rule',
  `select ${COLUMNS} from checker_rules c where c.merchant_id = $1 for update`,
)
// A missing row cannot be locked, so it is inserted first; otherwise two owners could both make the first rule.
const MAKE_RULE = statement<CheckerRule>(
  'make checker rule',
  `insert into checker_rules (merchant_id, changed_at, changed_by) values ($1, $2, $3) on conflict do nothing`,
)
const WRITE_RULE = statement(
  'write checker rule',
  `update checker_rules set above = $2, changed_at = $3, changed_by = $4, next_above = $5, next_from = $6, next_by = $7,
     next_name = $8
   where merchant_id = $1`,
)

const MAX_PENDING_CHANGES = 1000
const PENDING_CHANGES = statement<{ merchantId: number; personId: number }>(
  'wishes for weaker checker rules',
  `select merchant_id as "merchantId", next_by as "personId" from checker_rules where next_from > $1
   order by next_from limit ${MAX_PENDING_CHANGES}`,
)

/** Reads the weaker rules that still wait at this time, with the person who asked for each. */
export const pendingRuleChanges = (at: Date): Call<{ merchantId: number; personId: number }> =>
  call(PENDING_CHANGES, at.toISOString())

/** Returns the amount (whole UGX) above which a live payout of a person needs a second person at this time; null: none needs one. */
export function aboveAt(rule: CheckerRule | undefined, at: Date): number | null {
  if (rule === undefined) return null
  return rule.nextFrom !== null && rule.nextFrom <= at ? rule.nextAbove : rule.above
}

/** Returns the rule if a weaker one waits at this time, else null. */
export const pendingChangeAt = (rule: CheckerRule | undefined, at: Date) =>
  rule !== undefined && rule.nextFrom !== null && rule.nextFrom > at ? rule : null

export const findRule = (merchantId: number): Call<CheckerRule> => call(CHECKER_RULE, merchantId)

/** Inserts the row where there is none, and locks it. The second call returns it. */
export const lockRule = (
  merchantId: number,
  { by, at }: { by: string; at: Date },
): [make: Call<CheckerRule>, lock: Call<CheckerRule>] => [
  call(MAKE_RULE, merchantId, at.toISOString(), by),
  call(LOCK_RULE, merchantId),
]

/** Reads the rules of these merchants and locks them against changes until the commit of what was judged by them. */
export const shareRules = (merchantIds: readonly number[]): Call<CheckerRule> => call(SHARE_RULES, merchantIds)

export const writeRule = (rule: CheckerRule): Call =>
  call(
    WRITE_RULE,
    ...[rule.merchantId, rule.above, rule.changedAt.toISOString(), rule.changedBy],
    ...[rule.nextAbove, rule.nextFrom?.toISOString() ?? null, rule.nextBy, rule.nextName],
  )
