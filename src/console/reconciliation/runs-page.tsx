import { FormBox } from '../../pages/form.tsx'
import type { FormSpec, FormState } from '../../pages/form-spec.ts'
import { Count } from '../../pages/frame.tsx'
import { Empty, Said, Section, Time } from '../../pages/parts.tsx'
import { type Shown, shownPage } from '../../pages/shown.ts'
import { type Column, Pager, Table } from '../../pages/table.tsx'
import { shown } from '../../pages/wording.ts'
import { listRuns, type Run } from '../../reconciliation/run-log.ts'
import { RECONCILIATION as TEXTS } from '../texts/reconciliation.ts'
import type { ConsoleVisit } from '../visit.ts'
import { countsOf } from '../waiting.ts'

const { columns } = TEXTS
const ROWS = 25
export const RUNS = '/reconciliation'

export const RUN_NOW: FormSpec = {
  ...{ path: `${RUNS}/run`, action: 'reconcile.run', fields: [], submit: TEXTS.run },
}

/** The tabs between the pages of reconciliation. */
export const ReconciliationPages = ({ visit, at }: { visit: ConsoleVisit; at: string }) => (
  <nav class="tabs" aria-label={TEXTS.title}>
    {(
      [
        [RUNS, TEXTS.pages.runs],
        [`${RUNS}/exceptions`, TEXTS.pages.exceptions],
        [`${RUNS}/import`, TEXTS.pages.import],
      ] as const
    ).map(([path, name]) => (
      <a href={visit.to(path)} aria-current={path === at ? 'page' : undefined}>
        {name} {path.endsWith('/exceptions') && <Count of={countsOf(visit.waiting).get(RUNS)} />}
      </a>
    ))}
  </nav>
)

const legsOf = ({ legs, begunAt }: Run) =>
  legs === null ? (
    <span class="quiet">{begunAt === null ? TEXTS.waits : TEXTS.runs}</span>
  ) : (
    legs.map(({ leg, lookedAt, agreed, opened, closed, left }) => (
      <div>{TEXTS.legSays(TEXTS.legNames[leg], lookedAt, agreed, opened, closed, left)}</div>
    ))
  )

const COLUMNS: readonly Column<Run>[] = [
  { title: columns.when, cell: ({ askedAt }) => <Time at={askedAt} /> },
  {
    title: columns.what,
    cell: ({ kind, place, askedBy, file }) => (
      <>
        {TEXTS.kinds[kind]} {kind === 'hourly' && TEXTS.of(place)} <Said text={file} />
        {askedBy !== null && <div class="hint">{TEXTS.by(shown(askedBy))}</div>}
      </>
    ),
  },
  { title: columns.legs, cell: legsOf },
  {
    title: columns.took,
    cell: ({ begunAt, endedAt }) =>
      begunAt === null || endedAt === null
        ? null
        : TEXTS.seconds(Math.round((endedAt.getTime() - begunAt.getTime()) / 1000)),
    figures: true,
  },
]

/** Shows the stored comparisons, newest first, and the form that asks for one now. */
export async function showRuns(visit: ConsoleVisit, state: FormState | null = null): Promise<Shown> {
  const { gateway, query } = visit
  const window = { after: query.after, before: query.before, limit: ROWS }
  const page = await listRuns(gateway.directory, null, window)
  return shownPage(
    TEXTS.title,
    <>
      <h1>{TEXTS.title}</h1>
      <ReconciliationPages visit={visit} at={RUNS} />
      <p class="quiet">{TEXTS.lead}</p>
      <FormBox of={RUN_NOW} visit={visit} state={state}>
        <p class="hint">{TEXTS.runSays}</p>
      </FormBox>
      <Section title={TEXTS.pages.runs}>
        {page.rows.length === 0 ? (
          <Empty title={TEXTS.empty}>
            <p>{TEXTS.emptySays}</p>
          </Empty>
        ) : (
          <Table caption={TEXTS.pages.runs} rows={page.rows} columns={COLUMNS} />
        )}
        <Pager cursors={page} query={{}} here={visit.to(RUNS)} />
      </Section>
    </>,
    { status: state?.status ?? 200 },
  )
}
