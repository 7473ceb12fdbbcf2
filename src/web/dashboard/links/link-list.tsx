import { countRows } from '../../../api/http/lists/list-totals.ts'
import { parseListWindow } from '../../../api/http/lists/lists.ts'
import { chooseListStatement, type LinkFilter, listLinks } from '../../../selling/payment-links/find-links.ts'
import { type LinkWithCharges, presentLink } from '../../../selling/payment-links/payment-link.ts'
import { column } from '../../parts/columns.tsx'
import type { FormSpec, FormState } from '../../parts/forms/form-spec.ts'
import { listPage } from '../../parts/list-page.tsx'
import { PERIOD_FILTER } from '../../parts/periods.ts'
import type { SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { buildPageQuery, cursorsOf, type ListColumn, type ListFilter } from '../../parts/table.tsx'
import { createPage, NewButton } from '../lists/create-page.tsx'
import { ExportBox, exportForm } from '../lists/exports.tsx'
import { readViewsOfList, SavedViews } from '../lists/saved-views.tsx'
import { CountLine } from '../lists/totals.tsx'
import { LINKS } from '../texts/links.ts'
import type { DashboardVisit } from '../visit.ts'

const { columns, create } = LINKS

export const NEW_LINK: FormSpec = {
  path: '/links/new',
  action: 'link.create',
  fields: [
    { name: 'amount', label: create.amount, kind: 'amount', hint: create.amountHint },
    {
      name: 'description',
      label: create.description,
      kind: 'lines',
      rows: 2,
      maxLength: 1000,
      hint: create.descriptionHint,
      optional: true,
    },
    { name: 'reference', label: create.reference, hint: create.referenceHint, optional: true },
    {
      name: 'success_url',
      label: create.success,
      kind: 'url',
      maxLength: 2000,
      hint: create.successHint,
      optional: true,
    },
    { name: 'cancel_url', label: create.cancel, kind: 'url', maxLength: 2000, optional: true },
    { name: 'many', label: create.many, kind: 'check' },
  ],
  submit: create.submit,
  once: true,
}

const columnsFor = (baseUrl: string): readonly ListColumn<LinkWithCharges>[] => [
  column.who(columns.description, ({ description, reference }) => description ?? reference ?? columns.unnamed),
  column.what(columns.reference, ({ reference, description }) => (description === null ? null : reference)),
  column.amount(columns.amount, ({ amount }) => amount),
  column.state(columns.status, 'link', (link) => presentLink(link, baseUrl)),
  column.when(columns.created, ({ createdAt }) => createdAt),
  column.id(),
]

const FILTERS: readonly ListFilter[] = [
  { name: 'reference', label: LINKS.reference },
  PERIOD_FILTER,
  { name: 'from', label: LINKS.from, kind: 'date' },
  { name: 'until', label: LINKS.until, kind: 'date' },
]

export const EXPORT_LINKS = exportForm('/links', FILTERS)

/** Parses the filters of the list from a query. Throws Refusal. */
export const parseLinkFilter = ({ query, now }: DashboardVisit): LinkFilter => ({
  ...parseListWindow(buildPageQuery(query, FILTERS, now)),
  endingBefore: query.before ?? null,
  reference: query.reference ?? null,
})

export const showNewLink = createPage(NEW_LINK, () => ({ title: create.title }))

/** Lists the payment links of the mode. */
export async function showLinks(visit: DashboardVisit, state: FormState | null = null): Promise<SurfaceReply> {
  const { app, caller, query } = visit
  const filter = parseLinkFilter(visit)
  const [page, counted, views] = await Promise.all([
    listLinks(app, caller, filter),
    countRows(app, caller, chooseListStatement(filter)),
    readViewsOfList(visit, 'links'),
  ])
  return listPage({
    title: LINKS.title,
    ...{ rows: page.data, columns: columnsFor(app.baseUrl) },
    href: ({ id }: LinkWithCharges) => visit.to(`/links/${id}`),
    ...{ here: visit.to('/links'), query, filters: FILTERS, cursors: cursorsOf(page), state },
    aboveRows: (
      <>
        <SavedViews visit={visit} list="links" filters={FILTERS} views={views} />
        <CountLine counted={counted} />
      </>
    ),
    empty: LINKS.empty,
    head: (
      <div class="top">
        <h1>{LINKS.title}</h1>
        <NewButton visit={visit} of={NEW_LINK}>
          {create.title}
        </NewButton>
      </div>
    ),
    tools: page.data.length > 0 && <ExportBox of={EXPORT_LINKS} visit={visit} state={state} />,
  })
}
