import { oneLine } from '../../../platform/text/text.ts'
import { formatShillings } from '../../parts/wording.ts'
import type { MachineReport } from '../view.ts'
import { type CheckoutPage, pathOfPayment } from './page.ts'
import { formatPageTitle, formatUgandaTime, LargeAmount, RoundSign } from './parts.tsx'
import { CheckoutShell } from './shell.tsx'

/** The receipt. Right after the payment it links back to the merchant, who must not take this page as proof. */
export function ReceiptPage(page: CheckoutPage<'receipt'>) {
  const { view, setting, texts, shop } = page
  const forward = findForward(view)
  const { refund } = view
  const refunded = refund && texts.receipt.refunds[refund.state]
  const headline = refunded ? refunded.title : texts.receipt[view.look]
  return (
    <CheckoutShell
      setting={setting}
      title={formatPageTitle(headline, shop)}
      script="receipt.js"
      refresh={forward ? { seconds: forward.seconds, url: forward.url } : undefined}
    >
      <div class="sum">
        <RoundSign name={refund ? 'back' : 'done'} tone={refund ? undefined : 'good'} />
        <h1>{headline}</h1>
        <LargeAmount value={view.payment.amount} />
        <p class="about">{texts.receipt.to(shop)}</p>
      </div>
      {refunded && <p class="tip">{refunded.text(page.brief)}</p>}
      {refund && refund.state !== 'card' && view.payment.giftCard > 0 && <p class="tip">{texts.receipt.cardBack}</p>}
      {view.machine !== null && <p class="tip">{formatMachineReport(page, view.machine)}</p>}
      {forward ? <Forward {...page} {...forward} /> : <WayBack {...page} />}
      <Details {...page} />
      <Actions {...page} />
      <p class="hint">{texts.receipt.confirms(shop)}</p>
    </CheckoutShell>
  )
}

function formatMachineReport({ texts, brief }: CheckoutPage<'receipt'>, machine: MachineReport): string {
  if (machine.says !== 'partly') return texts.receipt.machine[machine.says](brief)
  const { delivered, products } = machine.delivered
  return texts.receipt.partly(brief, `${delivered}`, `${products}`)
}

function findForward(view: CheckoutPage<'receipt'>['view']): { url: string; seconds: number } | null {
  if (view.refund !== null || view.look !== 'fresh' || view.successUrl === null || view.forwardSeconds === null)
    return null
  return { url: view.successUrl, seconds: view.forwardSeconds }
}

function Forward({ texts, brief, url, seconds }: CheckoutPage<'receipt'> & { url: string; seconds: number }) {
  return (
    <div class="forward" id="onward" data-seconds={seconds}>
      <a class="go" id="forward" href={url} rel="noreferrer">
        {texts.receipt.goOn(brief)}
      </a>
      <p class="hint" aria-live="off" data-text={texts.receipt.forward('{seconds}')}>
        {texts.receipt.forward(`${seconds}`)}
      </p>
      <button class="second" type="button" id="stay" hidden>
        {texts.receipt.stay}
      </button>
    </div>
  )
}

function WayBack({ view, texts, brief }: CheckoutPage<'receipt'>) {
  if (view.look === 'printable' || view.successUrl === null) return null
  return (
    <a class="second" href={view.successUrl} rel="noreferrer">
      {texts.backTo(brief)}
    </a>
  )
}

function Details({ view, texts, shop }: CheckoutPage<'receipt'>) {
  const { payment } = view
  const { receipt } = texts
  const card = payment.giftCard > 0
  const rows: [string, string | null][] = [
    [receipt.shop, shop],
    [receipt.forWhat, payment.description && oneLine(payment.description)],
    [receipt.price, card ? formatShillings(payment.amount) : null],
    [receipt.giftCard, card ? `−${formatShillings(payment.giftCard)}` : null],
    [receipt.paidByPhone, card && payment.due > 0 ? formatShillings(payment.due) : null],
    [receipt.method, payment.due > 0 ? texts.methods[payment.method] : receipt.methodCard],
    [receipt.phone, payment.phone],
    [receipt.when, formatUgandaTime(view.paidAt)],
    [receipt.number, view.chargeId],
    [receipt.operatorNumber, view.operatorReference && oneLine(view.operatorReference)],
    [receipt.shopNumber, view.reference && oneLine(view.reference)],
  ]
  return (
    <dl aria-label={receipt.details}>
      {rows.map(([name, value]) =>
        value ? (
          <div>
            <dt>{name}</dt>
            <dd dir="auto">{name === receipt.number ? <small>{value}</small> : value}</dd>
          </div>
        ) : null,
      )}
    </dl>
  )
}

function Actions({ view, texts }: CheckoutPage<'receipt'>) {
  return (
    <div class="actions">
      <button class="text" type="button" id="print" hidden>
        {texts.receipt.print}
      </button>
      {view.look !== 'printable' && (
        <a class="text" href={pathOfPayment(view.payment, 'receipt')}>
          {texts.receipt.receipt}
        </a>
      )}
      <a class="text" href={pathOfPayment(view.payment, 'report')}>
        {texts.receipt.report}
      </a>
    </div>
  )
}
