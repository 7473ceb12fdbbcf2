import { ACTIONS } from '../../actors/actions.ts'
import type { WholeAuditFilter } from '../../actors/read-whole-audit.ts'
import {
  type AuditChain,
  type AuditCheck,
  askForAuditCheck,
  latestAuditChecks,
  listAuditChains,
} from '../../alerts/check-audit.ts'
import { exportAudit } from '../../alerts/export-audit.ts'
import { type PlacedAuditRow, readAudits } from '../../alerts/read-audits.ts'
import { readDays } from '../../pages/days.ts'
import { FormBox } from '../../pages/form.tsx'
import type { FormSpec, FormState, Values } from '../../pages/form-spec.ts'
import { Empty, Said, Section, Status, Time } from '../../pages/parts.tsx'
import { doneTo, type Shown, shownPage } from '../../pages/shown.ts'
import { addressWith, type Column, type Filter, Filters, given, Pager, Table } from '../../pages/table.tsx'
import { shown } from '../../pages/wording.ts'
import { notFound } from '../../platform/refusal.ts'
import { AUDIT } from '../texts/audit.ts'
import { type ConsoleRoute, type ConsoleVisit, form, page } from '../visit.ts'

const { columns, filters, chain } = AUDIT
const HERE = '/audit'
// The page waits this long for a check of the chains; a longer check goes on without it.
const WAIT_MS = 3000

const COLUMNS: readonly Column<PlacedAuditRow>[] = [
  { title: columns.at, cell: ({ at }) => <Time at={at} /> },
  { title: columns.who, cell: ({ actor }) => <bdi>{shown(actor)}</bdi> },
  { title: columns.what, cell: ({ action }) => <code>{action}</code> },
  { title: columns.merchant, cell: ({ merchant }) => <Said text={merchant} /> },
  { title: columns.subject, cell: ({ subject }) => <Said text={subject} /> },
  { title: columns.place, cell: ({ place }) => place },
  { title: columns.origin, cell: ({ origin }) => <Said text={origin} /> },
  { title: columns.details, cell: (row) => <Details row={row} /> },
]
const FILTERS: readonly Filter[] = [
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
const PLACE: Filter = { name: 'place', label: filters.place, kind: 'select' }

const VERIFY: FormSpec = { path: '/audit/verify', action: 'audit.verify', fields: [], submit: chain.submit }
const EXPORT: FormSpec = {
  path: '/audit/export',
  action: 'audit.export',
  fields: [PLACE, ...FILTERS].map(({ name, label }) => ({ name, label, kind: 'hidden', optional: true })),
  submit: AUDIT.export,
  plain: true,
}

const Details = ({ row: { before, after, requestId, mode } }: { row: PlacedAuditRow }) =>
  before === null && after === null ? null : (
    <details class="raw">
      <summary>{columns.details}</summary>
      <pre tabIndex={0} role="group" aria-label={columns.details}>
        <code>{JSON.stringify({ mode, before, after, request: requestId }, null, 1)}</code>
      </pre>
    </details>
  )

const placesOf = ({ gateway }: ConsoleVisit): Filter => ({
  ...PLACE,
  choices: listAuditChains(gateway).map(({ place }) => ({ value: place, label: place })),
})

/** Gets the chain that the address names (`c1` or `directory`), or all of them. Throws 404 for an unknown name. */
function asked({ gateway, query }: ConsoleVisit): AuditChain[] {
  const chains = listAuditChains(gateway)
  const matches = chains.filter(({ place }) => query.place === undefined || place === query.place)
  if (matches.length === 0) throw notFound('place')
  return matches
}

function filterOf({ query }: ConsoleVisit): WholeAuditFilter {
  const { from, until } = readDays(query)
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

async function showAudit(visit: ConsoleVisit, state: FormState | null = null): Promise<Shown> {
  const { gateway, query } = visit
  const [{ rows, older }, checks] = await Promise.all([
    readAudits(asked(visit), filterOf(visit)),
    latestAuditChecks(gateway),
  ])
  const here = visit.to(HERE)
  return shownPage(
    AUDIT.title,
    <>
      <h1>{AUDIT.title}</h1>
      <p>{AUDIT.lead}</p>
      <Chain visit={visit} state={state} checks={checks} />
      <Filters filters={[placesOf(visit), ...FILTERS]} query={query} action={here} />
      {rows.length === 0 ? (
        <Empty title={AUDIT.empty} />
      ) : (
        <Table caption={AUDIT.title} rows={rows} columns={COLUMNS} />
      )}
      {query.after !== undefined && (
        <p>
          <a href={addressWith(here, { ...query, after: undefined })}>{AUDIT.newest}</a>
        </p>
      )}
      <Pager cursors={{ newer: null, older }} query={query} here={here} />
      {rows.length > 0 && (
        <FormBox of={EXPORT} visit={visit} state={state} values={query as Values} compact />
      )}
    </>,
    { status: state?.status ?? 200 },
  )
}

const CHECKS: readonly Column<AuditCheck>[] = [
  { title: chain.columns.place, cell: ({ place }) => place },
  { title: chain.columns.at, cell: ({ begunAt }) => <Time at={begunAt} /> },
  { title: chain.columns.by, cell: ({ askedBy }) => <bdi>{shown(askedBy)}</bdi> },
  { title: chain.columns.found, cell: (check) => <Found check={check} /> },
  {
    title: chain.columns.anchor,
    cell: ({ place, number, hash }) =>
      number === null ? null : <code class="long">{`${place}:${number}:${hash}`}</code>,
  },
]

function Found({ check: { endedAt, broken } }: { check: AuditCheck }) {
  if (endedAt === null) return <Status word={chain.under} tone="quiet" />
  return broken === null ? (
    <Status word={chain.holds} tone="good" />
  ) : (
    <>
      <Status word={chain.broken} tone="bad" /> {shown(broken)}
    </>
  )
}

type ChainProps = { visit: ConsoleVisit; state: FormState | null; checks: readonly AuditCheck[] }

const Chain = ({ visit, state, checks }: ChainProps) => (
  <Section title={chain.title}>
    {checks.length === 0 ? (
      <p>{chain.none}</p>
    ) : (
      <Table caption={chain.title} rows={checks} columns={CHECKS} />
    )}
    <FormBox of={VERIFY} visit={visit} state={state} />
  </Section>
)

async function verify(visit: ConsoleVisit): Promise<Shown> {
  const checking = askForAuditCheck(visit.gateway, visit.caller)
  const slow = new Promise<'slow'>((resolve) => setTimeout(resolve, WAIT_MS, 'slow').unref())
  const outcome = await Promise.race([checking.then(() => 'done' as const), slow])
  if (outcome === 'slow')
    checking.catch((err) => visit.gateway.log.error({ err }, 'a check of the audit did not come to its end'))
  return doneTo(visit.to(HERE), outcome === 'done' ? chain.done : chain.begun)
}

/** The audit over all merchants: its rows, the check of its chains, and a file of it. */
export const AUDIT_ROUTES: readonly ConsoleRoute[] = [
  page(HERE, (visit) => showAudit(visit)),
  form(VERIFY, { submit: verify, again: showAudit }),
  form(EXPORT, {
    async submit(visit, values) {
      const filtered = { ...visit, query: given(values) }
      const chains = asked(filtered)
      const body = await exportAudit(visit.gateway, visit.caller, { chains, filter: filterOf(filtered) })
      return {
        kind: 'file',
        name: `audit-${filtered.query.place ?? 'all'}.csv`,
        type: 'text/csv; charset=utf-8',
        body,
      }
    },
    again: (visit, state) => showAudit({ ...visit, query: {} }, state),
  }),
]
