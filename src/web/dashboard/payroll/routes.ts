import { changeSchedule, type ScheduleChange } from '../../../payments/scheduled-payouts/change-schedule.ts'
import { requestSchedule } from '../../../payments/scheduled-payouts/request-schedule.ts'
import { getCreatedId } from '../../parts/created.ts'
import type { FormSpec, FormValues } from '../../parts/forms/form-spec.ts'
import { formRoute, getOnce, pageRoute } from '../../parts/routes/route.ts'
import { redirectDone } from '../../parts/routes/surface-reply.ts'
import { getObjectPath } from '../object-link.tsx'
import { PAYROLL } from '../texts/payroll.ts'
import type { DashboardRoute, DashboardVisit } from '../visit.ts'
import { CHECK_SCHEDULE, CREATE_SCHEDULE, PREPARE_SCHEDULE, parseSchedule, showNewSchedule } from './new-schedule.tsx'
import { showPayroll } from './payroll-list.tsx'
import { reviewSchedule, showRefusedReview, showReviewedSchedule } from './review-schedule.tsx'
import { CANCEL_SCHEDULE, PAUSE_SCHEDULE, RESUME_SCHEDULE, showSchedule } from './schedule-page.tsx'

const createHandlers = {
  async submit(visit: DashboardVisit, values: FormValues) {
    const { app, caller, requestId } = visit
    const { note = '' } = values
    const input = parseSchedule(values)
    const request = { caller, requestId, input, note: note === '' ? null : note, ...getOnce(visit) }
    const id = getCreatedId(await requestSchedule(app, request))
    const message = id.startsWith('prep_') ? PAYROLL.create.prepared : PAYROLL.create.done
    return redirectDone(visit.to(getObjectPath(id)), message)
  },
  showRefused: showRefusedReview,
}

const changeRoute = (spec: FormSpec, change: ScheduleChange): DashboardRoute =>
  formRoute(spec, {
    async submit(visit) {
      const { id } = await changeSchedule(visit.app, visit.caller, { id: visit.params.id ?? '', change })
      return redirectDone(visit.to(`/payroll/${id}`), PAYROLL[change].done)
    },
    showRefused: showSchedule,
  })

/** Payroll: the schedules with a forecast, a new one in two steps, one with its cycles. */
export const PAYROLL_ROUTES: readonly DashboardRoute[] = [
  pageRoute('/payroll', showPayroll, 'payouts.read'),
  pageRoute('/payroll/new', showNewSchedule, 'payout.prepare'),
  pageRoute(CHECK_SCHEDULE.path, showReviewedSchedule, 'payout.prepare'),
  pageRoute('/payroll/:id', showSchedule, 'payouts.read'),
  formRoute(CHECK_SCHEDULE, { submit: reviewSchedule, showRefused: showNewSchedule }),
  formRoute(CREATE_SCHEDULE, createHandlers),
  formRoute(PREPARE_SCHEDULE, createHandlers),
  changeRoute(PAUSE_SCHEDULE, 'pause'),
  changeRoute(RESUME_SCHEDULE, 'resume'),
  changeRoute(CANCEL_SCHEDULE, 'cancel'),
]
