import { readSavedViews, type SavedView } from '../../../merchants/saved-views/saved-views.ts'
import { notFound } from '../../../platform/refusal.ts'
import { FormBox } from '../../parts/forms/form.tsx'
import type { FormSpec, FormState } from '../../parts/forms/form-spec.ts'
import { pageReply, type SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { addressWith, type ListFilter } from '../../parts/table.tsx'
import { LISTS } from '../texts/lists.ts'
import type { DashboardVisit } from '../visit.ts'

/** The paths of the lists whose filters can be saved. */
const LIST_PATHS = { charges: '/charges', payouts: '/payouts', links: '/links', orders: '/orders' } as const
type ListName = keyof typeof LIST_PATHS

export const MAX_QUERY_CHARACTERS = 2000
const { views: words } = LISTS

export const SAVE_VIEW: FormSpec = {
  path: '/views/:list/save',
  action: 'view.save',
  fields: [
    { name: 'query', label: '', kind: 'hidden', optional: true, maxLength: MAX_QUERY_CHARACTERS },
    { name: 'name', label: words.name, hint: words.hint, maxLength: 60 },
  ],
  submit: words.save,
  plain: true,
}
export const removeViewForm = (name: string): FormSpec => ({
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
        <FormBox
          of={removeViewForm(current.name)}
          visit={visit}
          params={{ list, place: String(current.place) }}
          compact
        />
      ) : (
        query !== '' && (
          <details>
            <summary>{words.save}</summary>
            <FormBox of={SAVE_VIEW} visit={visit} params={{ list }} values={{ query }} compact />
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

/** Gets the list that the address names, with its path. Throws 404. */
export function getAddressedList({ params }: DashboardVisit): { list: ListName; path: string } {
  const list = params.list ?? ''
  if (!Object.hasOwn(LIST_PATHS, list)) throw notFound('list')
  return { list: list as ListName, path: LIST_PATHS[list as ListName] } // It is one of the names.
}

/** Shows the form that saves a view again, with what was wrong. */
export const showRefusedView = async (visit: DashboardVisit, state: FormState): Promise<SurfaceReply> =>
  pageReply(
    words.title,
    <>
      <h1>{words.title}</h1>
      <FormBox of={SAVE_VIEW} visit={visit} state={state} params={{ list: getAddressedList(visit).list }} />
    </>,
    { status: state.status },
  )
