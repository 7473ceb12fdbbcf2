import { oneLine } from '../../../platform/text/text.ts'
import { formatShillings } from '../../parts/wording.ts'
import { paymentPath } from '../payment-path.ts'
import type { FormFault } from '../view.ts'
import type { CheckoutPage } from './page.ts'
import { FaultMessage, Field, Input, Summary } from './parts.tsx'

const VOUCHER_FAULTS: readonly (FormFault | null)[] = ['voucher', 'voucher_changed', 'voucher_lost', 'voucher_closed']

/** Faults that stand with the gift card and not with the payment. */
export const isVoucherFault = (fault: FormFault | null) => VOUCHER_FAULTS.includes(fault)

/** The price before the gift card: struck through, and read out by screen readers. */
export function PriceBefore({ view, texts }: CheckoutPage<'pay'>) {
  if (!view.voucher?.applied) return null
  return (
    <p class="before">
      <span class="ear">{texts.pay.priceBefore} </span>
      <s>{formatShillings(view.amount)}</s>
    </p>
  )
}

/** The gift card of the page. It has a form of its own, so that a wrong code never sends a payment. */
export function VoucherBox(page: CheckoutPage<'pay'>) {
  const { view, texts } = page
  const fault = isVoucherFault(view.fault) && view.fault ? texts.faults[view.fault] : null
  if (!view.voucher) return <FaultMessage text={fault} />
  if (!view.voucher.applied) return <CodeForm {...page} fault={fault} typed={view.voucher.typed} />
  return (
    <>
      <FaultMessage text={fault} />
      <AppliedCard {...page} />
    </>
  )
}

const applyPath = ({ view }: CheckoutPage<'pay'>) => paymentPath(view.linkId, 'apply-voucher')

function CodeForm({ fault, typed, ...page }: CheckoutPage<'pay'> & { fault: string | null; typed: string }) {
  const { texts } = page
  return (
    <details class="line" open={fault !== null}>
      <Summary text={texts.pay.haveCard} />
      <form method="post" action={applyPath(page)} data-moment={texts.pay.oneMoment}>
        <Field id="code" label={texts.pay.code} fault={fault}>
          <div class="row">
            <Input
              name="code"
              notes={{ fault }}
              autocomplete="off"
              autocapitalize="characters"
              spellcheck={false}
              maxlength={64}
              required
              value={oneLine(typed)}
            />
            <button type="submit">{texts.pay.apply}</button>
          </div>
        </Field>
      </form>
    </details>
  )
}

function AppliedCard(page: CheckoutPage<'pay'>) {
  const { view, texts } = page
  const card = view.voucher?.applied
  if (!card) return null
  return (
    <form class="applied" method="post" action={applyPath(page)}>
      <p>
        <span>{texts.pay.giftCard(card.last4)}</span>
        <strong>−{formatShillings(card.applied)}</strong>
        {card.kept > 0 && <small>{texts.pay.kept(formatShillings(card.kept))}</small>}
      </p>
      <input type="hidden" name="code" value="" />
      <button type="submit" class="text" name="remove" value="1" aria-label={texts.pay.removeCard(card.last4)}>
        {texts.pay.remove}
      </button>
    </form>
  )
}
