import type { Action } from '../actors/actions.ts'
import type { Refusal } from '../platform/refusal.ts'
import { asSeen, hasForbiddenControl } from '../platform/text.ts'
import type { Fields } from './fields.ts'

export type FieldKind =
  | 'text'
  | 'phone'
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

export type Choice = { value: string; label: string; hint?: string }

/** One field of a form, as it is drawn and read. */
export type Field = {
  name: string
  label: string
  kind?: FieldKind
  hint?: string
  /** What somebody else found wrong with it; it stands where a fault would. */
  note?: string
  optional?: true
  /** It stands hidden and holds lines. */
  holdsLines?: true
  /** The largest number of characters; 255 unless said. */
  most?: number
  /** Of `select` and `radio`; a form may bring them when it is drawn. */
  choices?: readonly Choice[]
  placeholder?: string
  autocomplete?: string
  rows?: number
  /** Types of files, as browsers write them. */
  accept?: string
  /** Refusals of the operation that are about this field; without it those that begin with the name of the field. */
  refused?: RegExp
}

/** A form, declared once: where it is sent, what it needs, how it is drawn and read. */
export type FormSpec = {
  /** Its address on the surface: `/charges/:id/refund`. */
  path: string
  /** What the table of actions must allow; where it asks for a fresh factor, the form asks for it. */
  action: Action
  fields: readonly Field[]
  submit: string
  /** It moves money or makes a secret: the same form sent again shows what the first one did. */
  once?: true
  /** It carries one file, at most so many bytes. */
  mostFileBytes?: number
  danger?: true
  /** One of many buttons, which must not stand out. */
  plain?: true
}

export type Values = Readonly<Record<string, string>>

/** The path of a form with the ids in it. */
export const filledPath = (path: string, params: Values): string =>
  path.replace(/:(\w+)/g, (_whole, name: string) => encodeURIComponent(params[name] ?? ''))

/** What a form is called on its page, where its fields begin with it, and where the answer to a refused one lands. */
export const idOfForm = (path: string, params: Values): string =>
  filledPath(path, params)
    .replace(/[^a-z0-9]+/gi, '-')
    .replace(/^-|-$/g, '')

/** A form as it is shown again: what was typed, and what was wrong. */
export type FormState = {
  path: string
  /** What stood in the path: on a page with the same form in each row, which row it was. */
  params: Values
  values: Values
  faults: Readonly<Record<string, string>>
  /** What is wrong with none of the fields. */
  fault: string | null
  status: number
  /** The one-time token to send again, where it is not known whether the form took effect. */
  token: string | null
}

/** Thrown by a form's handler for a field that cannot be read; nothing has happened. */
export class FieldFault extends Error {
  readonly field: string
  constructor(field: string, says: string) {
    super(says)
    this.field = field
  }
}

const MOST = 255
const WORDS = {
  missing: (label: string) => `${label}: fill this in`,
  long: (most: number) => `At most ${most} characters`,
  controls: 'This contains control characters',
  choice: 'Choose one of the options',
  amount: 'Write an amount in whole shillings, such as 12,500',
  number: 'Write a whole number',
}

/** Reads the fields of a form, all as text; what is wrong with them stands beside their names. */
export function readForm(
  { fields }: FormSpec,
  given: Fields,
): { values: Values; faults: Record<string, string> } {
  const values: Record<string, string> = Object.create(null)
  const faults: Record<string, string> = Object.create(null)
  for (const field of fields) {
    if (field.kind === 'file') continue
    const typed = given[field.name] ?? ''
    const value = field.kind === 'phone' ? asSeen(typed).trim() : typed
    values[field.name] = value
    const fault = faultOf(field, value)
    if (fault !== null) faults[field.name] = fault
  }
  return { values, faults }
}

/** Whether people write lines into it. */
export const takesLines = ({ kind, holdsLines }: Field): boolean => kind === 'lines' || holdsLines === true

function faultOf(field: Field, value: string): string | null {
  const { label, kind = 'text', optional, most = MOST, choices } = field
  if (value === '') return optional || kind === 'check' || kind === 'hidden' ? null : WORDS.missing(label)
  if (kind !== 'lines' && value.length > most) return WORDS.long(most)
  if (kind === 'lines' && most > MOST && value.length > most) return WORDS.long(most)
  if (hasForbiddenControl(value, takesLines(field))) return WORDS.controls
  if (choices !== undefined && !choices.some((choice) => choice.value === value)) return WORDS.choice
  if (kind === 'amount' && amountIn(value) === null) return WORDS.amount
  if (kind === 'number' && !/^[0-9]{1,9}$/.test(value)) return WORDS.number
  return null
}

/** Whole shillings as people type them (`12,500`, `UGX 12 500`), or null. */
function amountIn(text: string): number | null {
  const digits = text.replace(/^UGX\s*/i, '').replace(/(?<=\d)[ ,_.](?=\d{3}(?:\D|$))/g, '')
  return /^[0-9]{1,16}$/.test(digits) && Number.isSafeInteger(Number(digits)) ? Number(digits) : null
}

/** The amount of a field that `readForm` has accepted. */
export const amountOf = (values: Values, name: string): number => amountIn(values[name] ?? '') ?? 0

/** The field of a form that a refusal is about, or null. */
export function fieldOfRefusal({ fields }: FormSpec, { message }: Refusal): string | null {
  const text = message.replace(/^invalid request: /, '').toLowerCase()
  const found = fields.find(({ name, refused }) =>
    refused === undefined ? text.startsWith(name.toLowerCase()) : refused.test(message),
  )
  return found?.name ?? null
}
