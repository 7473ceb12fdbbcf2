import { createHash } from 'node:crypto'
import { statement } from '../../../platform/db/statement.ts'
import type { App, Gateway } from '../../../program/app.ts'
import type { Flash } from '../routes/surface-reply.ts'

type Row = { location: string | null; said: string | null; typed: Buffer }

const CLAIM_FORM = statement<{ claimed: true }>(
  'claim form',
  `insert into form_results (token_hash, sent_at, typed) values ($1, $2, $4)
   on conflict (token_hash) do update set sent_at = excluded.sent_at
     where form_results.location is null and form_results.sent_at < $3 and form_results.typed = excluded.typed
   returning true as claimed`,
)
const FIND_FORM_RESULT = statement<Row>(
  'find form result',
  'select location, said, typed from form_results where token_hash = $1',
)
const STORE_FORM_RESULT = statement(
  'keep form result',
  'update form_results set location = $2, said = $3 where token_hash = $1 returning token_hash',
)
const FORGET_FORM = statement(
  'forget form',
  'delete from form_results where token_hash = $1 and location is null returning token_hash',
)
const LEAVE_FORM_OPEN = statement(
  'leave form open',
  'update form_results set sent_at = $2 where token_hash = $1 and location is null returning token_hash',
)
const PRUNE_FORM_RESULTS = statement(
  'prune form results',
  `delete from form_results where token_hash in (
     select token_hash from form_results where sent_at < $1 order by sent_at limit 1000) returning token_hash`,
)
// If a process dies while it works on a form, the same form may be sent again after this. The operation's own key keeps it from running twice.
const UNDER_WAY_MS = 30_000
const RESULT_KEPT_MS = 24 * 3_600_000

type FormStore = Pick<Gateway, 'directory' | 'clock'>

/**
 * The state of a one-time form. `claimed`: for this request. `busy`: another request is working on it. `changed`: it was sent before with
 * other values, and it is unknown whether that took effect. `used`: done with other values. `done`: done, and where it led.
 */
export type FormClaim =
  | { kind: 'claimed' }
  | { kind: 'busy' }
  | { kind: 'changed' }
  | { kind: 'used' }
  | { kind: 'done'; to: string; flash: Flash | null }

/** A form that was sent: its token, and the digest of what was typed. */
export type SentForm = { token: string; typed: Buffer }

/** Claims a one-time form for this request, or returns what became of an earlier one. */
export async function claimForm({ directory, clock }: FormStore, { token, typed }: SentForm): Promise<FormClaim> {
  const now = clock.nowMs()
  const hash = hashFormToken(token)
  const stale = new Date(now - UNDER_WAY_MS).toISOString()
  const [claimed] = await directory.query(CLAIM_FORM, [hash, new Date(now).toISOString(), stale, typed])
  if (claimed) return { kind: 'claimed' }
  const [row] = await directory.query(FIND_FORM_RESULT, [hash])
  const isOther = row?.typed.equals(typed) === false
  if (row?.location == null) return { kind: isOther ? 'changed' : 'busy' }
  if (isOther) return { kind: 'used' }
  return {
    kind: 'done',
    to: row.location,
    flash: row.said === null ? null : { kind: 'note', says: row.said },
  }
}

/** Stores where a form has led, for a repeat. */
export async function storeFormResult(
  { directory }: FormStore,
  { token }: SentForm,
  { to, flash }: { to: string; flash?: Flash },
): Promise<void> {
  await directory.query(STORE_FORM_RESULT, [hashFormToken(token), to, flash?.says ?? null])
}

/** Removes the claim of a form that had no effect, so that it may be sent again with other values. */
export async function forgetForm({ directory }: FormStore, { token }: SentForm): Promise<void> {
  await directory.query(FORGET_FORM, [hashFormToken(token)])
}

/** Ends the claim of a form of which it is unknown whether it took effect: only the same values may be sent again, at once. */
export async function leaveFormOpen({ directory, clock }: FormStore, { token }: SentForm): Promise<void> {
  await directory.query(LEAVE_FORM_OPEN, [
    hashFormToken(token),
    new Date(clock.nowMs() - 2 * UNDER_WAY_MS).toISOString(),
  ])
}

/** Deletes results that are older than a day, up to 1,000; returns how many. */
export const pruneFormResults = async ({ directory, witness }: App): Promise<number> =>
  (await directory.query(PRUNE_FORM_RESULTS, [new Date(witness.earlierMs() - RESULT_KEPT_MS).toISOString()])).length

const hashFormToken = (token: string) => createHash('sha256').update(token).digest()
