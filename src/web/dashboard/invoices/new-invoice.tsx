import type { VNode } from 'preact'
import { addMs } from '../../../platform/time/clock.ts'
import { kampalaDay } from '../../../platform/time/kampala.ts'
import {
  type InvoiceInput,
  MAX_INVOICE_LINES,
  MAX_INVOICE_NOTE_CHARACTERS,
  MAX_LINE_CHARACTERS,
} from '../../../selling/invoices/invoice-request.ts'
import { FormBox } from '../../parts/forms/form.tsx'
import type { FormField, FormSpec, FormState, FormValues } from '../../parts/forms/form-spec.ts'
import { pageReply, type SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { INVOICES } from '../texts/invoices.ts'
import type { DashboardVisit } from '../visit.ts'

const { create } = INVOICES

const LINE_NUMBERS = Array.from({ length: MAX_INVOICE_LINES }, (_, index) => index + 1)
/** Most invoices have few lines; the others are folded. */
const LINES_SHOWN = 3
const FIELDS_A_LINE = 3
const DUE_IN_MS = 14 * 86_400_000

const lineFields = (number: number): FormField[] => {
  const at = `lines[${number - 1}]`
  const optional = number === 1 ? {} : ({ optional: true } as const)
  return [
    {
      ...{ name: `description_${number}`, label: create.description, maxLength: MAX_LINE_CHARACTERS, ...optional },
      about: [`${at}.description`],
    },
    {
      ...{ name: `quantity_${number}`, label: create.quantity, kind: 'number', placeholder: '1', optional: true },
      about: [`${at}.quantity`],
    },
    {
      ...{ name: `price_${number}`, label: create.price, kind: 'amount', ...optional },
      // What is wrong with the sum is said beside the first price.
      about: number === 1 ? [`${at}.price`, 'amount'] : [`${at}.price`],
      ...(number === 1 ? { codes: ['amount_too_small', 'amount_too_large', 'fee_exceeds_amount'] } : {}),
    },
  ]
}

const BEFORE_LINES: readonly FormField[] = [
  { name: 'name', label: create.name, maxLength: 100, autocomplete: 'off' },
  { name: 'phone', label: create.phone, kind: 'phone', hint: create.contactHint, optional: true },
  { name: 'email', label: create.email, kind: 'email', maxLength: 254, autocomplete: 'off', optional: true },
  { name: 'due', label: create.due, kind: 'date' },
]

export const NEW_INVOICE: FormSpec = {
  path: '/invoices/new',
  action: 'invoice.create',
  fields: [
    ...BEFORE_LINES,
    ...LINE_NUMBERS.flatMap(lineFields),
    {
      ...{ name: 'note', label: create.note, maxLength: MAX_INVOICE_NOTE_CHARACTERS, hint: create.noteHint },
      optional: true,
    },
    { name: 'reminds', label: create.reminds, kind: 'check' },
  ],
  submit: create.submit,
  once: true,
}

/** What the form's values ask for. */
export const parseNewInvoice = ({
  name = '',
  phone = '',
  email = '',
  due = '',
  note = '',
  ...values
}: FormValues): InvoiceInput => ({
  ...{ name, phone, email, due, note },
  reminds: values.reminds === 'yes',
  lines: LINE_NUMBERS.map((number) => ({
    description: values[`description_${number}`] ?? '',
    quantity: values[`quantity_${number}`] ?? '',
    price: values[`price_${number}`] ?? '',
  })),
})

/** Shows the form that makes an invoice. The customer may come with the address: from the page of a customer. */
export async function showNewInvoice(visit: DashboardVisit, state: FormState | null = null): Promise<SurfaceReply> {
  const { query, now } = visit
  const { name = '', phone = '' } = query
  const values = { name, phone, due: kampalaDay(addMs(now, DUE_IN_MS)) }
  return pageReply(
    create.title,
    <>
      <h1>{create.title}</h1>
      <FormBox
        of={NEW_INVOICE}
        visit={visit}
        state={state}
        values={values}
        arrange={(fields) => arrangeLines(fields, usesMoreLines(state))}
      />
    </>,
    { status: state?.status ?? 200 },
  )
}

/** Whether a refused form has something in its folded lines, typed or wrong. */
const usesMoreLines = (state: FormState | null): boolean =>
  state !== null &&
  LINE_NUMBERS.slice(LINES_SHOWN)
    .flatMap(lineFields)
    .some(({ name }) => (state.values[name] ?? '') !== '' || state.faults[name] !== undefined)

function arrangeLines(fields: readonly VNode[], open: boolean) {
  const first = BEFORE_LINES.length
  const line = (number: number) => {
    const from = first + (number - 1) * FIELDS_A_LINE
    return (
      <fieldset class="line">
        <legend>{create.line(number)}</legend>
        {fields.slice(from, from + FIELDS_A_LINE)}
      </fieldset>
    )
  }
  return (
    <>
      {fields.slice(0, first)}
      {LINE_NUMBERS.slice(0, LINES_SHOWN).map(line)}
      <details class="lines" open={open}>
        <summary>{create.more(LINES_SHOWN + 1, MAX_INVOICE_LINES)}</summary>
        {LINE_NUMBERS.slice(LINES_SHOWN).map(line)}
      </details>
      {fields.slice(first + MAX_INVOICE_LINES * FIELDS_A_LINE)}
    </>
  )
}
