import { hasFreshFactor, mayDo } from '../../../api/access/allow.ts'
import { getMerchant } from '../../../merchants/account/set-merchant.ts'
import { type ApplicationReview, reviewApplication } from '../../../merchants/verification/review-application.ts'
import { findWithdrawalNumber } from '../../../payments/withdrawals/find-withdrawals.ts'
import { oneLine } from '../../../platform/text/text.ts'
import { FormBox } from '../../parts/forms/form.tsx'
import type { FormState } from '../../parts/forms/form-spec.ts'
import { Facts, Note, OutsideText, Section, Status, Time } from '../../parts/parts.tsx'
import { pageReply, type SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { CONSOLE_VERIFICATION_TEXTS } from '../texts/verification.ts'
import type { ConsoleVisit } from '../visit.ts'
import { formatNoteSubject } from './answer-words.ts'
import { ApplicationAnswers, ApplicationChecks, formatNumberName, listHeardNames } from './application-answers.tsx'
import { ApplicationDocuments } from './documents.tsx'
import { APPROVE_APPLICATION_FORM, OPEN_PAPERS_FORM, REJECT_APPLICATION_FORM } from './review-forms.ts'

const { papers, decide } = CONSOLE_VERIFICATION_TEXTS

type ReviewData = { visit: ConsoleVisit; id: string; reviewed: ApplicationReview; withdrawal: string | null }
/** The props of the parts of the page: the application of the merchant with this id, and the form that was refused. */
export type ReviewPartProps = ReviewData & { state: FormState | null }

/** Shows one application: its answers beside its documents, the checks, and the decision. */
export async function showReview(visit: ConsoleVisit, state: FormState | null = null): Promise<SurfaceReply> {
  const { app, merchant } = await getMerchant(visit.gateway, visit.params.id)
  const name = oneLine(merchant.name)
  const id = merchant.publicId
  const isUnlocked = hasFreshFactor(visit.caller) && mayDo(visit.caller, 'verification.read')
  const reviewed = isUnlocked ? await reviewApplication(app, visit.caller, merchant) : null
  const number = isUnlocked ? await findWithdrawalNumber(app, { merchantId: merchant.id }) : null
  const part = { visit, id, state, withdrawal: number?.phone ?? null }
  return pageReply(
    CONSOLE_VERIFICATION_TEXTS.of(name),
    <>
      <div class="top">
        <h1>{CONSOLE_VERIFICATION_TEXTS.of(name)}</h1>
        <Status word={merchant.kycStatus} />
      </div>
      <p>
        <a href={visit.to(`/merchants/${id}`)}>{CONSOLE_VERIFICATION_TEXTS.profile}</a>
      </p>
      {reviewed === null ? (
        <LockedPapers visit={visit} id={id} state={state} />
      ) : reviewed.verification.application === null ? (
        <Note>{CONSOLE_VERIFICATION_TEXTS.none}</Note>
      ) : (
        <Papers {...part} reviewed={reviewed} />
      )}
    </>,
    { status: state?.status ?? 200 },
  )
}

/** Stands in place of the papers until the person has entered a fresh code. */
const LockedPapers = ({ visit, id, state }: Pick<ReviewPartProps, 'visit' | 'id' | 'state'>) => (
  <Section title={papers.title}>
    <p>{papers.lead}</p>
    <FormBox of={OPEN_PAPERS_FORM} visit={visit} state={state} params={{ id }} />
  </Section>
)

function Papers(part: ReviewPartProps) {
  const { application } = part.reviewed.verification
  if (application === null) return null
  const { state: applicationState, submittedAt, decidedAt, note, notes, approvalNote } = application
  return (
    <>
      <Section title={CONSOLE_VERIFICATION_TEXTS.application}>
        <Facts
          facts={[
            [CONSOLE_VERIFICATION_TEXTS.state, CONSOLE_VERIFICATION_TEXTS.states[applicationState]],
            application.number > 1 && [CONSOLE_VERIFICATION_TEXTS.tries, String(application.number)],
            submittedAt !== null && [CONSOLE_VERIFICATION_TEXTS.submitted, <Time at={submittedAt} />],
            decidedAt !== null && [CONSOLE_VERIFICATION_TEXTS.decided, <Time at={decidedAt} />],
            note !== null && [CONSOLE_VERIFICATION_TEXTS.note, <OutsideText text={note} />],
            approvalNote !== null && [decide.approvalNote, <OutsideText text={approvalNote} />],
            ...Object.entries(notes ?? {}).map(
              ([subject, text]) => [formatNoteSubject(subject), <OutsideText text={text} />] as const,
            ),
          ]}
        />
      </Section>
      <div class="columns">
        <ApplicationAnswers {...part} />
        <ApplicationDocuments {...part} />
      </div>
      <ApplicationChecks {...part} />
      {applicationState === 'submitted' && <DecisionForms {...part} number={application.number} />}
    </>
  )
}

const DecisionForms = ({ number, ...part }: ReviewPartProps & { number: number }) => {
  const { visit, id, state } = part
  const differing = listHeardNames(part).filter(({ differs }) => differs)
  return (
    <Section title={decide.title}>
      {differing.length > 0 && (
        <Note tone="warn">{decide.differs(differing.map(({ what }) => formatNumberName(what)).join(', '))}</Note>
      )}
      <FormBox
        of={APPROVE_APPLICATION_FORM}
        {...{ visit, state }}
        params={{ id }}
        values={{ number: String(number) }}
      />
      <details open={state?.path === REJECT_APPLICATION_FORM.path}>
        <summary>{decide.reject}</summary>
        <FormBox
          of={REJECT_APPLICATION_FORM}
          {...{ visit, state }}
          params={{ id }}
          values={{ number: String(number) }}
        />
      </details>
    </Section>
  )
}
