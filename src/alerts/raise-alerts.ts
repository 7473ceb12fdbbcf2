import { call, type Database } from '../platform/db/database.ts'
import { statement } from '../platform/db/statement.ts'
import type { Alarm, AlertKind } from './alert.ts'

const RAISE = statement(
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

const MOST_CHARACTERS = 2000

/**
 * Records the result of one check: opens an alert, counts it when it is open already, marks it to be sent again when it has
 * doubled in size or age (of acts, when there is a new one), and closes those of these kinds that the check no longer found.
 */
export async function recordLook(
  directory: Database,
  {
    place,
    kinds,
    found,
    at,
  }: { place: string; kinds: readonly AlertKind[]; found: readonly Alarm[]; at: Date },
): Promise<void> {
  const time = at.toISOString()
  if (found.length > 0) {
    const raising = call(
      RAISE,
      place,
      time,
      found.map((alarm) => alarm.kind),
      found.map((alarm) => alarm.subject),
      found.map((alarm) => alarm.says.slice(0, MOST_CHARACTERS)),
      found.map((alarm) => Math.max(0, Math.round(alarm.size))),
      found.map((alarm) => alarm.since.toISOString()),
      found.map((alarm) => alarm.newsAt?.toISOString() ?? null),
    )
    await directory.query(raising.statement, raising.values)
  }
  await directory.query(CLOSE, [time, place, kinds, found.map(({ kind, subject }) => `${kind} ${subject}`)])
}
