import type { ComponentChildren } from 'preact'
import { type Approval, type ApprovalKind, isWaiting } from '../../approvals/approval.ts'
import type { OpenedException } from '../../exceptions/resolve-exception.ts'
import { FormBox } from '../../pages/form.tsx'
import type { FormSpec, FormState } from '../../pages/form-spec.ts'
import { Section } from '../../pages/parts.tsx'
import { EXCEPTIONS } from '../texts/exceptions.ts'
import type { ConsoleVisit } from '../visit.ts'
import { ACCEPT, ADJUST, END_AS_TOLD, END_LOST, RESOLVE } from './exception-forms.ts'

const { forms } = EXCEPTIONS

type ActsProps = {
  visit: ConsoleVisit
  exception: OpenedException
  state: FormState | null
  /** The approvals that were asked for about this exception so far. */
  approvals: readonly Approval[]
}

/** The forms for an open exception, each under its own heading. */
export function Acts({ visit, exception, state, approvals }: ActsProps) {
  const { id, kind, merchant } = exception
  const of = { visit, state, params: { id } }
  const request = { visit, approvals, state }
  return (
    <>
      <Section title={forms.resolve}>
        <FormBox of={RESOLVE} {...of}>
          <p class="hint">{forms.resolveSays}</p>
        </FormBox>
      </Section>
      {merchant !== null && (
        <ByTwo {...request} form={ADJUST} kind="adjustment" title={forms.adjust}>
          <FormBox of={ADJUST} {...of} values={{ against: 'rail', resolve: 'yes' }}>
            <p class="hint">{forms.adjustSays}</p>
          </FormBox>
        </ByTwo>
      )}
      {kind === 'ledger_breach' && (
        <ByTwo {...request} form={ACCEPT} kind="accept-breach" title={forms.accept}>
          <FormBox of={ACCEPT} {...of}>
            <p class="hint">{forms.acceptSays}</p>
          </FormBox>
        </ByTwo>
      )}
      {kind === 'mismatch' && merchant !== null && (
        <ByTwo {...request} form={END_AS_TOLD} kind="end-as-told" title={forms.asTold}>
          <FormBox of={END_AS_TOLD} {...of}>
            <p class="hint">{forms.asToldSays}</p>
          </FormBox>
        </ByTwo>
      )}
      {kind === 'never_arrived' && (
        <Section title={forms.lost}>
          <FormBox of={END_LOST} {...of}>
            <p class="hint">{forms.lostSays}</p>
          </FormBox>
        </Section>
      )}
    </>
  )
}

type ByTwoProps = {
  visit: ConsoleVisit
  approvals: readonly Approval[]
  state: FormState | null
  form: FormSpec
  kind: ApprovalKind
  title: string
  children: ComponentChildren
}

/**
 * A form that asks for an approval. Only one approval of a kind may wait for an exception: while it does, a link to it stands
 * here instead of the form, unless this form was just refused and must show its fault.
 */
function ByTwo({ visit, approvals, state, form, kind, title, children }: ByTwoProps) {
  const waiting = approvals.find((approval) => approval.kind === kind && isWaiting(approval, visit.now))
  return (
    <Section title={title}>
      {waiting === undefined || state?.path === form.path ? (
        children
      ) : (
        <p>
          {forms.waits} <a href={visit.to(`/approvals/${waiting.id}`)}>{waiting.id}</a>
        </p>
      )}
    </Section>
  )
}
