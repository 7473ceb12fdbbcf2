import type { ComponentChildren } from 'preact'
import { Refusal } from '../../../platform/refusal.ts'
import { FieldBox } from '../forms/field-box.tsx'
import {
  FieldFault,
  type FormField,
  type FormSpec,
  type FormValues,
  findFieldOfRefusal,
  parseForm,
} from '../forms/form-spec.ts'
import { Icon } from '../icons.tsx'
import type { PageRequest } from '../routes/route.ts'
import { type PageReply, pageReply, type SurfaceReply } from '../routes/surface-reply.ts'
import { PARTS } from '../texts.ts'

/** A form for a person who is not signed in. */
export type GuestForm = {
  title: string
  lead?: ComponentChildren
  /** The whole address that it is sent to. */
  address: string
  fields: readonly FormField[]
  submit: string
  /** Values of hidden fields. */
  hidden?: FormValues
  values?: FormValues
  below?: ComponentChildren
}

type GuestFormFaults = { values: FormValues; faults: FormValues; fault: string | null; status: number }

/** Shows the page with the form. `wrong`: the typed values and the faults, if the form was refused. */
export function showGuestForm(form: GuestForm, wrong: GuestFormFaults | null = null): PageReply {
  const body = (
    <div class="entry">
      <h1>{form.title}</h1>
      {form.lead}
      <form method="post" action={form.address} class="form">
        {Object.entries(form.hidden ?? {}).map(([name, value]) => (
          <input type="hidden" name={name} value={value} />
        ))}
        {wrong !== null && (
          <p class="fault" role="alert">
            <Icon name="warning" />
            <span>{wrong.fault ?? PARTS.mend}</span>
          </p>
        )}
        {form.fields.map((field) => (
          <FieldBox
            field={field}
            id={`guest-${field.name}`}
            value={wrong?.values[field.name] ?? form.values?.[field.name] ?? ''}
            fault={wrong?.faults[field.name] ?? null}
          />
        ))}
        <button type="submit" class="button">
          {form.submit}
        </button>
      </form>
      {form.below}
    </div>
  )
  return pageReply(form.title, body, wrong === null ? {} : { status: wrong.status })
}

/** Parses a guest's form and submits it. A fault is shown beside the field that it is about. */
export async function answerGuestForm(
  { fields }: PageRequest,
  form: GuestForm,
  submit: (values: FormValues) => Promise<SurfaceReply>,
): Promise<SurfaceReply> {
  const spec: FormSpec = { path: form.address, action: 'read', fields: form.fields, submit: form.submit }
  const { values, faults } = parseForm(spec, fields)
  if (Object.keys(faults).length > 0) return showGuestForm(form, { values, faults, fault: null, status: 400 })
  try {
    return await submit(values)
  } catch (error) {
    return showGuestForm(form, { values, ...describeError(spec, error) })
  }
}

function describeError(spec: FormSpec, error: unknown): Omit<GuestFormFaults, 'values'> {
  if (error instanceof FieldFault) return { faults: { [error.field]: error.message }, fault: null, status: 400 }
  if (!(error instanceof Refusal) || error.status >= 500 || error.status === 410) throw error
  const field = findFieldOfRefusal(spec, error)
  const text = error.message.replace(/^invalid request: /, '')
  return field === null
    ? { faults: {}, fault: text, status: error.status }
    : { faults: { [field]: text }, fault: null, status: error.status }
}
