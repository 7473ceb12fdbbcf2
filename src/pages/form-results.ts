import { createHash } from 'node:crypto'
import type { App, Gateway } from '../app.ts'
import { statement } from '../platform/db/statement.ts'
import type { Flash } from './shown.ts'

type Row = { location: string | null; said: string | null }

const CLAIM = statement<{ claimed: true }>(
  'claim form',
  `insert into form_results (token_hash, sent_at) values ($1, $2)
   on conflict (token_hash) do update set sent_at = excluded.sent_at
     where form_results.location is null and form_results.sent_at < $3
   returning true as claimed`,
)
const FIND = statement<Row>(
  'find form result',
  'select location, said from form_results where token_hash = $1',
)
const KEEP = statement(
  'keep form result',
  'update form_results set location = $2, said = $3 where token_hash = $1 returning token_hash',
)
const FORGET = statement(
  'forget form',
  'delete from form_results where token_hash = $1 and location is null returning token_hash',
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

/** What is known of a one-time form: new and claimed for this request, under way elsewhere, or done, with where it led. */
export type FormClaim =
  | { kind: 'claimed' }
  | { kind: 'busy' }
  | { kind: 'done'; to: string; flash: Flash | null }

/** Claims a one-time form for this request, or answers what the first one led to. */
export async function claimForm({ directory, clock }: Place, key: string): Promise<FormClaim> {
  const now = clock.nowMs()
  const hash = hashOf(key)
  const stale = new Date(now - UNDER_WAY_MS).toISOString()
  const [claimed] = await directory.query(CLAIM, [hash, new Date(now).toISOString(), stale])
  if (claimed) return { kind: 'claimed' }
  const [row] = await directory.query(FIND, [hash])
  if (!row?.location) return { kind: 'busy' }
  return {
    kind: 'done',
    to: row.location,
    flash: row.said === null ? null : { kind: 'note', says: row.said },
  }
}

/** Keeps where a form has led. */
export async function keepFormResult(
  { directory }: Place,
  key: string,
  { to, flash }: { to: string; flash?: Flash },
) {
  await directory.query(KEEP, [hashOf(key), to, flash?.says ?? null])
}

/** The form has led nowhere: it may be sent again. */
export async function forgetForm({ directory }: Place, key: string): Promise<void> {
  await directory.query(FORGET, [hashOf(key)])
}

/** Removes what is older than a day; answers how many. */
export const pruneFormResults = async ({ directory, clock }: App): Promise<number> =>
  (await directory.query(PRUNE, [new Date(clock.nowMs() - KEPT_MS).toISOString()])).length

const hashOf = (key: string) => createHash('sha256').update(key).digest()
