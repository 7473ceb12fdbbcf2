import type { ComponentChildren } from 'preact'
import { type Approval, type ApprovalKind, isWaiting } from '../../../operations/approvals/approval.ts'
import type { OpenedException } from '../../../payments/exceptions/resolve-exception.ts'
import { FormBox } from '../../parts/forms/form.tsx'
import type { FormSpec, FormState } from '../../parts/forms/form-spec.ts'
import { Section } from '../../parts/parts.tsx'
import { EXCEPTIONS } from '../texts/exceptions.ts'
import type { ConsoleVisit } from '../visit.ts'
import {
  ACCEPT_BREACH_FORM,
  ADJUST_FORM,
  END_AS_TOLD_FORM,
  END_LOST_FORM,
  RESOLVE_EXCEPTION_FORM,
} from './exception-forms.ts'

const { forms } = EXCEPTIONS

type ExceptionActsProps = {
  visit: ConsoleVisit
  exception: OpenedException
  state: FormState | null
  /** The approvals that were asked for about this exception so far. */
  approvals: readonly Approval[]
}

/** The forms for an open exception, each under its own heading. */
export function ExceptionActs({ visit, exception, state, approvals }: ExceptionActsProps) {
  const { id, kind, merchant } = exception
  const of = { visit, state, params: { id } }
  const request = { visit, approvals, state }
  return (
    <>
      <Section title={forms.resolve}>
        <FormBox of={RESOLVE_EXCEPTION_FORM} {...of}>
          <p class="hint">{forms.resolveSays}</p>
        </FormBox>
      </Section>
      {merchant !== null && (
        <ApprovalRequestSection {...request} form={ADJUST_FORM} kind="adjustment" title={forms.adjust}>
          <FormBox of={ADJUST_FORM} {...of} values={{ against: 'rail', resolve: 'yes' }}>
            <p class="hint">{forms.adjustSays}</p>
          </FormBox>
        </ApprovalRequestSection>
      )}
      {kind === 'ledger_breach' && (
        <ApprovalRequestSection {...request} form={ACCEPT_BREACH_FORM} kind="accept-breach" title={forms.accept}>
          <FormBox of={ACCEPT_BREACH_FORM} {...of}>
            <p class="hint">{forms.acceptSays}</p>
          </FormBox>
        </ApprovalRequestSection>
      )}
      {kind === 'mismatch' && merchant !== null && (
        <ApprovalRequestSection {...request} form={END_AS_TOLD_FORM} kind="end-as-told" title={forms.asTold}>
          <FormBox of={END_AS_TOLD_FORM} {...of}>
            <p class="hint">{forms.asToldSays}</p>
          </FormBox>
        </ApprovalRequestSection>
      )}
      {kind === 'never_arrived' && (
        <Section title={forms.lost}>
          <FormBox of={END_LOST_FORM} {...of}>
            <p class="hint">{forms.lostSays}</p>
          </FormBox>
        </Section>
      )}
    </>
  )
}

type ApprovalRequestProps = {
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
function ApprovalRequestSection({ visit, approvals, state, form, kind, title, children }: ApprovalRequestProps) {
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
