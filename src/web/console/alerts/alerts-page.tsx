import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type AlertKind, consolePageOf, paragraphOf, parseAlertKind, toDoOf } from '../../../operations/alerts/kinds.ts'
import { type Alert, findAlert, listClosedAlerts, listOpenAlerts } from '../../../operations/alerts/list-alerts.ts'
import { ROOT } from '../../../platform/processes/root.ts'
import { notFound } from '../../../platform/refusal.ts'
import { Markdown } from '../../docs/markdown-text.tsx'
import { column } from '../../parts/columns.tsx'
import { FormBox } from '../../parts/forms/form.tsx'
import type { FormSpec, FormState } from '../../parts/forms/form-spec.ts'
import { Empty, Facts, OutsideText, Section, Status, Time } from '../../parts/parts.tsx'
import { pageReply, type SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { type ListColumn, Pager, Table } from '../../parts/table.tsx'
import { ALERTS } from '../texts/alerts.ts'
import type { ConsoleVisit } from '../visit.ts'

const { columns, detail: facts } = ALERTS

export const CLOSE_ALERT_FORM: FormSpec = {
  path: '/alerts/:id/close',
  action: 'alert.close',
  fields: [
    {
      name: 'note',
      label: ALERTS.close.note,
      hint: ALERTS.close.hint,
      kind: 'lines',
      maxLength: 500,
      rows: 3,
    },
  ],
  submit: ALERTS.close.submit,
  danger: true,
}

const ALERT_COLUMNS: readonly ListColumn<Alert>[] = [
  { title: columns.kind, cell: ({ kind }) => formatKind(kind) },
  column.text(columns.says, ({ says }) => says),
]
const OPEN_COLUMNS: readonly ListColumn<Alert>[] = [
  ...ALERT_COLUMNS,
  column.time(columns.since, ({ since }) => since),
  { title: columns.size, cell: ({ size }) => ALERTS.count(size), figures: true },
  { title: columns.times, cell: ({ times }) => ALERTS.count(times), figures: true },
  { title: columns.told, cell: ({ toldAt }) => (toldAt === null ? ALERTS.untold : <Time at={toldAt} />) },
]
const CLOSED_COLUMNS: readonly ListColumn<Alert>[] = [
  ...ALERT_COLUMNS,
  column.time(columns.since, ({ since }) => since),
  column.time(columns.ended, ({ closedAt }) => closedAt),
  {
    title: columns.by,
    cell: ({ closedBy }) => (closedBy === null ? ALERTS.itself : <OutsideText text={closedBy} />),
  },
]

/** Shows the open alerts and those that are over. */
export async function showAlerts({ gateway, query, to }: ConsoleVisit): Promise<SurfaceReply> {
  const [open, ended] = await Promise.all([listOpenAlerts(gateway), listClosedAlerts(gateway, query.after ?? null)])
  const href = ({ id }: Alert) => to(`/alerts/${id}`)
  return pageReply(
    ALERTS.title,
    <>
      <h1>{ALERTS.title}</h1>
      <p>{ALERTS.lead}</p>
      <Section title={ALERTS.open} id="open">
        {open.length === 0 ? (
          <Empty title={ALERTS.none}>
            <p>{ALERTS.noneSays}</p>
          </Empty>
        ) : (
          <Table caption={ALERTS.open} rows={open} columns={OPEN_COLUMNS} href={href} />
        )}
      </Section>
      <Section title={ALERTS.ended} id="ended">
        {ended.rows.length === 0 ? (
          <Empty title={ALERTS.noneEnded} />
        ) : (
          <Table caption={ALERTS.ended} rows={ended.rows} columns={CLOSED_COLUMNS} href={href} />
        )}
        <Pager cursors={{ newer: null, older: ended.older }} query={query} here={to('/alerts')} />
      </Section>
    </>,
  )
}

export async function showAlert(visit: ConsoleVisit, state: FormState | null = null): Promise<SurfaceReply> {
  const alert = await findAlert(visit.gateway, visit.params.id ?? '')
  if (alert === null) throw notFound('alert')
  const { kind, closedAt } = alert
  const name = formatKind(kind)
  return pageReply(
    name,
    <>
      <div class="top">
        <h1>{name}</h1>
        {closedAt === null ? <Status word={ALERTS.open} tone="bad" /> : <Status word={ALERTS.ended} tone="quiet" />}
      </div>
      <p>
        <OutsideText text={alert.says} />
      </p>
      <Section title={facts.toDo}>
        <p>{toDoOf(kind)}</p>
        <div class="actions">
          <a class="button" href={consolePageOf(kind)}>
            {facts.deal}
          </a>
          <a class="button plain" href={paragraphOf(kind)}>
            {facts.paragraph}
          </a>
        </div>
      </Section>
      <Section title={columns.says}>
        <Facts
          facts={[
            [facts.subject, <OutsideText text={alert.subject} />],
            [facts.since, <Time at={alert.since} />],
            [facts.opened, <Time at={alert.openedAt} />],
            [facts.seen, <Time at={alert.lastSeenAt} />],
            [facts.size, ALERTS.count(alert.size)],
            [facts.times, ALERTS.count(alert.times)],
            [facts.told, alert.toldAt === null ? ALERTS.untold : <Time at={alert.toldAt} />],
            closedAt !== null && [facts.closed, <Time at={closedAt} />],
            alert.closedBy !== null && [facts.by, <OutsideText text={alert.closedBy} />],
            alert.note !== null && [facts.note, <OutsideText text={alert.note} />],
          ]}
        />
      </Section>
      {closedAt === null && (
        <Section title={ALERTS.close.title} id="close">
          <FormBox of={CLOSE_ALERT_FORM} visit={visit} state={state} params={{ id: String(alert.id) }} />
        </Section>
      )}
    </>,
    { status: state?.status ?? 200 },
  )
}

/** Formats a kind in words. Messages and logs write it as one word. */
const formatKind = (kind: string) => kind.replaceAll('_', ' ')

/** Shows the manual's paragraph about one kind of alert. */
export async function showKind({ params, to }: ConsoleVisit): Promise<SurfaceReply> {
  const kind = parseAlertKind(params.kind ?? '')
  if (kind === null) throw notFound('alert')
  const name = formatKind(kind)
  return pageReply(
    name,
    <>
      <h1>{name}</h1>
      <p class="hint">{ALERTS.about}</p>
      <Markdown text={readManualParagraph(kind)} />
      <div class="actions">
        <a class="button" href={consolePageOf(kind)}>
          {facts.deal}
        </a>
        <a class="button plain" href={to('/alerts')}>
          {ALERTS.all}
        </a>
      </div>
    </>,
  )
}

let manualText: string | null = null

/** Reads the paragraph of docs/operating.md about a kind of alert, as Markdown. The file is read once for each process. */
function readManualParagraph(kind: AlertKind): string {
  manualText ??= readFileSync(join(ROOT, 'docs', 'operating.md'), 'utf8')
  const rest = manualText.split(`\n### ${kind}\n`)[1] ?? ''
  return rest.split(/\n#{2,3} /, 1)[0]?.trim() ?? ''
}
