import { approvePrepared } from '../../../payments/payouts/prepared/approve-prepared.ts'
import { rejectPrepared, withdrawPrepared } from '../../../payments/payouts/prepared/end-prepared.ts'
import { lookUpPreparedHolders } from '../../../payments/payouts/prepared/look-up-prepared-holders.ts'
import { requestPayout } from '../../../payments/payouts/prepared/request-payout.ts'
import { approveSchedule } from '../../../payments/scheduled-payouts/request-schedule.ts'
import { exportPayouts } from '../../../reports/exports/export-money.ts'
import { getCreatedId } from '../../parts/created.ts'
import type { FormState, FormValues } from '../../parts/forms/form-spec.ts'
import { formRoute, getOnce, pageRoute } from '../../parts/routes/route.ts'
import { redirectDone } from '../../parts/routes/surface-reply.ts'
import { exportRoute } from '../lists/exports.tsx'
import { getObjectPath } from '../object-link.tsx'
import { PAYOUTS, PREPARED } from '../texts/payouts.ts'
import type { DashboardRoute, DashboardVisit } from '../visit.ts'
import {
  CHECK_PAYOUT,
  checkRecipient,
  PREPARE_PAYOUT,
  parsePayout,
  SEND_PAYOUT,
  showCheckedPayout,
  showNewPayout,
  showRefusedSending,
} from './new-payout.tsx'
import { EXPORT_PAYOUTS, readPayoutFilter, showPayouts } from './payout-list.tsx'
import { showPayout } from './payout-page.tsx'
import { showPreparedList } from './prepared-list.tsx'
import { APPROVE_PREPARED, REJECT_PREPARED, showPrepared, WITHDRAW_PREPARED } from './prepared-page.tsx'
import { LOOK_UP_PREPARED_WALLETS } from './prepared-recipients.tsx'

const sendHandlers = {
  async submit(visit: DashboardVisit, values: FormValues) {
    const { caller, requestId } = visit
    const note = values.note === '' ? null : (values.note ?? null)
    const input = parsePayout(values)
    const id = getCreatedId(await requestPayout(visit.app, { caller, requestId, note, input, ...getOnce(visit) }))
    const message = id.startsWith('prep_') ? PAYOUTS.create.prepared : PAYOUTS.create.sent
    return redirectDone(visit.to(getObjectPath(id)), message)
  },
  showRefused: showRefusedSending,
}
const showRefusedDecision = (visit: DashboardVisit, state: FormState) => showPrepared(visit, state)

/** Payouts: the list, a new one in two steps, one with its story, and what is prepared for a second person. */
export const PAYOUT_ROUTES: readonly DashboardRoute[] = [
  pageRoute('/payouts', showPayouts, 'payouts.read'),
  pageRoute('/payouts/new', showNewPayout, 'payout.prepare'),
  pageRoute(CHECK_PAYOUT.path, showCheckedPayout, 'payout.prepare'),
  pageRoute('/payouts/prepared', showPreparedList, 'payouts.read'),
  pageRoute('/payouts/prepared/:id', showPrepared, 'payouts.read'),
  pageRoute('/payouts/:id', showPayout, 'payouts.read'),
  exportRoute(EXPORT_PAYOUTS, {
    name: 'payouts',
    file: async (visit, reader) =>
      exportPayouts(visit.app, visit.caller, { filter: (await readPayoutFilter(visit)).filter, reader }),
    again: showPayouts,
  }),
  formRoute(CHECK_PAYOUT, { submit: checkRecipient, showRefused: showNewPayout }),
  formRoute(SEND_PAYOUT, sendHandlers),
  formRoute(PREPARE_PAYOUT, sendHandlers),
  formRoute(APPROVE_PREPARED, {
    async submit(visit) {
      const { app, caller, requestId, params } = visit
      const id = params.id ?? ''
      const answer = await approvePrepared(app, caller, { id, requestId, schedule: approveSchedule })
      return redirectDone(visit.to(getObjectPath(getCreatedId(answer))), PREPARED.approve.done)
    },
    showRefused: showRefusedDecision,
  }),
  formRoute(LOOK_UP_PREPARED_WALLETS, {
    async submit(visit) {
      const holders = await lookUpPreparedHolders(visit.app, visit.caller, visit.params.id ?? '')
      return showPrepared(visit, null, holders)
    },
    showRefused: showRefusedDecision,
  }),
  formRoute(REJECT_PREPARED, {
    async submit(visit, { reason = '' }) {
      const id = visit.params.id ?? ''
      await rejectPrepared(visit.app, visit.caller, { id, reason: reason === '' ? null : reason })
      return redirectDone(visit.to(`/payouts/prepared/${id}`), PREPARED.reject.done)
    },
    showRefused: showRefusedDecision,
  }),
  formRoute(WITHDRAW_PREPARED, {
    async submit(visit) {
      const id = visit.params.id ?? ''
      await withdrawPrepared(visit.app, visit.caller, { id, reason: null })
      return redirectDone(visit.to(`/payouts/prepared/${id}`), PREPARED.withdraw.done)
    },
    showRefused: showRefusedDecision,
  }),
]
