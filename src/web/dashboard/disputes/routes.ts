import { answerDispute } from '../../../selling/disputes/answer-dispute.ts'
import { closeDispute, getDispute } from '../../../selling/disputes/close-dispute.ts'
import { FieldFault } from '../../parts/forms/form-spec.ts'
import { formRoute, pageRoute } from '../../parts/routes/route.ts'
import { redirectDone } from '../../parts/routes/surface-reply.ts'
import { DISPUTES } from '../texts/disputes.ts'
import type { DashboardRoute } from '../visit.ts'
import { ANSWER_DISPUTE, CLOSE_DISPUTE, showDispute, showDisputes } from './dispute-pages.tsx'

/** Disputes of a merchant: the list, one with its answers, and the forms that answer and close it. */
export const DISPUTE_ROUTES: readonly DashboardRoute[] = [
  pageRoute('/disputes', showDisputes, 'read'),
  pageRoute('/disputes/:id', showDispute, 'read'),
  formRoute(ANSWER_DISPUTE, {
    async submit(visit, { says = '' }) {
      const { app, caller, merchant, params, once } = visit
      const { id } = await getDispute(app, caller, params.id ?? '')
      await answerDispute(app, caller, { merchant, id, says, ...(once && { once: once.key }) })
      return redirectDone(visit.to(`/disputes/${id}`), DISPUTES.answer.done)
    },
    showRefused: showDispute,
  }),
  formRoute(CLOSE_DISPUTE, {
    async submit(visit, { settled }) {
      const { app, caller, merchant, params } = visit
      const { id } = await getDispute(app, caller, params.id ?? '')
      if (settled !== 'yes') throw new FieldFault('settled', DISPUTES.settledMissing)
      await closeDispute(app, caller, { merchantId: merchant.id, id })
      return redirectDone(visit.to(`/disputes/${id}`), DISPUTES.done)
    },
    showRefused: showDispute,
  }),
]
