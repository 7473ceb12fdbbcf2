import type { ComponentChildren } from 'preact'
import { PARTS } from '../texts.ts'
import type { FormField } from './form-spec.ts'

type FieldBoxProps = { field: FormField; id: string; value: string; fault: string | null }

/** One field with its label, hint and fault. The value of a secret field is never written into the page. */
export function FieldBox({ field, id, value, fault }: FieldBoxProps) {
  const { kind = 'text', label, hint, optional } = field
  if (kind === 'hidden') return <input type="hidden" name={field.name} value={value} />
  const noteIds = [hint === undefined ? '' : `${id}-hint`, fault === null ? '' : `${id}-fault`].join(' ').trim()
  const described = {
    ...(noteIds === '' ? {} : { 'aria-describedby': noteIds }),
    ...(fault === null ? {} : { 'aria-invalid': 'true' as const }),
  }
  const notes = (
    <>
      {hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {fault !== null && (
        <p class="wrong" id={`${id}-fault`}>
          {fault}
        </p>
      )}
    </>
  )
  if (kind === 'radio') return <Radios {...{ field, id, value, notes, described }} />
  if (kind === 'check')
    return (
      <div class="field check">
        <input type="checkbox" id={id} name={field.name} value="yes" checked={value === 'yes'} {...described} />
        <label for={id}>{label}</label>
        {notes}
      </div>
    )
  return (
    <div class={fault === null ? 'field' : 'field bad'}>
      <label for={id}>
        {label}
        {optional && <span class="optional"> ({PARTS.optional})</span>}
      </label>
      <Control {...{ field, id, value, described }} />
      {notes}
    </div>
  )
}

type ControlProps = Omit<FieldBoxProps, 'fault'> & { described: object }

function Radios({ field, id, value, notes, described }: ControlProps & { notes: ComponentChildren }) {
  return (
    <fieldset class="field radios" id={id} {...described}>
      <legend>{field.label}</legend>
      {field.choices?.map((choice) => (
        <div class="check">
          <input
            type="radio"
            id={`${id}-${choice.value}`}
            name={field.name}
            value={choice.value}
            checked={choice.value === value}
          />
          <label for={`${id}-${choice.value}`}>
            {choice.label}
            {choice.hint !== undefined && <span class="hint"> {choice.hint}</span>}
          </label>
        </div>
      ))}
      {notes}
    </fieldset>
  )
}

const PHONE_INPUT = { type: 'tel', inputmode: 'tel', autocomplete: 'off' }
const INPUT_ATTRIBUTES: Partial<Record<NonNullable<FormField['kind']>, object>> = {
  phone: PHONE_INPUT,
  wallet: PHONE_INPUT,
  amount: { type: 'text', inputmode: 'numeric', autocomplete: 'off', class: 'figure' },
  number: { type: 'text', inputmode: 'numeric', autocomplete: 'off', class: 'figure' },
  email: { type: 'email', autocomplete: 'email' },
  url: { type: 'url', autocomplete: 'off' },
  password: { type: 'password', autocomplete: 'current-password' },
  'new-password': { type: 'password', autocomplete: 'new-password' },
  code: { type: 'text', inputmode: 'numeric', autocomplete: 'one-time-code', class: 'figure' },
  date: { type: 'date' },
  moment: { type: 'datetime-local' },
  month: { type: 'month' },
  time: { type: 'time' },
  color: { type: 'color' },
}
const SECRET_KINDS: readonly string[] = ['password', 'new-password', 'code']

function Control({ field, id, value, described }: ControlProps) {
  const { name, kind = 'text', choices, rows, placeholder, autocomplete, accept } = field
  const shared = { id, name, placeholder, ...described }
  if (kind === 'select')
    return (
      <select {...shared}>
        {choices?.map((choice) => (
          <option value={choice.value} selected={choice.value === value}>
            {choice.label}
          </option>
        ))}
      </select>
    )
  if (kind === 'lines')
    return (
      <textarea {...shared} rows={rows ?? 4}>
        {value}
      </textarea>
    )
  if (kind === 'file') return <input type="file" {...shared} accept={accept} />
  return (
    <input
      {...(INPUT_ATTRIBUTES[kind] ?? { type: 'text' })}
      {...shared}
      {...(autocomplete === undefined ? {} : { autocomplete })}
      value={SECRET_KINDS.includes(kind) ? '' : value}
    />
  )
}
