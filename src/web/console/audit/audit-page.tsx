import { ACTIONS } from '../../../api/access/actions.ts'
import type { WholeAuditFilter } from '../../../api/access/read-whole-audit.ts'
import {
  type AuditChain,
  type AuditCheck,
  latestAuditChecks,
  listAuditChains,
} from '../../../operations/alerts/check-audit.ts'
import { type PlacedAuditRow, readAudits } from '../../../operations/alerts/read-audits.ts'
import { notFound } from '../../../platform/refusal.ts'
import { oneLine } from '../../../platform/text/text.ts'
import { AuditDetails } from '../../parts/audit-details.tsx'
import { column } from '../../parts/columns.tsx'
import { parseDays } from '../../parts/days.ts'
import { FormBox } from '../../parts/forms/form.tsx'
import type { FormField, FormSpec, FormState, FormValues } from '../../parts/forms/form-spec.ts'
import { listPage } from '../../parts/list-page.tsx'
import { Section, Status } from '../../parts/parts.tsx'
import type { SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { addressWith, type ListColumn, type ListFilter, Table } from '../../parts/table.tsx'
import { CONSOLE_AUDIT_TEXTS } from '../texts/audit.ts'
import type { ConsoleVisit } from '../visit.ts'

const { columns, filters, chain } = CONSOLE_AUDIT_TEXTS
export const AUDIT_PATH = '/audit'

const COLUMNS: readonly ListColumn<PlacedAuditRow>[] = [
  column.time(columns.at, ({ at }) => at),
  { title: columns.who, cell: ({ actor }) => <bdi>{oneLine(actor)}</bdi> },
  { title: columns.what, cell: ({ action }) => <code>{action}</code> },
  column.text(columns.merchant, ({ merchant }) => merchant),
  column.text(columns.subject, ({ subject }) => subject),
  { title: columns.place, cell: ({ place }) => place },
  column.text(columns.origin, ({ origin }) => origin),
  { title: columns.details, cell: (row) => <AuditDetails title={columns.details} entry={row} mode={row.mode} /> },
]
const FILTERS: readonly ListFilter[] = [
  {
    name: 'action',
    label: filters.action,
    kind: 'select',
    choices: Object.keys(ACTIONS).map((action) => ({ value: action, label: action })),
  },
  { name: 'actor', label: filters.actor },
  { name: 'merchant', label: filters.merchant },
  { name: 'subject', label: filters.subject },
  { name: 'from', label: filters.from, kind: 'date' },
  { name: 'until', label: filters.until, kind: 'date' },
]
const DATABASE_FILTER: ListFilter = { name: 'place', label: filters.place, kind: 'select' }

export const VERIFY_AUDIT_FORM: FormSpec = {
  path: '/audit/verify',
  action: 'audit.verify',
  fields: [],
  submit: chain.submit,
}
export const EXPORT_AUDIT_FORM: FormSpec = {
  path: '/audit/export',
  action: 'audit.export',
  fields: [DATABASE_FILTER, ...FILTERS].map(
    ({ name, label }): FormField => ({
      name,
      label,
      kind: 'hidden',
      optional: true,
    }),
  ),
  submit: CONSOLE_AUDIT_TEXTS.export,
  plain: true,
}

const buildDatabaseFilter = ({ gateway }: ConsoleVisit): ListFilter => ({
  ...DATABASE_FILTER,
  choices: listAuditChains(gateway).map(({ place }) => ({ value: place, label: place })),
})

/** Gets the chain that the address names (`c1` or `directory`), or all of them. Throws 404 for an unknown name. */
export function getAuditDatabases({ gateway, query }: ConsoleVisit): AuditChain[] {
  const chains = listAuditChains(gateway)
  const matches = chains.filter(({ place }) => query.place === undefined || place === query.place)
  if (matches.length === 0) throw notFound('place')
  return matches
}

export function parseAuditFilter({ query }: ConsoleVisit): WholeAuditFilter {
  const { from, until } = parseDays(query)
  return {
    action: query.action ?? null,
    actor: query.actor ?? null,
    merchant: query.merchant ?? null,
    subject: query.subject ?? null,
    from: from ?? null,
    until: until ?? null,
    older: query.after ?? null,
  }
}

export async function showAudit(visit: ConsoleVisit, state: FormState | null = null): Promise<SurfaceReply> {
  const { gateway, query } = visit
  const [{ rows, older }, checks] = await Promise.all([
    readAudits(getAuditDatabases(visit), parseAuditFilter(visit)),
    latestAuditChecks(gateway),
  ])
  const here = visit.to(AUDIT_PATH)
  return listPage({
    title: CONSOLE_AUDIT_TEXTS.title,
    ...{ rows, columns: COLUMNS, here, query, filters: [buildDatabaseFilter(visit), ...FILTERS], state },
    cursors: { newer: null, older },
    lead: (
      <>
        <p>{CONSOLE_AUDIT_TEXTS.lead}</p>
        <ChainCard visit={visit} state={state} checks={checks} />
      </>
    ),
    empty: { title: CONSOLE_AUDIT_TEXTS.empty },
    belowRows: query.after !== undefined && (
      <p>
        <a href={addressWith(here, { ...query, after: undefined })}>{CONSOLE_AUDIT_TEXTS.newest}</a>
      </p>
    ),
    below: rows.length > 0 && (
      <FormBox of={EXPORT_AUDIT_FORM} visit={visit} state={state} values={query as FormValues} compact />
    ),
  })
}

const CHECK_COLUMNS: readonly ListColumn<AuditCheck>[] = [
  { title: chain.columns.place, cell: ({ place }) => place },
  column.time(chain.columns.at, ({ begunAt }) => begunAt),
  { title: chain.columns.by, cell: ({ askedBy }) => <bdi>{oneLine(askedBy)}</bdi> },
  { title: chain.columns.found, cell: (check) => <CheckResult check={check} /> },
  {
    title: chain.columns.anchor,
    cell: ({ place, number, hash }) =>
      number === null ? null : <code class="long">{`${place}:${number}:${hash}`}</code>,
  },
]

function CheckResult({ check: { endedAt, broken } }: { check: AuditCheck }) {
  if (endedAt === null) return <Status word={chain.under} tone="quiet" />
  return broken === null ? (
    <Status word={chain.holds} tone="good" />
  ) : (
    <>
      <Status word={chain.broken} tone="bad" /> {oneLine(broken)}
    </>
  )
}

type ChainProps = { visit: ConsoleVisit; state: FormState | null; checks: readonly AuditCheck[] }

const ChainCard = ({ visit, state, checks }: ChainProps) => (
  <Section title={chain.title}>
    {checks.length === 0 ? <p>{chain.none}</p> : <Table caption={chain.title} rows={checks} columns={CHECK_COLUMNS} />}
    <FormBox of={VERIFY_AUDIT_FORM} visit={visit} state={state} />
  </Section>
)
