import { call, type Database } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import type { Finding } from './check.ts'
import type { AlertKind } from './kinds.ts'

const OPEN = statement(
  'raise alerts',
  `insert into alerts as a (kind, subject, place, says, size, since, news_at, opened_at, last_seen_at, to_tell)
   select n.kind, n.subject, $1, n.says, n.size, n.since, n.news_at, $2, $2, 'opened'
   from unnest($3::text[], $4::text[], $5::text[], $6::bigint[], $7::timestamptz[], $8::timestamptz[])
     as n (kind, subject, says, size, since, news_at)
   on conflict (kind, subject) where closed_at is null do update
     set says = excluded.says, size = excluded.size, since = least(a.since, excluded.since), last_seen_at = excluded.last_seen_at,
       times = a.times + 1, news_at = excluded.news_at,
       to_tell = case when excluded.news_at > a.news_at and (a.to_tell is null or a.telling is not null) then 'worse' when a.to_tell is not null then a.to_tell
         when excluded.news_at is not null then null
         when excluded.size >= 2 * greatest(a.told_size, 1)
           or excluded.last_seen_at - a.since >= 2 * greatest(a.told_at - a.since, interval '5 minutes') then 'worse' end`,
)
const CLOSE = statement(
  'close alerts',
  `update alerts set closed_at = greatest($1::timestamptz, opened_at), to_tell = 'closed'
   where closed_at is null and place = $2 and kind = any($3::text[]) and kind || ' ' || subject <> all($4::text[])`,
)

const MAX_MESSAGE_CHARACTERS = 2000

/**
 * Records what checks of one source found: opens alerts, counts those that are open already, marks those to be sent again that have doubled
 * in size or age (those about acts: when there is a newer act), and closes those of these kinds that were not found any more.
 */
export async function recordFindings(
  directory: Database,
  {
    source,
    kinds,
    findings,
    at,
  }: { source: string; kinds: readonly AlertKind[]; findings: readonly Finding[]; at: Date },
): Promise<void> {
  const time = at.toISOString()
  if (findings.length > 0) {
    const open = call(
      OPEN,
      source,
      time,
      findings.map((finding) => finding.kind),
      findings.map((finding) => finding.subject),
      findings.map((finding) => finding.message.slice(0, MAX_MESSAGE_CHARACTERS)),
      findings.map((finding) => Math.max(0, Math.round(finding.size))),
      findings.map((finding) => finding.since.toISOString()),
      findings.map((finding) => finding.newestActAt?.toISOString() ?? null),
    )
    await directory.query(open.statement, open.values)
  }
  const found = findings.map(({ kind, subject }) => `${kind} ${subject}`)
  await directory.query(CLOSE, [time, source, kinds, found])
}
