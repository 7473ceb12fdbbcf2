import type { TestService } from '../../../helpers/service/test-service.ts'

// When a session was last seen is noted on every page.
const WITHOUT: Record<string, string> = { sessions: `- 'seen_at'` }

export type Digests = Record<string, string>

/** The tables that differ from what they were. */
export async function writtenSince(service: TestService, before: Digests): Promise<string[]> {
  const now = await tableDigests(service)
  return Object.keys(now).filter((table) => now[table] !== before[table])
}

/** Each table of the database with a digest of its rows. */
export async function tableDigests(service: TestService): Promise<Digests> {
  // What the API has noted of its requests is written in batches, how it did on a day each minute, each process tells every few seconds
  // that it lives, and looks for alerts each half minute; what a person does about one stands in the audit too.
  await service.gateway.requests.flush()
  const tables = await service.rows<{ place: string; name: string }>(
    `select format('%I.%I', schemaname, tablename) as place, tablename as name from pg_tables
     where schemaname = any(current_schemas(false)) and tablename not in ('request_log', 'service_days', 'processes', 'alerts') order by 1`,
  )
  const digests = tables.map(
    ({ place, name }) =>
      `select '${place}' as place, md5(coalesce(string_agg(row, '|' order by row), '')) as md5
       from (select (to_jsonb(t) ${WITHOUT[name] ?? ''})::text as row from ${place} t) s`,
  )
  const rows = await service.rows<{ place: string; md5: string }>(digests.join(' union all '))
  return Object.fromEntries(rows.map(({ place, md5 }) => [place, md5]))
}
