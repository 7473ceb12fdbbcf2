import { createdId } from '../../pages/created.ts'
import type { FormState, Values } from '../../pages/form-spec.ts'
import { onceOf } from '../../pages/route.ts'
import { doneTo } from '../../pages/shown.ts'
import { approvePrepared } from '../../payouts/prepared/approve-prepared.ts'
import { rejectPrepared, withdrawPrepared } from '../../payouts/prepared/end-prepared.ts'
import { holdersOfPrepared } from '../../payouts/prepared/holders-of-prepared.ts'
import { requestPayout } from '../../payouts/prepared/request-payout.ts'
import { exportPayouts } from '../../reports/exports/export-payouts.ts'
import { approveSchedule } from '../../scheduled-payouts/request-schedule.ts'
import { exportRoute } from '../lists/exports.tsx'
import { PAYOUTS, PREPARED } from '../texts/payouts.ts'
import { type DashboardRoute, type DashboardVisit, form, page } from '../visit.ts'
import {
  CHECK,
  checkRecipient,
  PREPARE,
  payoutOf,
  SEND,
  showChecked,
  showNewPayout,
  showSendingAgain,
} from './new-payout.tsx'
import { EXPORT, payoutFilter, showPayouts } from './payout-list.tsx'
import { showPayout } from './payout-page.tsx'
import { showPreparedList } from './prepared-list.tsx'
import { APPROVE, pathOf, REJECT, showPrepared, WITHDRAW } from './prepared-page.tsx'
import { NAMES } from './prepared-recipients.tsx'

const sends = {
  async submit(visit: DashboardVisit, values: Values) {
    const { caller, requestId } = visit
    const note = values.note === '' ? null : (values.note ?? null)
    const input = payoutOf(values)
    const id = createdId(await requestPayout(visit.app, { caller, requestId, note, input, ...onceOf(visit) }))
    const message = id.startsWith('prep_') ? PAYOUTS.create.prepared : PAYOUTS.create.sent
    return doneTo(visit.to(pathOf(id)), message)
  },
  again: showSendingAgain,
}
const showPreparedAgain = (visit: DashboardVisit, state: FormState) => showPrepared(visit, state)

/** Payouts: the list, a new one in two steps, one with its story, and what is prepared for a second person. */
export const PAYOUT_ROUTES: readonly DashboardRoute[] = [
  page('/payouts', (visit) => showPayouts(visit), 'payouts.read'),
  page('/payouts/new', (visit) => showNewPayout(visit), 'payout.prepare'),
  page(CHECK.path, showChecked, 'payout.prepare'),
  page('/payouts/prepared', (visit) => showPreparedList(visit), 'payouts.read'),
  page('/payouts/prepared/:id', (visit) => showPrepared(visit), 'payouts.read'),
  page('/payouts/:id', (visit) => showPayout(visit), 'payouts.read'),
  exportRoute(EXPORT, {
    name: 'payouts',
    file: ({ app, caller, query }) => exportPayouts(app, caller, payoutFilter(query)),
    again: showPayouts,
  }),
  form(CHECK, { submit: checkRecipient, again: showNewPayout }),
  form(SEND, sends),
  form(PREPARE, sends),
  form(APPROVE, {
    async submit(visit) {
      const { app, caller, requestId, params } = visit
      const id = params.id ?? ''
      const answer = await approvePrepared(app, caller, { id, requestId, schedule: approveSchedule })
      return doneTo(visit.to(pathOf(createdId(answer))), PREPARED.approve.done)
    },
    again: showPreparedAgain,
  }),
  form(NAMES, {
    async submit(visit) {
      const holders = await holdersOfPrepared(visit.app, visit.caller, visit.params.id ?? '')
      return showPrepared(visit, null, holders)
    },
    again: showPreparedAgain,
  }),
  form(REJECT, {
    async submit(visit, { reason = '' }) {
      const id = visit.params.id ?? ''
      await rejectPrepared(visit.app, visit.caller, { id, reason: reason === '' ? null : reason })
      return doneTo(visit.to(`/payouts/prepared/${id}`), PREPARED.reject.done)
    },
    again: showPreparedAgain,
  }),
  form(WITHDRAW, {
    async submit(visit) {
      const id = visit.params.id ?? ''
      await withdrawPrepared(visit.app, visit.caller, { id, reason: null })
      return doneTo(visit.to(`/payouts/prepared/${id}`), PREPARED.withdraw.done)
    },
    again: showPreparedAgain,
  }),
]
