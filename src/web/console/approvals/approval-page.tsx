import { mayDo } from '../../../api/access/allow.ts'
import { APPROVAL_ACTIONS, type Approval, parseCommand } from '../../../operations/approvals/approval.ts'
import { getApproval } from '../../../operations/approvals/find-approvals.ts'
import { FormBox } from '../../parts/forms/form.tsx'
import type { FormState } from '../../parts/forms/form-spec.ts'
import { CopyBox, Facts, Note, OutsideText, Section, Status, Time } from '../../parts/parts.tsx'
import { pageReply, type SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { APPROVALS } from '../texts/approvals.ts'
import type { ConsoleVisit } from '../visit.ts'
import { APPROVE_APPROVAL_FORM, REJECT_APPROVAL_FORM, WITHDRAW_APPROVAL_FORM } from './approval-forms.ts'
import { CommandSubject, describeCommand } from './command-words.tsx'

const { detail, forms, kinds } = APPROVALS

/** Shows one approval: its command in words and in bytes, who asked and why, and the forms that this person may send. */
export async function showApproval(visit: ConsoleVisit, state: FormState | null = null): Promise<SurfaceReply> {
  const approval = await getApproval(visit.gateway, visit.params.id ?? '')
  return pageReply(
    kinds[approval.kind],
    <>
      <div class="top">
        <h1>{kinds[approval.kind]}</h1>
        <Status word={approval.status} />
      </div>
      {approval.refused !== null && approval.status === 'waiting' && (
        <Note tone="warn">
          <strong>{detail.refused}</strong>
          <p>
            <OutsideText text={approval.refused} /> (<Time at={approval.refusedAt} />)
          </p>
        </Note>
      )}
      <RequestSection visit={visit} approval={approval} />
      {approval.status === 'waiting' && <DecisionForms visit={visit} approval={approval} state={state} />}
      <Section title={detail.raw}>
        <CopyBox text={approval.command.toString()} label={detail.raw} />
      </Section>
    </>,
    { status: state?.status ?? 200 },
  )
}

function RequestSection({ visit, approval }: { visit: ConsoleVisit; approval: Approval }) {
  const { facts } = detail
  const isDecided = approval.decidedAt !== null
  return (
    <Section title={detail.asked}>
      {describeCommand(parseCommand(approval)).map((sentence) => (
        <p>{sentence}</p>
      ))}
      <p>
        {APPROVALS.words.about} <CommandSubject visit={visit} approval={approval} />.
      </p>
      <Facts
        facts={[
          [facts.by, <OutsideText text={approval.askedName} />],
          [facts.reason, <OutsideText text={approval.reason} />],
          [facts.at, <Time at={approval.askedAt} />],
          [facts.until, approval.waitsForMoney ? detail.forMoney : <Time at={approval.expiresAt} />],
          [facts.mode, approval.mode],
          isDecided && [facts.decided, <OutsideText text={approval.decidedName} />],
          isDecided && [facts.decidedAt, <Time at={approval.decidedAt} />],
          approval.note !== null && [facts.note, <OutsideText text={approval.note} />],
          [facts.digest, <code class="long">{approval.digest.toString('hex')}</code>],
        ]}
      />
    </Section>
  )
}

type DecisionProps = { visit: ConsoleVisit; approval: Approval; state: FormState | null }

function DecisionForms({ visit, approval: { id, kind, askedBy }, state }: DecisionProps) {
  const params = { id }
  if (askedBy === visit.caller.personId)
    return (
      <Section title={forms.decide}>
        <p>{detail.own}</p>
        <FormBox of={WITHDRAW_APPROVAL_FORM} {...{ visit, state, params }} />
      </Section>
    )
  if (!mayDo(visit.caller, APPROVAL_ACTIONS[kind])) return <p class="quiet">{detail.notYours}</p>
  return (
    <Section title={forms.decide}>
      <FormBox of={APPROVE_APPROVAL_FORM} {...{ visit, state, params }} />
      <FormBox of={REJECT_APPROVAL_FORM} {...{ visit, state, params }} />
    </Section>
  )
}
