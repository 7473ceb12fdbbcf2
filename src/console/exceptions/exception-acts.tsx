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
  /** What was asked about it so far. */
  asked: readonly Approval[]
}

/** What may be done about an open exception, each with a form under its own heading. */
export function Acts({ visit, exception, state, asked }: ActsProps) {
  const { id, kind, merchant } = exception
  const of = { visit, state, params: { id } }
  const wanting = { visit, asked, state }
  return (
    <>
      <Section title={forms.resolve}>
        <FormBox of={RESOLVE} {...of}>
          <p class="hint">{forms.resolveSays}</p>
        </FormBox>
      </Section>
      {merchant !== null && (
        <ByTwo {...wanting} form={ADJUST} kind="adjustment" title={forms.adjust}>
          <FormBox of={ADJUST} {...of} values={{ against: 'rail', resolve: 'yes' }}>
            <p class="hint">{forms.adjustSays}</p>
          </FormBox>
        </ByTwo>
      )}
      {kind === 'ledger_breach' && (
        <ByTwo {...wanting} form={ACCEPT} kind="accept-breach" title={forms.accept}>
          <FormBox of={ACCEPT} {...of}>
            <p class="hint">{forms.acceptSays}</p>
          </FormBox>
        </ByTwo>
      )}
      {kind === 'mismatch' && merchant !== null && (
        <ByTwo {...wanting} form={END_AS_TOLD} kind="end-as-told" title={forms.asTold}>
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
  asked: readonly Approval[]
  state: FormState | null
  form: FormSpec
  kind: ApprovalKind
  title: string
  children: ComponentChildren
}

/** A form by which one asks. Of one thing one waits at a time: then the way to it, unless this form was just refused, which it says. */
function ByTwo({ visit, asked, state, form, kind, title, children }: ByTwoProps) {
  const waiting = asked.find((approval) => approval.kind === kind && isWaiting(approval, visit.now))
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
