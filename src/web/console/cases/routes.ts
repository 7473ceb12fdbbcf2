import { answerCase, closeCase } from '../../../operations/cases/answer-case.ts'
import { getCaseOfAny } from '../../../operations/cases/read-cases.ts'
import { formRoute, getOnce, pageRoute } from '../../parts/routes/route.ts'
import { redirectDone } from '../../parts/routes/surface-reply.ts'
import { CASES } from '../texts/cases.ts'
import type { ConsoleRoute, ConsoleVisit } from '../visit.ts'
import { ANSWER_CASE, CLOSE_CASE, showCase, showCases } from './case-pages.tsx'

const getRoutedCase = ({ gateway, caller, params }: ConsoleVisit) => getCaseOfAny(gateway, caller, params.id ?? '')

/** What merchants have written to us: the list, one with its answers, and the forms that answer and close it. */
export const CASE_ROUTES: readonly ConsoleRoute[] = [
  pageRoute('/cases', showCases, 'console.read'),
  pageRoute('/cases/:id', showCase, 'console.read'),
  formRoute(ANSWER_CASE, {
    async submit(visit, { says = '' }) {
      const { app, merchant, supportCase } = await getRoutedCase(visit)
      const { id } = supportCase
      await answerCase(app, visit.caller, { merchant, id, says, once: getOnce(visit).key })
      return redirectDone(visit.to(`/cases/${id}`), CASES.page.sent)
    },
    showRefused: showCase,
  }),
  formRoute(CLOSE_CASE, {
    async submit(visit) {
      const { app, merchant, supportCase } = await getRoutedCase(visit)
      await closeCase(app, visit.caller, { merchant, id: supportCase.id })
      return redirectDone(visit.to('/cases'), CASES.page.closed)
    },
    showRefused: showCase,
  }),
]
