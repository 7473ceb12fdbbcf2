import { isolateDirection, oneLine } from '../../../platform/text/text.ts'
import { lineTotal } from '../../../selling/invoices/invoice.ts'
import { formatShillings } from '../../parts/wording.ts'
import { linkPath, paymentPath } from '../payment-path.ts'
import { INVOICE_TEXTS } from '../texts/invoices.ts'
import type { CheckoutPage } from './page.ts'
import { formatPageTitle, formatUgandaTime, MerchantText, RoundSign } from './parts.tsx'
import { CheckoutShell } from './shell.tsx'

const formatDay = (at: Date): string => formatUgandaTime(at).replace(/ .*/, '')

/** What the link is an invoice of: number, customer, lines and due day, before the customer pays. */
export function InvoiceBox({ view, setting }: CheckoutPage<'pay'>) {
  const { invoice, amount } = view
  if (invoice === null) return null
  const texts = INVOICE_TEXTS[setting.language]
  const rows: [string, string | null][] = [
    [texts.number, invoice.number],
    [texts.to, invoice.name && oneLine(invoice.name)],
    [invoice.isLate ? texts.wasDue : texts.due, formatDay(invoice.dueOn)],
    ...invoice.lines.map((line): [string, string] => [
      `${line.quantity} × ${isolateDirection(oneLine(line.description))}`,
      formatShillings(lineTotal(line)),
    ]),
    [texts.total, formatShillings(amount)],
  ]
  return (
    <>
      <dl aria-label={texts.number}>
        {rows.map(([name, value]) =>
          value ? (
            <div>
              <dt>{name}</dt>
              <dd dir="auto">{value}</dd>
            </div>
          ) : null,
        )}
      </dl>
      <MerchantText text={invoice.note && oneLine(invoice.note)} />
    </>
  )
}

/** The page to which the mails about an invoice lead: it ends them. */
export function MailsPage({ view, setting, shop }: CheckoutPage<'mails'>) {
  const { mails } = INVOICE_TEXTS[setting.language]
  return (
    <CheckoutShell setting={setting} title={formatPageTitle(mails.title, shop)}>
      <div class="sum">
        {view.stopped && <RoundSign name="done" tone="good" />}
        <h1>{mails.title}</h1>
        <p class="about">{view.stopped ? mails.stopped(shop) : mails.asks(shop)}</p>
      </div>
      {!view.stopped && (
        <form method="post" action={paymentPath(view.linkId, 'mails')}>
          <input type="hidden" name="key" value={view.key} />
          <button type="submit" class="go">
            {mails.stop}
          </button>
        </form>
      )}
      <a class="second" href={linkPath(view.linkId)}>
        {mails.open}
      </a>
    </CheckoutShell>
  )
}
