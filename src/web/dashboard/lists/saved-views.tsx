import { readSavedViews, removeView, type SavedView, saveView } from '../../../merchants/saved-views/saved-views.ts'
import { notFound } from '../../../platform/refusal.ts'
import { FormBox } from '../../parts/forms/form.tsx'
import type { FormSpec } from '../../parts/forms/form-spec.ts'
import { pageReply, redirectDone } from '../../parts/routes/surface-reply.ts'
import { addressWith, type ListFilter } from '../../parts/table.tsx'
import { LISTS } from '../texts/lists.ts'
import { type DashboardRoute, type DashboardVisit, form } from '../visit.ts'

/** The paths of the lists whose filters can be saved. */
const LIST_PATHS = { charges: '/charges', payouts: '/payouts', links: '/links', orders: '/orders' } as const
type ListName = keyof typeof LIST_PATHS

const MAX_QUERY_CHARACTERS = 2000
const { views: words } = LISTS

const SAVE: FormSpec = {
  path: '/views/:list/save',
  action: 'view.save',
  fields: [
    { name: 'query', label: '', kind: 'hidden', optional: true, maxLength: MAX_QUERY_CHARACTERS },
    { name: 'name', label: words.name, hint: words.hint, maxLength: 60 },
  ],
  submit: words.save,
  plain: true,
}
const removeForm = (name: string): FormSpec => ({
  path: '/views/:list/:place/remove',
  action: 'view.remove',
  fields: [],
  submit: words.remove(name),
  plain: true,
})

type SavedViewsProps = {
  visit: DashboardVisit
  list: ListName
  filters: readonly ListFilter[]
  views: readonly SavedView[]
}

/** Reads the views of the list that this person has saved in this mode. */
export const readViewsOfList = ({ app, caller }: DashboardVisit, list: ListName) => readSavedViews(app, caller, list)

/** The saved views of a list, and the form that saves the filters in use. */
export function SavedViews({ visit, list, filters, views }: SavedViewsProps) {
  const query = formatQuery(visit, filters)
  const current = views.find((view) => view.query === query)
  if (views.length === 0 && query === '') return null
  return (
    <div class="views">
      {views.length > 0 && (
        <nav class="tabs" aria-label={words.title}>
          {views.map((view) => (
            <a
              href={`${visit.to(LIST_PATHS[list])}?${view.query}`}
              aria-current={view === current ? 'true' : undefined}
            >
              {view.name}
            </a>
          ))}
        </nav>
      )}
      {current !== undefined ? (
        <FormBox of={removeForm(current.name)} visit={visit} params={{ list, place: String(current.place) }} compact />
      ) : (
        query !== '' && (
          <details>
            <summary>{words.save}</summary>
            <FormBox of={SAVE} visit={visit} params={{ list }} values={{ query }} compact />
          </details>
        )
      )}
    </div>
  )
}

/** Formats the filters in use as the query of an address, without the question mark. */
function formatQuery({ query }: DashboardVisit, filters: readonly ListFilter[]): string {
  const used = filters.map(({ name }) => [name, query[name]] as const)
  return addressWith('', Object.fromEntries(used)).slice(1)
}

function getAddressedList({ params }: DashboardVisit): { list: ListName; path: string } {
  const list = params.list ?? ''
  if (!Object.hasOwn(LIST_PATHS, list)) throw notFound('list')
  return { list: list as ListName, path: LIST_PATHS[list as ListName] } // It is one of the names.
}

/** Rewrites a query from its names and values: a saved query becomes part of a link, so it must hold nothing else. */
const rewriteQuery = (query: string) => new URLSearchParams(query.slice(0, MAX_QUERY_CHARACTERS)).toString()

/** The forms that save and remove views. */
export const VIEW_ROUTES: readonly DashboardRoute[] = [
  form(SAVE, {
    async submit(visit, { name = '', query = '' }) {
      const { list, path } = getAddressedList(visit)
      const savedQuery = rewriteQuery(query)
      if (savedQuery === '') return redirectDone(visit.to(path), words.nothing)
      await saveView(visit.app, visit.caller, { list, name, query: savedQuery })
      return redirectDone(`${visit.to(path)}?${savedQuery}`, words.saved(name))
    },
    showRefused: async (visit, state) =>
      pageReply(
        words.title,
        <>
          <h1>{words.title}</h1>
          <FormBox of={SAVE} visit={visit} state={state} params={{ list: getAddressedList(visit).list }} />
        </>,
        { status: state.status },
      ),
  }),
  form(removeForm(''), {
    async submit(visit) {
      const { list, path } = getAddressedList(visit)
      const position = /^[0-9]{1,2}$/.test(visit.params.place ?? '') ? Number(visit.params.place) : 0
      await removeView(visit.app, visit.caller, { list, place: position })
      return redirectDone(visit.to(path), words.removed)
    },
    showRefused: async (visit) => redirectDone(visit.to(getAddressedList(visit).path)),
  }),
]
