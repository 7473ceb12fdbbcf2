import { isFresh, mayDo } from '../../actors/allow.ts'
import { getMerchant } from '../../merchants/set-merchant.ts'
import { FormBox } from '../../pages/form.tsx'
import type { FormState } from '../../pages/form-spec.ts'
import { Facts, Note, Said, Section, Status, Time } from '../../pages/parts.tsx'
import { type Shown, shownPage } from '../../pages/shown.ts'
import { shown } from '../../pages/wording.ts'
import { type Reviewed, reviewApplication } from '../../verification/review-application.ts'
import { findWithdrawalNumber } from '../../withdrawals/find-withdrawals.ts'
import { VERIFICATION } from '../texts/verification.ts'
import type { ConsoleVisit } from '../visit.ts'
import { placeName } from './answer-words.ts'
import { Answers, Checks, heardOf, numberName } from './answers.tsx'
import { Documents } from './documents.tsx'
import { APPROVE, OPEN, REJECT } from './review-forms.ts'

const { papers, decide } = VERIFICATION

type Read = { visit: ConsoleVisit; id: string; reviewed: Reviewed; withdrawal: string | null }
/** The props of the parts of the page: the application of the merchant with this id, and the form that was refused. */
export type ReviewPart = Read & { state: FormState | null }

/** Shows one application: its answers beside its documents, the checks, and the decision. */
export async function showReview(visit: ConsoleVisit, state: FormState | null = null): Promise<Shown> {
  const { app, merchant } = await getMerchant(visit.gateway, visit.params.id)
  const name = shown(merchant.name)
  const id = merchant.publicId
  const isUnlocked = isFresh(visit.caller) && mayDo(visit.caller, 'verification.read')
  const reviewed = isUnlocked ? await reviewApplication(app, visit.caller, merchant) : null
  const number = isUnlocked ? await findWithdrawalNumber(app, { merchantId: merchant.id }) : null
  const part = { visit, id, state, withdrawal: number?.phone ?? null }
  return shownPage(
    VERIFICATION.of(name),
    <>
      <div class="top">
        <h1>{VERIFICATION.of(name)}</h1>
        <Status word={merchant.kycStatus} />
      </div>
      <p>
        <a href={visit.to(`/merchants/${id}`)}>{VERIFICATION.profile}</a>
      </p>
      {reviewed === null ? (
        <Closed visit={visit} id={id} state={state} />
      ) : reviewed.verification.application === null ? (
        <Note>{VERIFICATION.none}</Note>
      ) : (
        <Papers {...part} reviewed={reviewed} />
      )}
    </>,
    { status: state?.status ?? 200 },
  )
}

/** Stands in place of the papers until the person has entered a fresh code. */
const Closed = ({ visit, id, state }: Pick<ReviewPart, 'visit' | 'id' | 'state'>) => (
  <Section title={papers.title}>
    <p>{papers.lead}</p>
    <FormBox of={OPEN} visit={visit} state={state} params={{ id }} />
  </Section>
)

function Papers(part: ReviewPart) {
  const { application } = part.reviewed.verification
  if (application === null) return null
  const { state: applicationState, submittedAt, decidedAt, note, notes, approvalNote } = application
  return (
    <>
      <Section title={VERIFICATION.application}>
        <Facts
          facts={[
            [VERIFICATION.state, VERIFICATION.states[applicationState]],
            application.number > 1 && [VERIFICATION.tries, String(application.number)],
            submittedAt !== null && [VERIFICATION.submitted, <Time at={submittedAt} />],
            decidedAt !== null && [VERIFICATION.decided, <Time at={decidedAt} />],
            note !== null && [VERIFICATION.note, <Said text={note} />],
            approvalNote !== null && [decide.approvalNote, <Said text={approvalNote} />],
            ...Object.entries(notes ?? {}).map(
              ([subject, text]) => [placeName(subject), <Said text={text} />] as const,
            ),
          ]}
        />
      </Section>
      <div class="columns">
        <Answers {...part} />
        <Documents {...part} />
      </div>
      <Checks {...part} />
      {applicationState === 'submitted' && <Decide {...part} number={application.number} />}
    </>
  )
}

const Decide = ({ number, ...part }: ReviewPart & { number: number }) => {
  const { visit, id, state } = part
  const differing = heardOf(part).filter(({ differs }) => differs)
  return (
    <Section title={decide.title}>
      {differing.length > 0 && (
        <Note tone="warn">{decide.differs(differing.map(({ what }) => numberName(what)).join(', '))}</Note>
      )}
      <FormBox of={APPROVE} {...{ visit, state }} params={{ id }} values={{ number: String(number) }} />
      <details open={state?.path === REJECT.path}>
        <summary>{decide.reject}</summary>
        <FormBox of={REJECT} {...{ visit, state }} params={{ id }} values={{ number: String(number) }} />
      </details>
    </Section>
  )
}
