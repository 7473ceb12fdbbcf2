import { ACTIONS } from '../../../api/access/actions.ts'
import { type AuditEntry, parseAuditPart, readAuditAsMerchant } from '../../../api/access/read-audit.ts'
import { AuditDetails } from '../../parts/audit-details.tsx'
import { column } from '../../parts/columns.tsx'
import { listPage } from '../../parts/list-page.tsx'
import { OutsideText } from '../../parts/parts.tsx'
import type { SurfaceReply } from '../../parts/routes/surface-reply.ts'
import type { ListColumn, ListFilter } from '../../parts/table.tsx'
import { nameAction } from '../texts/action-names.ts'
import { AUDIT } from '../texts/business.ts'
import type { DashboardVisit } from '../visit.ts'

const { columns, filters } = AUDIT

const COLUMNS: readonly ListColumn<AuditEntry>[] = [
  column.when(columns.at, ({ at }) => at),
  {
    title: columns.who,
    cell: ({ actor }) => (actor === null ? AUDIT.gateway : <OutsideText text={actor} />),
    at: 'who',
  },
  { title: columns.what, cell: ({ action }) => nameAction(action), at: 'what' },
  column.text(columns.subject, ({ subject }) => subject),
  { title: columns.mode, cell: ({ mode }) => mode },
  column.text(columns.origin, ({ origin }) => origin),
  { title: AUDIT.details, cell: (entry) => <AuditDetails title={AUDIT.details} entry={entry} />, at: 'more' },
]
const FILTERS: readonly ListFilter[] = [
  {
    ...{ name: 'of', label: filters.of, kind: 'select' },
    choices: [
      { value: 'acts', label: filters.acts },
      { value: 'looks', label: filters.looks },
    ],
  },
  {
    name: 'action',
    label: filters.action,
    kind: 'select',
    choices: Object.keys(ACTIONS).map((action) => ({ value: action, label: nameAction(action) })),
  },
  { name: 'actor', label: filters.actor },
]

/** Who did what about this business. */
export async function showAudit(visit: DashboardVisit): Promise<SurfaceReply> {
  const { app, caller, query } = visit
  const { entries, older, newer } = await readAuditAsMerchant(app, caller, {
    part: parseAuditPart(query.of, 'all'),
    action: query.action ?? null,
    actor: query.actor ?? null,
    older: query.after ?? null,
    newer: query.before ?? null,
  })
  return listPage({
    title: AUDIT.title,
    ...{ rows: entries, columns: COLUMNS, here: visit.to('/settings/audit'), query, filters: FILTERS },
    lead: <p>{AUDIT.lead}</p>,
    ...{ empty: AUDIT.empty, cursors: { newer, older } },
  })
}
