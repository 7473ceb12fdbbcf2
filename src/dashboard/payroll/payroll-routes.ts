import { createdId } from '../../pages/created.ts'
import type { FormSpec, Values } from '../../pages/form-spec.ts'
import { onceOf } from '../../pages/route.ts'
import { doneTo } from '../../pages/shown.ts'
import { changeSchedule, type ScheduleChange } from '../../scheduled-payouts/change-schedule.ts'
import { requestSchedule } from '../../scheduled-payouts/request-schedule.ts'
import { pathOf } from '../payouts/prepared-page.tsx'
import { PAYROLL } from '../texts/payroll.ts'
import { type DashboardRoute, type DashboardVisit, form, page } from '../visit.ts'
import { CHECK, CREATE, PREPARE, scheduleOf, showNewSchedule } from './new-schedule.tsx'
import { showPayroll } from './payroll-list.tsx'
import { reviewSchedule, showReviewAgain, showReviewed } from './review-schedule.tsx'
import { CANCEL, PAUSE, RESUME, showSchedule } from './schedule-page.tsx'

const creates = {
  async submit(visit: DashboardVisit, values: Values) {
    const { app, caller, requestId } = visit
    const { note = '' } = values
    const input = scheduleOf(values)
    const request = { caller, requestId, input, note: note === '' ? null : note, ...onceOf(visit) }
    const id = createdId(await requestSchedule(app, request))
    const message = id.startsWith('prep_') ? PAYROLL.create.prepared : PAYROLL.create.done
    return doneTo(visit.to(pathOf(id)), message)
  },
  again: showReviewAgain,
}

const changes = (spec: FormSpec, change: ScheduleChange): DashboardRoute =>
  form(spec, {
    async submit(visit) {
      const { id } = await changeSchedule(visit.app, visit.caller, { id: visit.params.id ?? '', change })
      return doneTo(visit.to(`/payroll/${id}`), PAYROLL[change].done)
    },
    again: showSchedule,
  })

/** Payroll: the schedules with a forecast, a new one in two steps, one with its cycles. */
export const PAYROLL_ROUTES: readonly DashboardRoute[] = [
  page('/payroll', showPayroll, 'payouts.read'),
  page('/payroll/new', (visit) => showNewSchedule(visit), 'payout.prepare'),
  page(CHECK.path, showReviewed, 'payout.prepare'),
  page('/payroll/:id', (visit) => showSchedule(visit), 'payouts.read'),
  form(CHECK, { submit: reviewSchedule, again: showNewSchedule }),
  form(CREATE, creates),
  form(PREPARE, creates),
  changes(PAUSE, 'pause'),
  changes(RESUME, 'resume'),
  changes(CANCEL, 'cancel'),
]
