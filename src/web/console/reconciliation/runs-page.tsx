import { listRuns, type ReconciliationRun } from '../../../operations/reconciliation/run-log.ts'
import { oneLine } from '../../../platform/text/text.ts'
import { column } from '../../parts/columns.tsx'
import { FormBox } from '../../parts/forms/form.tsx'
import type { FormSpec, FormState } from '../../parts/forms/form-spec.ts'
import { WaitingCount } from '../../parts/frame.tsx'
import { Empty, OutsideText, Section } from '../../parts/parts.tsx'
import { pageReply, type SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { type ListColumn, Pager, Table } from '../../parts/table.tsx'
import { RECONCILIATION as TEXTS } from '../texts/reconciliation.ts'
import type { ConsoleVisit } from '../visit.ts'
import { countByPath } from '../work-overview.ts'

const { columns } = TEXTS
const ROWS_PER_PAGE = 25
export const RUNS_PATH = '/reconciliation'

export const RUN_NOW_FORM: FormSpec = {
  ...{ path: `${RUNS_PATH}/run`, action: 'reconcile.run', fields: [], submit: TEXTS.run },
}

/** The tabs between the pages of reconciliation. */
export const ReconciliationTabs = ({ visit, at }: { visit: ConsoleVisit; at: string }) => (
  <nav class="tabs" aria-label={TEXTS.title}>
    {(
      [
        [RUNS_PATH, TEXTS.pages.runs],
        [`${RUNS_PATH}/exceptions`, TEXTS.pages.exceptions],
        [`${RUNS_PATH}/import`, TEXTS.pages.import],
      ] as const
    ).map(([path, name]) => (
      <a href={visit.to(path)} aria-current={path === at ? 'page' : undefined}>
        {name} {path.endsWith('/exceptions') && <WaitingCount of={countByPath(visit.waiting).get(RUNS_PATH)} />}
      </a>
    ))}
  </nav>
)

const renderLegs = ({ legs, begunAt }: ReconciliationRun) =>
  legs === null ? (
    <span class="quiet">{begunAt === null ? TEXTS.waits : TEXTS.runs}</span>
  ) : (
    legs.map(({ leg, lookedAt, agreed, opened, closed, left }) => (
      <div>{TEXTS.legSays(TEXTS.legNames[leg], lookedAt, agreed, opened, closed, left)}</div>
    ))
  )

const COLUMNS: readonly ListColumn<ReconciliationRun>[] = [
  column.time(columns.when, ({ askedAt }) => askedAt),
  {
    title: columns.what,
    cell: ({ kind, place, askedBy, file }) => (
      <>
        {TEXTS.kinds[kind]} {kind === 'hourly' && TEXTS.of(place)} <OutsideText text={file} />
        {askedBy !== null && <div class="hint">{TEXTS.by(oneLine(askedBy))}</div>}
      </>
    ),
  },
  { title: columns.legs, cell: renderLegs },
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
export async function showRuns(visit: ConsoleVisit, state: FormState | null = null): Promise<SurfaceReply> {
  const { gateway, query } = visit
  const window = { after: query.after, before: query.before, limit: ROWS_PER_PAGE }
  const page = await listRuns(gateway.directory, null, window)
  return pageReply(
    TEXTS.title,
    <>
      <h1>{TEXTS.title}</h1>
      <ReconciliationTabs visit={visit} at={RUNS_PATH} />
      <p class="quiet">{TEXTS.lead}</p>
      <FormBox of={RUN_NOW_FORM} visit={visit} state={state}>
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
        <Pager cursors={page} query={{}} here={visit.to(RUNS_PATH)} />
      </Section>
    </>,
    { status: state?.status ?? 200 },
  )
}
