import { shown, ugx } from '../../pages/wording.ts'
import type { FormFault } from '../view.ts'
import type { Page } from './page.ts'
import { Fault, Field, Input, Summary } from './parts.tsx'

const VOUCHER_FAULTS: readonly (FormFault | null)[] = [
  'voucher',
  'voucher_changed',
  'voucher_lost',
  'voucher_closed',
]

/** Faults that stand with the gift card and not with the payment. */
export const isVoucherFault = (fault: FormFault | null) => VOUCHER_FAULTS.includes(fault)

/** The price before the gift card: struck through, and read out by screen readers. */
export function PriceBefore({ view, texts }: Page<'pay'>) {
  if (!view.voucher?.applied) return null
  return (
    <p class="before">
      <span class="ear">{texts.pay.priceBefore} </span>
      <s>{ugx(view.amount)}</s>
    </p>
  )
}

/** The gift card of the page. It has a form of its own, so that a wrong code never sends a payment. */
export function VoucherBox(page: Page<'pay'>) {
  const { view, texts } = page
  const fault = isVoucherFault(view.fault) && view.fault ? texts.faults[view.fault] : null
  if (!view.voucher) return <Fault text={fault} />
  if (!view.voucher.applied) return <CodeForm {...page} fault={fault} typed={view.voucher.typed} />
  return (
    <>
      <Fault text={fault} />
      <AppliedCard {...page} />
    </>
  )
}

const applyPath = ({ view }: Page<'pay'>) => `/pay/${view.linkId}/apply-voucher`

function CodeForm({ fault, typed, ...page }: Page<'pay'> & { fault: string | null; typed: string }) {
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
              value={shown(typed)}
            />
            <button type="submit">{texts.pay.apply}</button>
          </div>
        </Field>
      </form>
    </details>
  )
}

function AppliedCard(page: Page<'pay'>) {
  const { view, texts } = page
  const card = view.voucher?.applied
  if (!card) return null
  return (
    <form class="applied" method="post" action={applyPath(page)}>
      <p>
        <span>{texts.pay.giftCard(card.last4)}</span>
        <strong>−{ugx(card.applied)}</strong>
        {card.kept > 0 && <small>{texts.pay.kept(ugx(card.kept))}</small>}
      </p>
      <input type="hidden" name="code" value="" />
      <button
        type="submit"
        class="text"
        name="remove"
        value="1"
        aria-label={texts.pay.removeCard(card.last4)}
      >
        {texts.pay.remove}
      </button>
    </form>
  )
}
