import { removeView, saveView } from '../../../merchants/saved-views/saved-views.ts'
import { formRoute } from '../../parts/routes/route.ts'
import { redirectDone } from '../../parts/routes/surface-reply.ts'
import { LISTS } from '../texts/lists.ts'
import type { DashboardRoute } from '../visit.ts'
import { getAddressedList, MAX_QUERY_CHARACTERS, removeViewForm, SAVE_VIEW, showRefusedView } from './saved-views.tsx'

const { views: words } = LISTS

/** Rewrites a query from its names and values: a saved query becomes part of a link, so it must hold nothing else. */
const rewriteQuery = (query: string) => new URLSearchParams(query.slice(0, MAX_QUERY_CHARACTERS)).toString()

/** The forms that save and remove views. */
export const VIEW_ROUTES: readonly DashboardRoute[] = [
  formRoute(SAVE_VIEW, {
    async submit(visit, { name = '', query = '' }) {
      const { list, path } = getAddressedList(visit)
      const savedQuery = rewriteQuery(query)
      if (savedQuery === '') return redirectDone(visit.to(path), words.nothing)
      await saveView(visit.app, visit.caller, { list, name, query: savedQuery })
      return redirectDone(`${visit.to(path)}?${savedQuery}`, words.saved(name))
    },
    showRefused: showRefusedView,
  }),
  formRoute(removeViewForm(''), {
    async submit(visit) {
      const { list, path } = getAddressedList(visit)
      const position = /^[0-9]{1,2}$/.test(visit.params.place ?? '') ? Number(visit.params.place) : 0
      await removeView(visit.app, visit.caller, { list, place: position })
      return redirectDone(visit.to(path), words.removed)
    },
    showRefused: async (visit) => redirectDone(visit.to(getAddressedList(visit).path)),
  }),
]
