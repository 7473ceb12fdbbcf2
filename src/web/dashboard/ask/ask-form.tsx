import type { ComponentChildren } from 'preact'
import { mayDo } from '../../../api/access/allow.ts'
import type { Mode } from '../../../platform/mode.ts'
import { FormBox } from '../../parts/forms/form.tsx'
import type { FormField, FormSpec, FormState, FormValues } from '../../parts/forms/form-spec.ts'
import { NUMBER_IS } from '../operators/other-operator.ts'
import { ASK } from '../texts/ask.ts'
import type { DashboardVisit } from '../visit.ts'

const PHONE: FormField = { name: 'phone', label: ASK.phone, kind: 'wallet', about: ['customer.phone'] }

/** The same charge as the API makes; or, by its second button, a payment link over the same amount. */
export const ASK_FOR_PAYMENT: FormSpec = {
  path: '/ask',
  action: 'charge.create',
  fields: [
    { name: 'amount', label: ASK.amount, kind: 'amount' },
    PHONE,
    { name: 'reference', label: ASK.reference, optional: true },
  ],
  submit: ASK.submit,
  also: { name: 'by', value: 'qr', submit: ASK.qr, without: ['phone'] },
  goOn: NUMBER_IS,
  once: true,
}

/** The same form once more, for a number whose holder the person at the till has seen. */
export const CONFIRM_HOLDER: FormSpec = {
  ...{ path: ASK_FOR_PAYMENT.path, action: ASK_FOR_PAYMENT.action, submit: ASK.holder.submit, once: true },
  fields: [...ASK_FOR_PAYMENT.fields, { name: NUMBER_IS.name, label: '' }].map(
    (field): FormField => ({ ...field, kind: 'hidden' }),
  ),
}

const hinted = (mode: Mode): FormSpec => ({
  ...ASK_FOR_PAYMENT,
  fields: ASK_FOR_PAYMENT.fields.map((field) => (field === PHONE ? { ...PHONE, hint: ASK.phoneHint[mode] } : field)),
})

type AskBoxProps = { visit: DashboardVisit; state?: FormState | null; values?: FormValues }

/** The form. A script puts a keypad under its amount. */
export const AskBox = ({ visit, state = null, values = {} }: AskBoxProps) => (
  <div class="ask" data-keypad={ASK.keypad} data-erase={ASK.erase}>
    <FormBox of={hinted(visit.mode)} visit={visit} state={state} values={values} />
  </div>
)

/** Whether this person may ask, so that there is no button that leads to a refusal. */
export const mayAsk = (visit: DashboardVisit): boolean =>
  visit.readOnly !== true && mayDo(visit.caller, ASK_FOR_PAYMENT.action)

/** A heading with the button beside it that leads to the form. */
export const HeadWithAsk = ({ visit, children }: { visit: DashboardVisit; children: ComponentChildren }) => (
  <div class="top">
    <h1>{children}</h1>
    {mayAsk(visit) && (
      <a class="button" href={visit.to(ASK_FOR_PAYMENT.path)}>
        {ASK.button}
      </a>
    )}
  </div>
)
