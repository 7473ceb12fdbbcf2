import { askNow } from '../../../operations/investigation/ask-now.ts'
import { endMark, markPayment } from '../../../operations/investigation/payment-marks.ts'
import { getPayment } from '../../../operations/investigation/read-payment.ts'
import { formRoute, pageRoute } from '../../parts/routes/route.ts'
import { redirectDone } from '../../parts/routes/surface-reply.ts'
import { PAYMENTS } from '../texts/payments.ts'
import type { ConsoleRoute, ConsoleVisit } from '../visit.ts'
import { showParked } from './parked-page.tsx'
import { ASK_NOW_FORM, END_MARK_FORM, MARK_FORM, showPayment } from './payment-page.tsx'
import { showPayments } from './payments-page.tsx'
import { showSearch } from './search-page.tsx'

const { marks, ask } = PAYMENTS.payment

const getRoutedPayment = ({ gateway, caller, params }: ConsoleVisit) => getPayment(gateway, caller, params.id ?? '')
const redirectToPaymentPage = (visit: ConsoleVisit, doneText: string) =>
  redirectDone(visit.to(`/payments/${visit.params.id ?? ''}`), doneText)

/** The pages and forms of payments of all merchants: search, list, one payment, and those that wait for an operator. */
export const PAYMENT_ROUTES: readonly ConsoleRoute[] = [
  pageRoute('/search', showSearch, 'console.read'),
  pageRoute('/payments', showPayments, 'console.read'),
  pageRoute('/payments/:id', showPayment, 'console.read'),
  pageRoute('/parked', showParked, 'console.read'),
  formRoute(ASK_NOW_FORM, {
    async submit(visit) {
      const { app, merchant, payment } = await getRoutedPayment(visit)
      await askNow(app, visit.caller, { merchantId: merchant.id, id: payment.row.id })
      return redirectToPaymentPage(visit, ask.done)
    },
    showRefused: showPayment,
  }),
  formRoute(MARK_FORM, {
    async submit(visit, { says = '' }) {
      const { app, merchant, payment, caller } = await getRoutedPayment(visit)
      const subject = payment.row.id
      const key = { merchantId: merchant.id, tag: merchant.tag, mode: caller.mode, subject }
      await markPayment(app, visit.caller, { ...key, says })
      return redirectToPaymentPage(visit, marks.marked)
    },
    showRefused: showPayment,
  }),
  formRoute(END_MARK_FORM, {
    async submit(visit, { says = '' }) {
      const { app, merchant } = await getRoutedPayment(visit)
      await endMark(app, visit.caller, { merchantId: merchant.id, subject: visit.params.id ?? '', says })
      return redirectToPaymentPage(visit, marks.ended)
    },
    showRefused: showPayment,
  }),
]
