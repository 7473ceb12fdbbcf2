import type { ComponentChildren, InputHTMLAttributes } from 'preact'
import { formatShillings, shorten } from '../../parts/wording.ts'

const UGX_SIGN = 'UGX '
const UGANDA_TIME = new Intl.DateTimeFormat('en-GB', {
  timeZone: 'Africa/Kampala',
  day: 'numeric',
  month: 'numeric',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
})

export const formatUgandaTime = (at: Date): string => UGANDA_TIME.format(at).replace(', ', ' ')

/** The amount, the largest text of the page. */
export function LargeAmount({ value }: { value: number }) {
  return (
    <p class="amount">
      <small>{UGX_SIGN}</small>
      {formatShillings(value).slice(UGX_SIGN.length)}
    </p>
  )
}

/** Text by a merchant, isolated so that its reading direction does not change that of the page. */
export function MerchantText({ text, kind = 'about' }: { text: string | null; kind?: string }) {
  if (!text) return null
  return (
    <p class={kind} dir="auto">
      {text}
    </p>
  )
}

/** Why the form is shown again, which screen readers announce. `id` links it to its field. */
export function FaultMessage({ text, id }: { text: string | null; id?: string }) {
  if (text === null) return null
  return (
    <p class="fault" id={id} role="alert">
      <CheckoutIcon name="fault" />
      <span>{text}</span>
    </p>
  )
}

export type CheckoutFieldNotes = { hint?: string | undefined; fault?: string | null | undefined }

/** Returns the attributes that make screen readers read hint and fault with an input. */
export function describeInput(id: string, { hint, fault }: CheckoutFieldNotes) {
  const ids = [fault ? `${id}-fault` : '', hint ? `${id}-hint` : ''].filter((noteId) => noteId !== '')
  return {
    id,
    'aria-describedby': ids.length > 0 ? ids.join(' ') : undefined,
    'aria-invalid': fault ? ('true' as const) : undefined,
    autofocus: fault ? true : undefined,
  }
}

type CheckoutFieldProps = CheckoutFieldNotes & { id: string; label: string; children: ComponentChildren }

/** A label, a hint, a fault and then the input itself, in the order of reading. */
export function Field({ id, label, hint, fault, children }: CheckoutFieldProps) {
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      <FaultMessage text={fault ?? null} id={`${id}-fault`} />
      {children}
    </div>
  )
}

type InputAttributes = InputHTMLAttributes & { name: string }
type InputProps = InputAttributes & { notes: CheckoutFieldNotes }

/** The input of a field. Its name is also the field's id. */
export const Input = ({ notes, ...rest }: InputProps) => <input {...describeInput(rest.name, notes)} {...rest} />

type InputFieldProps = InputAttributes & CheckoutFieldNotes & { label: string }

/** A field with one input and its children below that. */
export function InputField({ label, hint, fault, children, ...input }: InputFieldProps) {
  const notes = { hint, fault }
  return (
    <Field id={input.name} label={label} {...notes}>
      <Input notes={notes} {...input} />
      {children}
    </Field>
  )
}

/** The link back to the merchant, byte for byte as the merchant sent it. */
export function BackLink({ url, text }: { url: string | null; text: string }) {
  if (url === null) return null
  return (
    <a class="quiet" href={url} rel="noreferrer">
      {text}
    </a>
  )
}

/** The heading that opens a folded part of a form. */
export function Summary({ text }: { text: string }) {
  return (
    <summary>
      {text}
      <CheckoutIcon name="more" />
    </summary>
  )
}

/** `Check your phone · Mama Joy` */
export const formatPageTitle = (what: string, shop: string) => `${what} · ${shorten(shop)}`

const ICONS = {
  done: 'M5 12.5l4.5 4.5L19 7.5',
  failed: 'M7 7l10 10M17 7L7 17',
  back: 'M9 7l-4 4 4 4M5 11h9a5 5 0 0 1 0 10h-2',
  fault: 'M12 7v6M12 16.5v.5M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18z',
  lock: 'M7 11V8a5 5 0 0 1 10 0v3M6 11h12v9H6z',
  phone: 'M8 3h8a1.5 1.5 0 0 1 1.5 1.5v15A1.5 1.5 0 0 1 16 21H8a1.5 1.5 0 0 1-1.5-1.5v-15A1.5 1.5 0 0 1 8 3zM11 18h2',
  clock: 'M12 7v5l3 2M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18z',
  closed: 'M6 12h12',
  more: 'M6 9l6 6 6-6',
}

/** A picture, hidden from screen readers because the words beside it say the same. */
export function CheckoutIcon({ name }: { name: keyof typeof ICONS }) {
  return (
    <svg viewBox="0 0 24 24" width="20" height="20" aria-hidden="true">
      <path d={ICONS[name]} />
    </svg>
  )
}

/** The round sign above a heading. */
export function RoundSign({ name, tone }: { name: keyof typeof ICONS; tone?: string }) {
  return (
    <div class={tone ? `sign ${tone}` : 'sign'}>
      <CheckoutIcon name={name} />
    </div>
  )
}
