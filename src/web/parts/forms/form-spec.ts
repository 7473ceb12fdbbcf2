import type { Action } from '../../../api/access/actions.ts'
import type { Refusal } from '../../../platform/refusal.ts'
import { isLandline, parsePhone } from '../../../platform/text/phone.ts'
import { parseShillings } from '../../../platform/text/shillings.ts'
import { cleanTyped, hasForbiddenControl } from '../../../platform/text/text.ts'
import type { PostedFields } from './fields.ts'

type FieldKind =
  | 'text'
  | 'phone'
  /** The phone of a wallet, which pays or is paid; a landline is refused. */
  | 'wallet'
  | 'amount'
  | 'number'
  | 'email'
  | 'url'
  | 'password'
  | 'new-password'
  | 'code'
  | 'date'
  | 'moment'
  | 'month'
  | 'time'
  | 'color'
  | 'lines'
  | 'select'
  | 'radio'
  | 'check'
  | 'file'
  | 'hidden'

export type FieldChoice = { value: string; label: string; hint?: string }

/** One field of a form: how it is drawn and parsed. */
export type FormField = {
  name: string
  label: string
  kind?: FieldKind
  hint?: string
  /** What a reviewer found wrong with it; shown in the place of a fault. */
  note?: string
  optional?: true
  /** For a hidden field whose value has several lines. */
  holdsLines?: true
  /** The largest number of characters; 255 if absent. */
  maxLength?: number
  /** For `select` and `radio`. A form may also give them when it is drawn. */
  choices?: readonly FieldChoice[]
  placeholder?: string
  autocomplete?: string
  rows?: number
  /** Types of files, as browsers write them. */
  accept?: string
  /** The members of the operation's input that this field fills, as `Refusal.field` names them; if absent: one of the same name. */
  about?: readonly string[]
  /** The codes of refusals that name no member and whose remedy is this field. */
  codes?: readonly string[]
}

/** A form, declared once: where it is sent, what it needs, how it is drawn and parsed. */
export type FormSpec = {
  /** Its address on the surface: `/charges/:id/refund`. */
  path: string
  /** The action that the table of actions must allow. If that action needs a fresh factor, the form asks for it. */
  action: Action
  fields: readonly FormField[]
  submit: string
  /** A second button, which sends this value with the form; these fields may then be left out. */
  also?: { name: string; value: string; submit: string; without: readonly string[] }
  /** A button that a FieldFault may offer, with which the person goes on all the same; it sends the value that the fault names. */
  goOn?: { name: string }
  /** For a form that moves money or makes a secret: sent a second time, it shows the result of the first. */
  once?: true
  /** For a form with one file: the largest size of the file. */
  maxFileBytes?: number
  danger?: true
  /** For one of many buttons, which must not stand out. */
  plain?: true
}

export type FormValues = Readonly<Record<string, string>>

/** Fills the ids into the path of a form. */
export const fillPath = (path: string, params: FormValues): string =>
  path.replace(/:(\w+)/g, (_whole, name: string) => encodeURIComponent(params[name] ?? ''))

/** Makes the id of a form on its page. The ids of its fields begin with it, and a refused form's address ends in it. */
export const makeFormId = (path: string, params: FormValues): string =>
  fillPath(path, params)
    .replace(/[^a-z0-9]+/gi, '-')
    .replace(/^-|-$/g, '')

/** A refused form as its page shows it: the typed values, and what was wrong. */
export type FormState = {
  path: string
  /** The ids in the path: on a page with the same form in each row, they tell which row it was. */
  params: FormValues
  values: FormValues
  faults: Readonly<Record<string, string>>
  /** A fault that is about no single field. */
  fault: string | null
  status: number
  /** The button that the fault offers to go on all the same. */
  goOn?: GoOn | undefined
  /** The one-time token to send again, if it is unknown whether the form took effect. */
  token: string | null
}

type GoOn = { value: string; label: string }

/** Thrown by a form's handler for a field with a faulty value; nothing has been done. */
export class FieldFault extends Error {
  readonly field: string
  readonly goOn: GoOn | undefined
  constructor(field: string, message: string, goOn?: GoOn) {
    super(message)
    this.field = field
    this.goOn = goOn
  }
}

const MAX_FIELD_CHARACTERS = 255
const FAULT_TEXTS = {
  missing: (label: string) => `${label}: fill this in`,
  long: (maxLength: number) => `At most ${maxLength} characters`,
  controls: 'This contains control characters',
  choice: 'Choose one of the options',
  landline: 'This is a landline, which has no mobile money. Write a mobile number, such as 0772 123 456',
  amount: 'Write an amount in whole shillings, such as 12,500',
  number: 'Write a whole number',
}

/** Parses the fields of a form, all as text. `faults` has what is wrong with a field, by its name. */
export function parseForm(
  { fields, also, goOn }: FormSpec,
  sentFields: PostedFields,
): { values: FormValues; faults: Record<string, string> } {
  const values: Record<string, string> = Object.create(null)
  const faults: Record<string, string> = Object.create(null)
  const isSecond = also !== undefined && sentFields[also.name] === also.value
  if (isSecond) values[also.name] = also.value
  const sure = goOn === undefined ? undefined : sentFields[goOn.name]
  if (goOn !== undefined && sure !== undefined) values[goOn.name] = sure.slice(0, MAX_FIELD_CHARACTERS)
  for (const field of fields) {
    if (field.kind === 'file') continue
    const typed = sentFields[field.name] ?? ''
    const value = field.kind === 'phone' || field.kind === 'wallet' ? cleanTyped(typed).trim() : typed
    values[field.name] = value
    const mayBeLeftOut = isSecond && value === '' && also.without.includes(field.name)
    const fault = mayBeLeftOut ? null : findFault(field, value)
    if (fault !== null) faults[field.name] = fault
  }
  return { values, faults }
}

/** Whether a field's value may have several lines. */
export const takesLines = ({ kind, holdsLines }: FormField): boolean => kind === 'lines' || holdsLines === true

function findFault(field: FormField, value: string): string | null {
  const { label, kind = 'text', optional, maxLength = MAX_FIELD_CHARACTERS, choices } = field
  if (value === '') return optional || kind === 'check' || kind === 'hidden' ? null : FAULT_TEXTS.missing(label)
  if (kind !== 'lines' && value.length > maxLength) return FAULT_TEXTS.long(maxLength)
  if (kind === 'lines' && maxLength > MAX_FIELD_CHARACTERS && value.length > maxLength)
    return FAULT_TEXTS.long(maxLength)
  if (hasForbiddenControl(value, takesLines(field))) return FAULT_TEXTS.controls
  if (choices !== undefined && !choices.some((choice) => choice.value === value)) return FAULT_TEXTS.choice
  if (kind === 'amount' && parseShillings(value) === null) return FAULT_TEXTS.amount
  if (kind === 'wallet' && isLandline(parsePhone(value) ?? '')) return FAULT_TEXTS.landline
  if (kind === 'number' && !/^[0-9]{1,9}$/.test(value)) return FAULT_TEXTS.number
  return null
}

/** Returns the amount of a field that `parseForm` has accepted. */
export const getAmount = (values: FormValues, name: string): number => parseShillings(values[name] ?? '') ?? 0

/** Finds the field of a form that a refusal is about. A hidden field cannot show a fault, so its refusals stand above the form. */
export function findFieldOfRefusal(spec: FormSpec, { field: at, code }: Refusal): string | null {
  const fields = spec.fields.filter(({ kind }) => kind !== 'hidden')
  if (at === null) return fields.find(({ codes = [] }) => codes.includes(code))?.name ?? null
  // Also of a part of it: `recipients[2].phone` is about the field for `recipients`.
  const isPartOf = (member: string) => at === member || at.startsWith(`${member}.`) || at.startsWith(`${member}[`)
  return fields.find(({ name, about = [name] }) => about.some(isPartOf))?.name ?? null
}
