import { askNow } from '../../investigation/ask-now.ts'
import { endMark, markPayment } from '../../investigation/payment-marks.ts'
import { findPayment } from '../../investigation/read-payment.ts'
import { doneTo } from '../../pages/shown.ts'
import { PAYMENTS } from '../texts/payments.ts'
import { type ConsoleRoute, type ConsoleVisit, form, page } from '../visit.ts'
import { showPayments } from './list-page.tsx'
import { showParked } from './parked-page.tsx'
import { ASK, END_MARK, MARK, showPayment } from './payment-page.tsx'
import { showSearch } from './search-page.tsx'

const { marks, ask } = PAYMENTS.payment

const placeOf = ({ gateway, caller, params }: ConsoleVisit) => findPayment(gateway, caller, params.id ?? '')
const back = (visit: ConsoleVisit, doneText: string) =>
  doneTo(visit.to(`/payments/${visit.params.id ?? ''}`), doneText)

/** The pages and forms of payments of all merchants: search, list, one payment, and those that wait for an operator. */
export const PAYMENT_ROUTES: readonly ConsoleRoute[] = [
  page('/search', showSearch),
  page('/payments', showPayments),
  page('/payments/:id', (visit) => showPayment(visit)),
  page('/parked', showParked),
  form(ASK, {
    async submit(visit) {
      const { app, merchant, payment } = await placeOf(visit)
      await askNow(app, visit.caller, { merchantId: merchant.id, id: payment.row.id })
      return back(visit, ask.done)
    },
    again: showPayment,
  }),
  form(MARK, {
    async submit(visit, { says = '' }) {
      const { app, merchant, payment, caller } = await placeOf(visit)
      const subject = payment.row.id
      const key = { merchantId: merchant.id, tag: merchant.tag, mode: caller.mode, subject }
      await markPayment(app, visit.caller, { ...key, says })
      return back(visit, marks.marked)
    },
    again: showPayment,
  }),
  form(END_MARK, {
    async submit(visit, { says = '' }) {
      const { app, merchant } = await placeOf(visit)
      await endMark(app, visit.caller, { merchantId: merchant.id, subject: visit.params.id ?? '', says })
      return back(visit, marks.ended)
    },
    again: showPayment,
  }),
]
