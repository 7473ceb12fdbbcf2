import type { World } from '../world.ts'

/** How often an import stands where it has been, and what its row and the run log say. */
export type ImportState = {
  state: 'looked' | 'imported' | 'taken back'
  /** Lines that know of it, and those that know of it more than once. */
  lines: number
  twice: number
  covers: number
  findings: number
  /** Per run of its file: how many exceptions it has opened; and how many its page says. */
  runs: number[] | null
  opened: number
  acts: Record<string, number>
}

const IMPORT = `select case when f.taken_back_at is not null then 'taken back' when f.imported_at is not null then 'imported'
      else 'looked' end as state,
    (select count(*)::int from rail_statement_lines l where l.imports @> array[f.id]) as lines,
    (select count(*)::int from rail_statement_lines l where cardinality(array_positions(l.imports, f.id)) > 1) as twice,
    (select count(*)::int from rail_statements s where s.import_id = f.id) as covers,
    (select count(*)::int from (select import_id from cell_0.statement_findings
       union all select import_id from directory.statement_findings) n where n.import_id = f.id) as findings,
    (select jsonb_agg(leg -> 'opened') from reconciliation_log r, jsonb_array_elements(r.legs) leg where r.file = f.name) as runs,
    (f.looked #>> '{leg,opened}')::int as opened,
    (select jsonb_object_agg(action, times) from (select action, count(*)::int as times from directory.audit
       where subject = f.id group by action) a) as acts
  from statement_files f where f.id = $1`

export async function importState({ installation }: World, id: string): Promise<ImportState> {
  const [row] = await installation.sql<ImportState>(IMPORT, [id])
  if (row === undefined) throw new Error(`${id} has no row`)
  return row
}

/** Of one subject: its open exceptions, whether each was seen as often as its findings say, and those closed with an import. */
export type AboutSubject = { open: number; counted: boolean; closed: number }

const ABOUT = `with each as (
    select subject, merchant_id, id, closed_at, seen_count, note, resolved_by from cell_0.exceptions
    union all select subject, 0, id, closed_at, seen_count, note, resolved_by from directory.platform_exceptions),
  found as (select merchant_id, exception_id, seen from cell_0.statement_findings
    union all select merchant_id, exception_id, seen from directory.statement_findings)
  select count(*) filter (where e.closed_at is null)::int as open,
    coalesce(bool_and(e.seen_count = (select sum(f.seen) from found f where f.merchant_id = e.merchant_id and f.exception_id = e.id))
      filter (where e.closed_at is null), true) as counted,
    count(*) filter (where e.closed_at is not null and e.note = 'the statement ' || $2 || ' was taken back' and e.resolved_by = $3)::int
      as closed
  from each e where e.subject = $1`

export async function aboutSubject(
  { installation }: World,
  subject: string,
  takenBack: { id: string; by: string },
): Promise<AboutSubject> {
  const [row] = await installation.sql<AboutSubject>(ABOUT, [subject, takenBack.id, takenBack.by])
  if (row === undefined) throw new Error('a count has a row')
  return row
}
