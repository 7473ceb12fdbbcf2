import type { Caller } from '../../../../src/api/access/actor.ts'
import type { App } from '../../../../src/program/app.ts'
import { recordInvoiceSent } from '../../../../src/selling/invoices/change-invoice.ts'
import { createInvoice } from '../../../../src/selling/invoices/create-invoice.ts'
import { addInvoiceMail, endInvoiceMail } from '../../../../src/selling/invoices/invoice-mails.ts'
import { addMailStop } from '../../../../src/selling/invoices/mail-stops.ts'
import { TAGS } from '../names.ts'
import { write } from '../world-charges.ts'

/** Two live invoices, of which one was mailed and is going to be reminded of, and one of test mode. */
export async function sendInvoices(app: App): Promise<void> {
  const due = new Date(app.clock.nowMs() + 10 * 86_400_000).toISOString().slice(0, 10)
  const given = {
    ...{ name: 'Akello', phone: '0772000001', email: 'akello@buyer.example', due, note: '', reminds: true },
    lines: [
      { description: 'Cement', quantity: '2', price: '20000' },
      { description: 'Delivery', quantity: '', price: '5000' },
    ],
  }
  const make = async (mode: 'test' | 'live') => {
    const person = { kind: 'person', role: 'owner', confirmed: true, heldUntil: null, factorAgeMs: 0 }
    const caller = { ...person, merchantId: 1, tag: TAGS[1], mode } as unknown as Caller
    return (await createInvoice(app, { caller, requestId: 'req_1', given, idempotency: null })).objectId ?? ''
  }
  const invoiceId = await make('live')
  await make('live')
  await make('test')
  const at = app.clock.now()
  const mail = { merchantId: 1, invoiceId, kind: 'invoice', seq: 1, dueAt: at } as const
  await write(
    app.db,
    addInvoiceMail(mail),
    endInvoiceMail(mail, { outcome: 'written', at }),
    recordInvoiceSent(1, invoiceId, at),
    addMailStop(1, Buffer.alloc(32, 1), at),
  )
}
