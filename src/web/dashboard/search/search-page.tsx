import { searchObjects } from '../../../reports/search.ts'
import { presentLink } from '../../../selling/payment-links/payment-link.ts'
import { column } from '../../parts/columns.tsx'
import { Empty, Section, State } from '../../parts/parts.tsx'
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
  noun: 'charge' | 'payout' | 'link'
  who: string | null
  name: string | null
  reference: string | null
  createdAt: Date
}

const COLUMNS: readonly ListColumn<SearchRow>[] = [
  column.person(columns.who, ({ who, name, reference }) => ({ phone: who, name: name ?? reference })),
  column.what(columns.reference, ({ reference }) => reference),
  column.amount(columns.amount, ({ amount }) => amount),
  { title: columns.status, cell: (row) => <State of={row.noun} state={row.status} />, at: 'state' },
  column.when(columns.created, ({ createdAt }) => createdAt),
  column.id(),
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
      rows: result.charges.map((charge) => ({
        ...charge,
        noun: 'charge' as const,
        who: charge.phone,
        name: charge.email,
      })),
    },
    {
      title: SEARCH.payouts,
      path: '/payouts',
      rows: result.payouts.map((payout) => ({
        ...payout,
        noun: 'payout' as const,
        who: payout.recipientPhone,
        name: null,
      })),
    },
    {
      title: SEARCH.links,
      path: '/links',
      rows: result.links.map((link) => ({
        ...link,
        noun: 'link' as const,
        who: null,
        name: link.description,
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
      <SearchBox action={visit.to('/search')} text={text} />
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

/** The box, for phones, whose bar has no room for it. */
const SearchBox = ({ action, text }: { action: string; text: string }) => (
  <search>
    <form class="form" action={action}>
      <div class="field">
        <label for="look-for">{SEARCH.field}</label>
        <input id="look-for" name="q" type="search" value={text} autocomplete="off" />
      </div>
      <button type="submit" class="button">
        {SEARCH.submit}
      </button>
    </form>
  </search>
)
