import { searchObjects } from '../../../reports/search.ts'
import { presentLink } from '../../../selling/payment-links/payment-link.ts'
import { column } from '../../parts/columns.tsx'
import { Empty, Section } from '../../parts/parts.tsx'
import { pageReply, type SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { type ListColumn, Table } from '../../parts/table.tsx'
import { OBJECT_PAGES, objectPath } from '../object-link.tsx'
import { SEARCH } from '../texts/search.ts'
import type { DashboardVisit } from '../visit.ts'

const { columns } = SEARCH
type SearchRow = {
  id: string
  amount: number
  status: string
  who: string | null
  reference: string | null
  createdAt: Date
}

const COLUMNS: readonly ListColumn<SearchRow>[] = [
  { title: columns.id, cell: ({ id }) => id },
  column.money(columns.amount, ({ amount }) => amount),
  column.status(columns.status, ({ status }) => status),
  column.text(columns.who, ({ who }) => who),
  column.text(columns.reference, ({ reference }) => reference),
  column.time(columns.created, ({ createdAt }) => createdAt),
]

/** Shows the objects that match a text. A single match is opened at once. */
export async function showSearch(visit: DashboardVisit): Promise<SurfaceReply> {
  const { app, caller, query } = visit
  const text = query.q ?? ''
  const result = await searchObjects(app, caller, text)
  if (result.kind === 'id')
    return { kind: 'redirect', to: visit.to(objectPath(OBJECT_PAGES[result.prefix], result.id)) }
  const groups = [
    {
      title: SEARCH.charges,
      path: '/charges',
      rows: result.charges.map((charge) => ({ ...charge, who: charge.phone })),
    },
    {
      title: SEARCH.payouts,
      path: '/payouts',
      rows: result.payouts.map((payout) => ({ ...payout, who: payout.recipientPhone })),
    },
    {
      title: SEARCH.links,
      path: '/links',
      rows: result.links.map((link) => ({
        ...link,
        who: null,
        status: presentLink(link, app.baseUrl).status,
      })),
    },
  ].filter(({ rows }) => rows.length > 0)
  const [group] = groups
  if (group !== undefined && groups.length === 1 && group.rows.length === 1)
    return { kind: 'redirect', to: visit.to(`${group.path}/${group.rows[0]?.id}`) }
  return pageReply(
    SEARCH.title,
    <>
      <h1>{SEARCH.title}</h1>
      {groups.length === 0 && (
        <Empty title={text === '' ? SEARCH.teach : SEARCH.nothing(text)}>
          <p>{text === '' ? SEARCH.otherMode : SEARCH.teach}</p>
        </Empty>
      )}
      {groups.map(({ title, path, rows }) => (
        <Section title={title}>
          <Table caption={title} rows={rows} columns={COLUMNS} href={({ id }) => visit.to(`${path}/${id}`)} />
        </Section>
      ))}
    </>,
  )
}
