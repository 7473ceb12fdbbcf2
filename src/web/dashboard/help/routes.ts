import { getCase } from '../../../operations/cases/read-cases.ts'
import { openCase, writeToCase } from '../../../operations/cases/write-case.ts'
import { formRoute, getOnce, pageRoute } from '../../parts/routes/route.ts'
import { redirectDone } from '../../parts/routes/surface-reply.ts'
import { HELP } from '../texts/help.ts'
import type { DashboardRoute } from '../visit.ts'
import { OPEN_CASE, WRITE_AGAIN } from './help-forms.ts'
import { showCase, showHelp, showWrite } from './help-pages.tsx'

/** How to reach us, and the cases that the merchant has written to us about. */
export const HELP_ROUTES: readonly DashboardRoute[] = [
  pageRoute('/help', showHelp, 'read'),
  pageRoute('/help/new', showWrite, 'read'),
  pageRoute('/help/:id', showCase, 'read'),
  formRoute(OPEN_CASE, {
    async submit(visit, { message = '', from = '', ref = '' }) {
      const once = getOnce(visit).key
      const { id } = await openCase(visit.app, visit.caller, { says: message, page: from, reference: ref, once })
      return redirectDone(visit.to(`/help/${id}`), HELP.write.done)
    },
    showRefused: showWrite,
  }),
  formRoute(WRITE_AGAIN, {
    async submit(visit, { message = '' }) {
      const { id } = (await getCase(visit.app, visit.caller, visit.params.id ?? '')).supportCase
      await writeToCase(visit.app, visit.caller, { id, says: message, once: getOnce(visit).key })
      return redirectDone(visit.to(`/help/${id}`), HELP.page.done)
    },
    showRefused: showCase,
  }),
]
