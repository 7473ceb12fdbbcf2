import { hearMonthCloses, stopMonthCloses } from '../../../reports/notices/month-close-readers.ts'
import { addNotice, stopNotice } from '../../../reports/notices/notice.ts'
import { getAmount } from '../../parts/forms/form-spec.ts'
import { formRoute, pageRoute } from '../../parts/routes/route.ts'
import { redirectDone } from '../../parts/routes/surface-reply.ts'
import { NOTICES } from '../texts/notices.ts'
import type { DashboardRoute } from '../visit.ts'
import { HEAR_MONTHS, STOP_MONTHS } from './month-switch.tsx'
import { ADD_NOTICE, STOP_NOTICE, showNotices } from './notices-page.tsx'
import { NOTICES_PATH } from './notices-path.ts'

const { add, month } = NOTICES

/** Settings, Notifications: the people without a login who get mails about payments. */
export const NOTICE_ROUTES: readonly DashboardRoute[] = [
  pageRoute(NOTICES_PATH, showNotices, 'shop.read'),
  formRoute(ADD_NOTICE, {
    async submit({ app, caller, merchant, to }, values) {
      const email = values.email ?? ''
      const wanted = {
        email,
        paymentsAbove: values.above === '' ? null : getAmount(values, 'above'),
        failures: values.failures === 'yes',
        dailyClose: values.close === 'yes',
      }
      await addNotice(app, caller, { merchant, input: wanted })
      return redirectDone(to(NOTICES_PATH), add.done(email))
    },
    showRefused: showNotices,
  }),
  formRoute(HEAR_MONTHS, {
    async submit({ app, caller, merchant, to }) {
      await hearMonthCloses(app, caller, merchant)
      return redirectDone(to(NOTICES_PATH), month.switchedOn)
    },
    showRefused: showNotices,
  }),
  formRoute(STOP_MONTHS, {
    async submit({ app, caller, merchant, to }) {
      await stopMonthCloses(app, caller, merchant)
      return redirectDone(to(NOTICES_PATH), month.switchedOff)
    },
    showRefused: showNotices,
  }),
  formRoute(STOP_NOTICE, {
    async submit({ app, caller, merchant, params, to }) {
      await stopNotice(app, caller, { merchant, id: params.id ?? '' })
      return redirectDone(to(NOTICES_PATH), NOTICES.stopped)
    },
    showRefused: showNotices,
  }),
]
