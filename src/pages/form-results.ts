import { createHash } from 'node:crypto'
import type { App, Gateway } from '../app.ts'
import { statement } from '../platform/db/statement.ts'
import type { Flash } from './shown.ts'

type Row = { location: string | null; said: string | null; typed: Buffer }

const CLAIM = statement<{ claimed: true }>(
  'claim form',
  `insert into form_results (token_hash, sent_at, typed) values ($1, $2, $4)
   on conflict (token_hash) do update set sent_at = excluded.sent_at
     where form_results.location is null and form_results.sent_at < $3 and form_results.typed = excluded.typed
   returning true as claimed`,
)
const FIND = statement<Row>(
  'find form result',
  'select location, said, typed from form_results where token_hash = $1',
)
const KEEP = statement(
  'keep form result',
  'update form_results set location = $2, said = $3 where token_hash = $1 returning token_hash',
)
const FORGET = statement(
  'forget form',
  'delete from form_results where token_hash = $1 and location is null returning token_hash',
)
const LEAVE_OPEN = statement(
  'leave form open',
  'update form_results set sent_at = $2 where token_hash = $1 and location is null returning token_hash',
)
const PRUNE = statement(
  'prune form results',
  `delete from form_results where token_hash in (
     select token_hash from form_results where sent_at < $1 order by sent_at limit 1000) returning token_hash`,
)
// A process that died with a form under way: the same form may be sent again after this. The operation's own key keeps it single.
const UNDER_WAY_MS = 30_000
const KEPT_MS = 24 * 3_600_000

type Place = Pick<Gateway, 'directory' | 'clock'>

/**
 * What is known of a one-time form: claimed for this request; under way elsewhere; sent before with other values, where it is not known
 * whether that took effect; done with other values; or done, with where it led.
 */
export type FormClaim =
  | { kind: 'claimed' }
  | { kind: 'busy' }
  | { kind: 'changed' }
  | { kind: 'used' }
  | { kind: 'done'; to: string; flash: Flash | null }

/** A form that was sent: its token, and the digest of what was typed. */
export type SentForm = { token: string; typed: Buffer }

/** Claims a one-time form for this request, or answers what the first one led to. */
export async function claimForm({ directory, clock }: Place, { token, typed }: SentForm): Promise<FormClaim> {
  const now = clock.nowMs()
  const hash = hashOf(token)
  const stale = new Date(now - UNDER_WAY_MS).toISOString()
  const [claimed] = await directory.query(CLAIM, [hash, new Date(now).toISOString(), stale, typed])
  if (claimed) return { kind: 'claimed' }
  const [row] = await directory.query(FIND, [hash])
  const isOther = row?.typed.equals(typed) === false
  if (row?.location == null) return { kind: isOther ? 'changed' : 'busy' }
  if (isOther) return { kind: 'used' }
  return {
    kind: 'done',
    to: row.location,
    flash: row.said === null ? null : { kind: 'note', says: row.said },
  }
}

/** Keeps where a form has led. */
export async function keepFormResult(
  { directory }: Place,
  { token }: SentForm,
  { to, flash }: { to: string; flash?: Flash },
): Promise<void> {
  await directory.query(KEEP, [hashOf(token), to, flash?.says ?? null])
}

/** The form has led nowhere: it may be sent again, mended. */
export async function forgetForm({ directory }: Place, { token }: SentForm): Promise<void> {
  await directory.query(FORGET, [hashOf(token)])
}

/** It is not known whether the form took effect: the very same may be sent again at once, and nothing else. */
export async function leaveFormOpen({ directory, clock }: Place, { token }: SentForm): Promise<void> {
  await directory.query(LEAVE_OPEN, [hashOf(token), new Date(clock.nowMs() - 2 * UNDER_WAY_MS).toISOString()])
}

/** Removes what is older than a day; answers how many. */
export const pruneFormResults = async ({ directory, witness }: App): Promise<number> =>
  (await directory.query(PRUNE, [new Date(witness.earlierMs() - KEPT_MS).toISOString()])).length

const hashOf = (token: string) => createHash('sha256').update(token).digest()
