import type { ComponentChildren, VNode } from 'preact'
import { ruleOf } from '../../../api/access/actions.ts'
import { hasFreshFactor, mayDo } from '../../../api/access/allow.ts'
import type { Visit } from '../routes/route.ts'
import { PARTS } from '../texts.ts'
import { FieldBox } from './field-box.tsx'
import { FaultBox } from './form-fault.tsx'
import {
  type FieldChoice,
  type FormField,
  type FormSpec,
  type FormState,
  type FormValues,
  fillPath,
  makeFormId,
} from './form-spec.ts'
import { newOneTimeToken } from './form-token.ts'
import { PasskeyButton } from './passkey-button.tsx'

type FormBoxProps = {
  of: FormSpec
  visit: Visit
  /** The state of the refused form, if one was; ignored if it was another form. */
  state?: FormState | null | undefined
  /** The first values of the fields. */
  values?: FormValues
  /** The ids to put into the path: `{ id: 'txn_...' }`. */
  params?: Readonly<Record<string, string>>
  /** The choices of fields that depend on the merchant. */
  choices?: Readonly<Record<string, readonly FieldChoice[]>>
  /** Puts the drawn fields, in the order of the form, into groups. */
  arrange?: (fields: readonly VNode[]) => ComponentChildren
  /** Draws the form in one line, as for a filter or one button. */
  compact?: boolean
  /** The button's name for screen readers, if the same form is in each row of a list. It begins with the button's words. */
  named?: string
  children?: ComponentChildren
}

/** A form with its fields, its tokens, and the factor if it needs one. Draws nothing if the person's role does not allow its action. */
export function FormBox(props: FormBoxProps) {
  const { of: spec, visit, params = {}, compact, named, arrange = (fields) => fields, children } = props
  if (visit.readOnly || !mayDo(visit.caller, spec.action)) return null
  const state = isSameForm(props.state, { path: spec.path, params }) ? props.state : null
  const address = visit.to(fillPath(spec.path, params))
  const id = makeFormId(spec.path, params)
  const token = spec.once ? (state?.token ?? newTokenFor(visit, address)) : null
  const hasFile = spec.maxFileBytes !== undefined
  return (
    <form
      method="post"
      action={`${address}#${id}`}
      class={compact ? 'form compact' : 'form'}
      {...(hasFile ? { enctype: 'multipart/form-data' } : {})}
    >
      <input type="hidden" name="csrf" value={visit.signedIn.csrf} />
      {token !== null && <input type="hidden" name="form" value={token} />}
      {state !== null && <FaultBox state={{ ...state, params }} spec={spec} />}
      {children}
      {arrange(
        spec.fields.map((field) => (
          <FieldBox
            field={withChoices(field, props.choices)}
            id={`${id}-${field.name}`}
            value={state?.values[field.name] ?? props.values?.[field.name] ?? ''}
            fault={state?.faults[field.name] ?? field.note ?? null}
          />
        )),
      )}
      {ruleOf(spec.action).fresh && (!hasFreshFactor(visit.caller) || state?.faults.confirm !== undefined) && (
        <ConfirmField id={`${id}-confirm`} visit={visit} fault={state?.faults.confirm ?? null} />
      )}
      <button
        type="submit"
        class={spec.danger ? 'button danger' : spec.plain ? 'button plain' : 'button'}
        aria-label={named}
      >
        {spec.submit}
      </button>
      {spec.goOn !== undefined && state?.goOn !== undefined && (
        <button type="submit" class="button plain" name={spec.goOn.name} value={state.goOn.value}>
          {state.goOn.label}
        </button>
      )}
      {spec.also !== undefined && (
        <button type="submit" class="button plain" name={spec.also.name} value={spec.also.value}>
          {spec.also.submit}
        </button>
      )}
    </form>
  )
}

/** Whether this form is the refused one: a page may have the same form in each of its rows. */
const isSameForm = (
  state: FormState | null | undefined,
  { path, params }: { path: string; params: FormValues },
): state is FormState =>
  state != null &&
  state.path === path &&
  Object.entries(params).every(([name, value]) => state.params[name] === undefined || state.params[name] === value)

const withChoices = (field: FormField, choices: FormBoxProps['choices']): FormField => {
  const own = choices?.[field.name]
  return own === undefined ? field : { ...field, choices: own }
}
const newTokenFor = ({ gateway, signedIn, now }: Visit, address: string) =>
  newOneTimeToken(gateway.vault, { sessionId: signedIn.sessionId, address }, now.getTime())

function ConfirmField({ id, visit, fault }: { id: string; visit: Visit; fault: string | null }) {
  const factor = visit.signedIn.hasFactor
  return (
    <>
      <FieldBox
        field={{
          name: 'confirm',
          label: factor ? PARTS.confirmCode : PARTS.confirmPassword,
          hint: PARTS.confirmHint,
          kind: factor ? 'code' : 'password',
        }}
        id={id}
        value=""
        fault={fault}
      />
      {visit.signedIn.hasPasskey && (
        <PasskeyButton
          challenge={visit.to('/passkey')}
          says={PARTS.passkey}
          failed={PARTS.passkeyFailed}
          field="confirm"
        />
      )}
    </>
  )
}
