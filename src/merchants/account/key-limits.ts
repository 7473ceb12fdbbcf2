import type { Caller } from '../../api/access/actor.ts'
import { toColumns, unnestColumns } from '../../platform/db/columns.ts'
import { type Call, call } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'

/** A key of a merchant. */
export type KeyName = { merchantId: number; keyId: string }
/** A row of `key_limits`, locked. `dailyLimit`: whole UGX a day, null: none any more. `sent`: what has left on `day` (Kampala), without fees. */
export type KeyLimit = KeyName & { dailyLimit: number | null; day: string | null; sent: number }

const LOCK_LIMITS = statement<KeyLimit>(
  'lock limits of keys',
  `select l.merchant_id as "merchantId", l.key_id as "keyId", l.daily_limit as "dailyLimit", l.day::text as day, l.sent
   from key_limits l join ${unnestColumns('bigint', 'text')} as n (merchant_id, key_id)
     on l.merchant_id = n.merchant_id and l.key_id = n.key_id
   order by l.merchant_id, l.key_id for no key update of l`,
)
const WRITE_SENT = statement(
  'count against limits of keys',
  `update key_limits l set day = n.day, sent = n.sent
   from (select merchant_id, key_id, day::date as day, sent
     from ${unnestColumns('bigint', 'text', 'text', 'bigint')} as u (merchant_id, key_id, day, sent)) n
   where l.merchant_id = n.merchant_id and l.key_id = n.key_id`,
)
// What is given back on another day than it was sent frees nothing of that day.
const GIVE_BACK = statement(
  'give back to limits of keys',
  `update key_limits l set sent = greatest(0, l.sent - n.amount)
   from (select merchant_id, key_id, day::date as day, sum(amount)::bigint as amount
     from ${unnestColumns('bigint', 'text', 'text', 'bigint')} as u (merchant_id, key_id, day, amount)
     group by merchant_id, key_id, day) n
   where l.merchant_id = n.merchant_id and l.key_id = n.key_id and l.day = n.day`,
)

/** The name of the caller's key if it has a limit, else null. It is as new as the cached key: a change counts within a second. */
export const findLimitedKey = (caller: Caller): string | null =>
  caller.kind === 'key' && caller.limited === true ? caller.keyId : null

/** Lists the keys with a limit among these callers. */
export function listLimitedKeys(callers: readonly Caller[]): KeyName[] {
  const keys: KeyName[] = []
  for (const caller of callers) {
    const keyId = findLimitedKey(caller)
    if (keyId !== null && !keys.some((key) => key.keyId === keyId)) keys.push({ merchantId: caller.merchantId, keyId })
  }
  return keys
}

/** Locks the limits of these keys, in one order. A key whose limit was never set has no row. */
export function lockKeyLimits(names: readonly KeyName[]): Call<KeyLimit> {
  const each = toColumns(names)
  return call(LOCK_LIMITS, ...each.numbers('merchantId'), ...each.texts('keyId'))
}

/** Stores what these keys have sent on their day. Their rows are locked. */
export function writeKeySent(limits: readonly (KeyLimit & { day: string })[]): Call {
  const each = toColumns(limits)
  return call(WRITE_SENT, ...each.numbers('merchantId'), ...each.texts('keyId', 'day'), ...each.numbers('sent'))
}

/** Takes what has come back (whole UGX) from what these keys have sent on these days. */
export function giveBackToKeyLimits(returned: readonly (KeyName & { day: string; amount: number })[]): Call[] {
  if (returned.length === 0) return []
  const each = toColumns(returned)
  return [call(GIVE_BACK, ...each.numbers('merchantId'), ...each.texts('keyId', 'day'), ...each.numbers('amount'))]
}
