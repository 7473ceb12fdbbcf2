import { type Call, call } from '../../../platform/db/database.ts'
import { latestPlausibleTime } from '../../../platform/db/due-times.ts'
import { statement } from '../../../platform/db/statement.ts'
import { Refusal } from '../../../platform/refusal.ts'
import { addMs } from '../../../platform/time/clock.ts'
import type { Gateway } from '../../../program/app.ts'
import type { Realm } from '../accounts.ts'
import { hashToken } from '../session.ts'

// Reliability.md A70: five misses lock for half an hour. Single misses are forgotten after a day.
const MAX_MISSES = 5
const LOCK_MS = 30 * 60_000
const MISSES_KEPT_MS = 24 * 3_600_000
const BROWSERS_KEPT_MS = 400 * 24 * 3_600_000

/** A counter of misses: `account` for all strangers at an address together, `browser` for one browser that has signed in as a person before. */
type Counter =
  | { kind: 'account'; realm: Realm; account: Buffer }
  | { kind: 'browser'; realm: Realm; browser: Buffer; personId: number }

/** A counter that took a try, and the number of the miss that the try would be. */
export type CounterTry = { counter: Counter; miss: number }

type MissesRow = { misses: number }

// A try counts before its password is checked, so that of a hundred at once only five are checked.
const TRY_ACCOUNT = statement<MissesRow>(
  'try at account',
  `insert into sign_in_misses as m (realm, account, misses, counts_until) values ($1, $2, 1, $4)
   on conflict (realm, account) do update set
     misses = case when m.locked_until <= $3 or (m.locked_until is null and m.counts_until <= $3) then 1 else m.misses + 1 end,
     locked_until = case when m.locked_until <= $3 then null else m.locked_until end,
     counts_until = $4
   where m.locked_until is null or m.locked_until <= $3
   returning misses`,
)
const TRY_BROWSER = statement<MissesRow>(
  'try of browser',
  `update known_browsers set misses = case when locked_until <= $3 then 1 else misses + 1 end,
     locked_until = case when locked_until <= $3 then null else locked_until end
   where hash = $1 and person_id = $2 and (locked_until is null or locked_until <= $3) returning misses`,
)
const LOCK_ACCOUNT = statement(
  'lock account',
  'update sign_in_misses set locked_until = $3 where realm = $1 and account = $2 and locked_until is null',
)
// A lock that ends later than any new one could was set before the clock stepped back.
const SHORTEN_LOCKS = statement(
  'shorten locks of accounts',
  'update sign_in_misses set locked_until = $1 where locked_until > $2',
)
const LOCK_BROWSER = statement(
  'lock browser',
  'update known_browsers set locked_until = $3 where hash = $1 and person_id = $2 and locked_until is null',
)
const TAKE_BACK_ACCOUNT = statement(
  'take back try at account',
  'update sign_in_misses set misses = greatest(misses - 1, 0) where realm = $1 and account = $2',
)
const TAKE_BACK_BROWSER = statement(
  'take back try of browser',
  'update known_browsers set misses = greatest(misses - 1, 0) where hash = $1 and person_id = $2',
)
const CLEAR_ACCOUNT = statement(
  'clear misses of account',
  'delete from sign_in_misses where realm = $1 and account = $2',
)
const CLEAR_BROWSER = statement(
  'clear misses of browser',
  'update known_browsers set misses = 0, locked_until = null, seen_at = $3 where hash = $1 and person_id = $2',
)
const FIND_KNOWN = statement<{ personId: number }>(
  'known browser',
  'select person_id as "personId" from known_browsers where hash = $1 and person_id = any($2::bigint[])',
)
const REMEMBER = statement(
  'remember browser',
  `insert into known_browsers (hash, person_id, seen_at) values ($1, $2, $3)
   on conflict (hash, person_id) do update set seen_at = $3, misses = 0, locked_until = null`,
)
const FORGET_BROWSERS = statement('forget browsers of person', 'delete from known_browsers where person_id = $1')
const FORGET_MISSES = statement(
  'forget misses',
  `delete from sign_in_misses where (realm, account) in (
     select realm, account from sign_in_misses where counts_until < $1 order by counts_until limit 1000 for update skip locked)`,
)
const FORGET_OLD_BROWSERS = statement(
  'forget old browsers',
  `delete from known_browsers where (hash, person_id) in (
     select hash, person_id from known_browsers where seen_at < $1 order by seen_at limit 1000 for update skip locked)`,
)

/** Returns the counter of an address, whether an account has it or not. */
export const accountCounter = (realm: Realm, emailKey: string): Counter => ({
  kind: 'account',
  realm,
  account: hashToken(`account ${emailKey}`),
})

/** Returns the counter of one browser for one person. */
export const browserCounter = (realm: Realm, browser: string, personId: number): Counter => ({
  ...{ kind: 'browser', realm, personId },
  browser: hashToken(browser),
})

/** Finds the people among these as whom this browser has signed in before. */
export async function findKnownPeople(
  { directory }: Gateway,
  browser: string | null,
  people: readonly number[],
): Promise<ReadonlySet<number>> {
  if (browser === null) return new Set()
  const rows = await directory.query(FIND_KNOWN, [hashToken(browser), people])
  return new Set(rows.map(({ personId }) => personId))
}

/** Counts one more try; null while the counter is locked or five other tries are being checked. */
export async function takeTry({ directory, clock }: Gateway, counter: Counter): Promise<CounterTry | null> {
  const now = clock.now()
  const until = addMs(now, MISSES_KEPT_MS).toISOString()
  const [row] =
    counter.kind === 'account'
      ? await directory.query(TRY_ACCOUNT, [counter.realm, counter.account, now.toISOString(), until])
      : await directory.query(TRY_BROWSER, [counter.browser, counter.personId, now.toISOString()])
  if (!row) return null
  if (row.misses > MAX_MISSES) {
    const lock = lockCounter(counter, now)
    await directory.query(lock.statement, lock.values)
    return null
  }
  return { counter, miss: row.misses }
}

/** Whether the miss with this number locks. */
export const isLockingMiss = (miss: number): boolean => miss >= MAX_MISSES

export function lockCounter(counter: Counter, at: Date): Call {
  const until = addMs(at, LOCK_MS).toISOString()
  return counter.kind === 'account'
    ? call(LOCK_ACCOUNT, counter.realm, counter.account, until)
    : call(LOCK_BROWSER, counter.browser, counter.personId, until)
}

/** Gives back a right try without clearing the misses, because something more is asked. */
export const takeBackTry = (counter: Counter): Call =>
  counter.kind === 'account'
    ? call(TAKE_BACK_ACCOUNT, counter.realm, counter.account)
    : call(TAKE_BACK_BROWSER, counter.browser, counter.personId)

/** Clears the misses of a counter, after a sign-in. */
export const clearCounter = (counter: Counter, at: Date): Call =>
  counter.kind === 'account'
    ? call(CLEAR_ACCOUNT, counter.realm, counter.account)
    : call(CLEAR_BROWSER, counter.browser, counter.personId, at.toISOString())

/** Records that this browser has signed in as this person. */
export const rememberBrowser = (browser: string, personId: number, at: Date): Call =>
  call(REMEMBER, hashToken(browser), personId, at.toISOString())

/** Forgets the browsers of a person: after a new password all of them count as strangers. */
export const forgetBrowsers = (personId: number): Call => call(FORGET_BROWSERS, personId)

export const forgetTries = (now: Date): Call[] => [
  call(SHORTEN_LOCKS, now.toISOString(), latestPlausibleTime(now, LOCK_MS).toISOString()),
  call(FORGET_MISSES, now.toISOString()),
  call(FORGET_OLD_BROWSERS, addMs(now, -BROWSERS_KEPT_MS).toISOString()),
]

// An operator's mail has no link, because the mailbox alone must not open the console (reliability.md A70).
const HELP_TEXTS: Readonly<Record<Realm, string>> = {
  merchant: 'If it has an account, its owner has a mail from us with a link',
  operator: 'If it has an account, its owner has a mail from us',
}

/** 403 with one text for an account that exists and one that does not. */
export const signInLocked = (realm: Realm) =>
  new Refusal(
    403,
    'sign_in_locked',
    `too many wrong tries: sign-in with this e-mail address is locked for 30 minutes. ${HELP_TEXTS[realm]}`,
  )
