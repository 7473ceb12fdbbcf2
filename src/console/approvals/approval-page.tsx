import { mayDo } from '../../actors/allow.ts'
import { ACTION_OF, type Approval, commandOf } from '../../approvals/approval.ts'
import { getApproval } from '../../approvals/find-approvals.ts'
import { FormBox } from '../../pages/form.tsx'
import type { FormState } from '../../pages/form-spec.ts'
import { Copy, Facts, Note, Said, Section, Status, Time } from '../../pages/parts.tsx'
import { type Shown, shownPage } from '../../pages/shown.ts'
import { APPROVALS } from '../texts/approvals.ts'
import type { ConsoleVisit } from '../visit.ts'
import { APPROVE, REJECT, WITHDRAW } from './approval-forms.ts'
import { About, sentencesOf } from './in-words.tsx'

const { detail, forms, kinds } = APPROVALS

/** Shows one approval: its command in words and in bytes, who asked and why, and the forms that this person may send. */
export async function showApproval(visit: ConsoleVisit, state: FormState | null = null): Promise<Shown> {
  const approval = await getApproval(visit.gateway, visit.params.id ?? '')
  return shownPage(
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
            <Said text={approval.refused} /> (<Time at={approval.refusedAt} />)
          </p>
        </Note>
      )}
      <Asked visit={visit} approval={approval} />
      {approval.status === 'waiting' && <Deciding visit={visit} approval={approval} state={state} />}
      <Section title={detail.raw}>
        <Copy text={approval.command.toString()} label={detail.raw} />
      </Section>
    </>,
    { status: state?.status ?? 200 },
  )
}

function Asked({ visit, approval }: { visit: ConsoleVisit; approval: Approval }) {
  const { facts } = detail
  const isDecided = approval.decidedAt !== null
  return (
    <Section title={detail.asked}>
      {sentencesOf(commandOf(approval)).map((sentence) => (
        <p>{sentence}</p>
      ))}
      <p>
        {APPROVALS.words.about} <About visit={visit} approval={approval} />.
      </p>
      <Facts
        facts={[
          [facts.by, <Said text={approval.askedName} />],
          [facts.reason, <Said text={approval.reason} />],
          [facts.at, <Time at={approval.askedAt} />],
          [facts.until, approval.waitsForMoney ? detail.forMoney : <Time at={approval.expiresAt} />],
          [facts.mode, approval.mode],
          isDecided && [facts.decided, <Said text={approval.decidedName} />],
          isDecided && [facts.decidedAt, <Time at={approval.decidedAt} />],
          approval.note !== null && [facts.note, <Said text={approval.note} />],
          [facts.digest, <code class="long">{approval.digest.toString('hex')}</code>],
        ]}
      />
    </Section>
  )
}

type DecidingProps = { visit: ConsoleVisit; approval: Approval; state: FormState | null }

function Deciding({ visit, approval: { id, kind, askedBy }, state }: DecidingProps) {
  const params = { id }
  if (askedBy === visit.caller.personId)
    return (
      <Section title={forms.decide}>
        <p>{detail.own}</p>
        <FormBox of={WITHDRAW} {...{ visit, state, params }} />
      </Section>
    )
  if (!mayDo(visit.caller, ACTION_OF[kind])) return <p class="quiet">{detail.notYours}</p>
  return (
    <Section title={forms.decide}>
      <FormBox of={APPROVE} {...{ visit, state, params }} />
      <FormBox of={REJECT} {...{ visit, state, params }} />
    </Section>
  )
}
