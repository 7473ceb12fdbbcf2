import { oneLine } from '../../../platform/text/text.ts'
import { NUMBER_RANGES } from '../../../rails/number-ranges.ts'
import { formatShillings } from '../../parts/wording.ts'
import { paymentPath } from '../payment-path.ts'
import type { Texts } from '../texts/texts.ts'
import type { FormFault, Method, PayView } from '../view.ts'
import { InvoiceBox } from './invoice.tsx'
import type { CheckoutPage } from './page.ts'
import {
  BackLink,
  CheckoutIcon,
  FaultMessage,
  formatPageTitle,
  InputField,
  LargeAmount,
  MerchantText,
  Summary,
} from './parts.tsx'
import { CheckoutShell } from './shell.tsx'
import { isVoucherFault, PriceBefore, VoucherBox } from './voucher.tsx'

/** The form: who is paid, how much, from which phone. One button. */
export function PayPage(page: CheckoutPage<'pay'>) {
  const { view, setting, texts, shop } = page
  const title = formatPageTitle(`${texts.pay.title(shop)}, ${formatShillings(dueAfterCard(page))}`, '').replace(
    / · $/,
    '',
  )
  return (
    <CheckoutShell
      setting={setting}
      title={view.fault || view.otherOperator ? texts.faultTitle(title) : title}
      script="pay.js"
    >
      <Price {...page} />
      <InvoiceBox {...page} />
      <VoucherBox {...page} />
      <PayForm {...page} />
      <BackLink url={view.cancelUrl} text={texts.pay.cancel(page.brief)} />
    </CheckoutShell>
  )
}

const dueAfterCard = ({ view }: CheckoutPage<'pay'>) => view.voucher?.applied?.due ?? view.amount

function Price(page: CheckoutPage<'pay'>) {
  const { view, texts, shop } = page
  const due = dueAfterCard(page)
  return (
    <div class="sum">
      <h1>{texts.pay.title(shop)}</h1>
      <PriceBefore {...page} />
      <LargeAmount value={due} />
      <MerchantText text={view.description && oneLine(view.description)} />
      <p class="note">{due === 0 ? texts.pay.covered : texts.pay.noFee(formatShillings(due))}</p>
    </div>
  )
}

function PayForm(page: CheckoutPage<'pay'>) {
  const { view, texts } = page
  const due = dueAfterCard(page)
  const isCovered = due === 0
  const { fault } = view
  const hasField = isPhoneFault(fault) || fault === 'email' || fault === 'method' || isVoucherFault(fault)
  return (
    <form
      method="post"
      action={paymentPath(view.linkId, 'submit')}
      data-moment={texts.pay.oneMoment}
      data-operators={isCovered ? undefined : OPERATOR_HINTS}
    >
      <input type="hidden" name="token" value={view.token} />
      <FaultMessage text={fault && !hasField ? texts.faults[fault] : null} />
      <Methods {...page} />
      {!isCovered && <Phone {...page} />}
      <Email {...page} />
      <button type="submit" class="go">
        {isCovered ? texts.pay.useCard : texts.pay.button(formatShillings(due))}
      </button>
      {view.otherOperator !== null && (
        <button type="submit" name="sure" value={view.otherOperator.sure}>
          {texts.pay.numberIs(texts.methods[view.otherOperator.chosen])}
        </button>
      )}
      {!isCovered && (
        <p class="safe">
          <CheckoutIcon name="lock" />
          <span>{texts.pay.pin}</span>
        </p>
      )}
    </form>
  )
}

const chooseMethod = ({ methods, typed }: CheckoutPage<'pay'>['view']): Method | undefined =>
  typed.method !== null && methods.includes(typed.method) ? typed.method : methods[0]

function Methods({ view, texts }: CheckoutPage<'pay'>) {
  const chosen = chooseMethod(view)
  const fault = findFaultText('method', view.fault, texts.faults)
  if (view.methods.length < 2 || view.voucher?.applied?.due === 0)
    return (
      <>
        <FaultMessage text={fault} />
        <input type="hidden" name="channel" value={chosen} data-name={chosen && texts.methods[chosen]} />
      </>
    )
  return (
    <fieldset aria-describedby={fault ? 'method-fault' : undefined}>
      <legend>{texts.pay.method}</legend>
      <FaultMessage text={fault} id="method-fault" />
      {view.methods.map((method) => (
        <label class="choice">
          <input
            type="radio"
            name="channel"
            value={method}
            checked={method === chosen}
            data-name={texts.methods[method]}
          />
          <span>
            {texts.methods[method]}
            {view.testOnly.includes(method) && <small class="hint"> {texts.test.only}</small>}
          </span>
        </label>
      ))}
    </fieldset>
  )
}

function Phone({ view, texts }: CheckoutPage<'pay'>) {
  const only = view.methods.length === 1 && view.methods[0] ? texts.methods[view.methods[0]] : null
  return (
    <InputField
      name="phone"
      label={texts.pay.phone(only)}
      hint={texts.pay.phoneHint}
      fault={isPhoneFault(view.fault) ? texts.faults[view.fault] : sayOtherOperator(view, texts)}
      type="tel"
      class="digits"
      inputmode="tel"
      autocomplete="tel"
      maxlength={24}
      required
      value={view.typed.phone}
    >
      {view.otherOperator === null && (
        <p
          class="badge"
          id="operator"
          aria-live="polite"
          data-op1_momo={texts.methods.op1_momo}
          data-op2_money={texts.methods.op2_money}
          data-same={texts.pay.looksLike('{operator}')}
          data-other={texts.pay.looksOther('{operator}', '{chosen}')}
        />
      )}
    </InputField>
  )
}

function sayOtherOperator({ otherOperator, methods }: PayView, { methods: names, pay }: Texts): string | null {
  if (otherOperator === null) return null
  const { operator, chosen } = otherOperator
  const says = pay.otherNumber(names[operator], names[chosen])
  return methods.includes(operator) ? `${says} ${pay.orChoose(names[operator])}` : says
}

function Email({ view, texts, brief }: CheckoutPage<'pay'>) {
  const fault = findFaultText('email', view.fault, texts.faults)
  return (
    <details open={view.typed.email !== '' || fault !== null}>
      <Summary text={texts.pay.addEmail} />
      <InputField
        name="email"
        label={texts.pay.email}
        hint={texts.pay.emailHint(brief)}
        fault={fault}
        type="email"
        autocomplete="email"
        maxlength={254}
        value={view.typed.email}
      />
    </details>
  )
}

const isPhoneFault = (fault: FormFault | null) => fault === 'phone' || fault === 'landline'

const findFaultText = (ofField: FormFault, fault: FormFault | null, faults: Record<FormFault, string>) =>
  fault === ofField ? faults[ofField] : null

/** The ranges as text for the script of the form: `op1_momo:76,77;op2_money:70`. */
const OPERATOR_HINTS = Object.entries(NUMBER_RANGES)
  .map(([operator, prefixes]) => `${operator}:${prefixes.join(',')}`)
  .join(';')
