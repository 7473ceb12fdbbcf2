import { mailInvoice, markInvoiceSent, setReminders } from '../../../selling/invoices/change-invoice.ts'
import { createInvoice } from '../../../selling/invoices/create-invoice.ts'
import { getInvoice } from '../../../selling/invoices/find-invoices.ts'
import { forgetInvoiceCustomer } from '../../../selling/invoices/forget-invoices.ts'
import { formatInvoiceNumber } from '../../../selling/invoices/invoice.ts'
import { switchLink } from '../../../selling/payment-links/switch-link.ts'
import { getCreatedId } from '../../parts/created.ts'
import { formRoute, getOnce, pageRoute } from '../../parts/routes/route.ts'
import { redirectDone, type SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { INVOICES } from '../texts/invoices.ts'
import type { DashboardRoute, DashboardVisit } from '../visit.ts'
import { showInvoices } from './invoice-list.tsx'
import { CANCEL_INVOICE, FORGET_INVOICE, MARK_INVOICE, REOPEN_INVOICE, showInvoice } from './invoice-page.tsx'
import { MAIL_INVOICE, REMINDERS_OFF, REMINDERS_ON, showInvoiceMail } from './mails-box.tsx'
import { NEW_INVOICE, parseNewInvoice, showNewInvoice } from './new-invoice.tsx'
import { showInvoicePaper } from './print-page.tsx'

const { create, share, mails, cancel, data } = INVOICES

/** What the shop asks single customers to pay by a day. */
export const INVOICE_ROUTES: readonly DashboardRoute[] = [
  pageRoute('/invoices', showInvoices, 'read'),
  pageRoute(NEW_INVOICE.path, showNewInvoice, NEW_INVOICE.action),
  pageRoute('/invoices/:id', showInvoice, 'read'),
  pageRoute('/invoices/:id/print', showInvoicePaper, 'read'),
  pageRoute('/invoices/:id/mail', showInvoiceMail, 'read'),
  formRoute(NEW_INVOICE, {
    async submit(visit, values) {
      const { app, caller, requestId } = visit
      const given = parseNewInvoice(values)
      const answer = await createInvoice(app, { caller, requestId, given, idempotency: getOnce(visit) })
      const { id, number } = await getInvoice(app, caller, getCreatedId(answer))
      return redirectDone(visit.to(`/invoices/${id}`), create.done(formatInvoiceNumber(number)))
    },
    showRefused: showNewInvoice,
  }),
  formRoute(MARK_INVOICE, {
    submit: (visit) => submit(visit, share.marked, (id) => markInvoiceSent(visit.app, visit.caller, id)),
    showRefused: showInvoice,
  }),
  formRoute(MAIL_INVOICE, {
    submit: (visit) => submit(visit, mails.sending, (id) => mailInvoice(visit.app, visit.caller, id)),
    showRefused: showInvoice,
  }),
  formRoute(REMINDERS_ON, {
    submit: (visit) => submit(visit, mails.isOn, (id) => setReminders(visit.app, visit.caller, { id, on: true })),
    showRefused: showInvoice,
  }),
  formRoute(REMINDERS_OFF, {
    submit: (visit) => submit(visit, mails.isOff, (id) => setReminders(visit.app, visit.caller, { id, on: false })),
    showRefused: showInvoice,
  }),
  formRoute(CANCEL_INVOICE, {
    submit: (visit) => submit(visit, cancel.done, (id) => switchOwn(visit, id, 'off')),
    showRefused: showInvoice,
  }),
  formRoute(REOPEN_INVOICE, {
    submit: (visit) => submit(visit, cancel.again, (id) => switchOwn(visit, id, 'on')),
    showRefused: showInvoice,
  }),
  formRoute(FORGET_INVOICE, {
    submit: (visit) => submit(visit, data.forgotten, (id) => forgetInvoiceCustomer(visit.app, visit.caller, id)),
    showRefused: showInvoice,
  }),
]

/** Does something with the visited invoice, and shows it again. */
async function submit(
  visit: DashboardVisit,
  done: string,
  act: (id: string) => Promise<unknown>,
): Promise<SurfaceReply> {
  const { id } = await getInvoice(visit.app, visit.caller, visit.params.id ?? '')
  await act(id)
  return redirectDone(visit.to(`/invoices/${id}`), done)
}

const switchOwn = ({ app, caller, merchant }: DashboardVisit, id: string, to: 'on' | 'off') =>
  switchLink(app, caller, { owner: merchant, id, to })
