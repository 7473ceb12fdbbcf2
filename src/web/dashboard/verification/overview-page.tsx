import type { FieldNotes } from '../../../merchants/verification/application.ts'
import { readExpiringDocumentsOf } from '../../../merchants/verification/document-expiry.ts'
import { missingSteps, readVerification, type Verification } from '../../../merchants/verification/read-application.ts'
import { FormBox } from '../../parts/forms/form.tsx'
import type { FormState } from '../../parts/forms/form-spec.ts'
import { Facts, Note, OutsideText, Section, Status, Time } from '../../parts/parts.tsx'
import { pageReply, type SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { VERIFICATION } from '../texts/verification.ts'
import type { DashboardVisit } from '../visit.ts'
import { Review } from './review.tsx'
import { findStepFieldLabel, SUBMIT_VERIFICATION } from './step-specs.ts'
import { mayEdit, StepList } from './wizard.tsx'

const { status, words, submit } = VERIFICATION

/** Shows how far the verification is, its steps, what would be reviewed, and the form that submits it. */
export async function showVerification(visit: DashboardVisit, state: FormState | null = null): Promise<SurfaceReply> {
  const verification = await readVerification(visit.app, visit.merchant.id)
  const open = mayEdit(visit, verification)
  const ending = await readExpiringDocumentsOf(visit.app, visit.merchant.id)
  const stands = decideStanding(visit, verification)
  return pageReply(
    VERIFICATION.title,
    <>
      <div class="top">
        <h1>{VERIFICATION.title}</h1>
        <Status word={words[stands]} tone={TONES[stands]} />
      </div>
      <p>{status[stands]}</p>
      {ending.map(({ kind, expiresOn }) => (
        <Note tone="warn">{VERIFICATION.documents.ends(VERIFICATION.documents.kinds[kind], expiresOn)}</Note>
      ))}
      {verification.application?.submittedAt != null && <Facts facts={[submittedFact(verification)]} />}
      {stands !== 'approved' && <Rejection visit={visit} of={verification} />}
      {open && (
        <>
          <p>{VERIFICATION.lead}</p>
          <StepList visit={visit} of={verification} />
          <SubmitBox visit={visit} of={verification} state={state} />
        </>
      )}
      {!open && stands !== 'approved' && stands !== 'submitted' && <p>{VERIFICATION.notYours}</p>}
      <Review visit={visit} of={verification} open={open} />
    </>,
    { status: state?.status ?? 200 },
  )
}

const TONES = { none: 'quiet', draft: 'open', submitted: 'open', approved: 'good', rejected: 'bad' } as const

/** The state of the business comes first: a draft that was begun after a rejection still counts as rejected. */
function decideStanding({ merchant }: DashboardVisit, { application }: Verification): keyof typeof TONES {
  if (merchant.kycStatus === 'verified') return 'approved'
  if (application?.state === 'submitted') return 'submitted'
  if (merchant.kycStatus === 'rejected') return 'rejected'
  return application === null ? 'none' : 'draft'
}

const submittedFact = ({ application }: Verification) =>
  application?.submittedAt != null &&
  ([
    VERIFICATION.submittedAt,
    <>
      <Time at={application.submittedAt} /> {VERIFICATION.submittedBy} <OutsideText text={application.submittedBy} />
    </>,
  ] as const)

function Rejection({ visit, of }: { visit: DashboardVisit; of: Verification }) {
  const { rejection } = of
  if (rejection === null || (rejection.note === null && rejection.notes === null)) return null
  return (
    <Note tone="warn">
      <p class="strong">{VERIFICATION.rejection}</p>
      {rejection.note !== null && <p>{rejection.note}</p>}
      <NoteList visit={visit} notes={rejection.notes ?? {}} />
    </Note>
  )
}

const NoteList = ({ visit, notes }: { visit: DashboardVisit; notes: FieldNotes }) => (
  <ul>
    {Object.entries(notes).map(([key, text]) => {
      const [step = '', field = ''] = key.split('.')
      const name = VERIFICATION.steps[step as keyof typeof VERIFICATION.steps] ?? step
      return (
        <li>
          <a href={visit.to(`/verification/${step}`)}>
            {field === '' ? name : VERIFICATION.ofField(name, findStepFieldLabel(step, field))}
          </a>
          {`: ${text}`}
        </li>
      )
    })}
  </ul>
)

function SubmitBox({ visit, of, state }: { visit: DashboardVisit; of: Verification; state: FormState | null }) {
  const isComplete = missingSteps(of).length === 0
  const isReady = isComplete && of.application?.state === 'draft'
  return (
    <Section title={submit.title} id="submit">
      {isReady || state !== null ? (
        <FormBox of={SUBMIT_VERIFICATION} visit={visit} state={state} />
      ) : (
        <p class="quiet">{isComplete ? submit.changeFirst : submit.notYet}</p>
      )}
    </Section>
  )
}
