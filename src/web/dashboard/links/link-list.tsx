import { countRows } from '../../../api/http/lists/list-totals.ts'
import { parseListWindow } from '../../../api/http/lists/lists.ts'
import { chooseListStatement, type LinkFilter, listLinks } from '../../../selling/payment-links/find-links.ts'
import { type LinkWithCharges, presentLink } from '../../../selling/payment-links/payment-link.ts'
import { column } from '../../parts/columns.tsx'
import { FormBox } from '../../parts/forms/form.tsx'
import type { FormSpec, FormState } from '../../parts/forms/form-spec.ts'
import { listPage } from '../../parts/list-page.tsx'
import { Section } from '../../parts/parts.tsx'
import type { SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { buildPageQuery, cursorsOf, type ListColumn, type ListFilter } from '../../parts/table.tsx'
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
  { title: columns.id, cell: ({ id }) => id },
  column.money(columns.amount, ({ amount }) => amount),
  column.status(columns.status, (link) => presentLink(link, baseUrl).status),
  column.text(columns.description, ({ description }) => description),
  column.text(columns.reference, ({ reference }) => reference),
  column.time(columns.created, ({ createdAt }) => createdAt),
]

const FILTERS: readonly ListFilter[] = [
  { name: 'reference', label: LINKS.reference },
  { name: 'from', label: LINKS.from, kind: 'date' },
  { name: 'until', label: LINKS.until, kind: 'date' },
]

export const EXPORT_LINKS = exportForm('/links', FILTERS)

/** Parses the filters of the list from a query. Throws Refusal. */
export const parseLinkFilter = (query: DashboardVisit['query']): LinkFilter => ({
  ...parseListWindow(buildPageQuery(query)),
  endingBefore: query.before ?? null,
  reference: query.reference ?? null,
})

/** Lists the payment links of the mode, with the form that makes one. */
export async function showLinks(visit: DashboardVisit, state: FormState | null = null): Promise<SurfaceReply> {
  const { app, caller, query } = visit
  const filter = parseLinkFilter(query)
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
    below: (
      <>
        {page.data.length > 0 && <ExportBox of={EXPORT_LINKS} visit={visit} state={state} />}
        <Section title={create.title} id="new">
          <FormBox of={NEW_LINK} visit={visit} state={state} />
        </Section>
      </>
    ),
  })
}
