import type { ComponentChildren } from 'preact'
import { mayDo } from '../../../api/access/allow.ts'
import type { Verification } from '../../../merchants/verification/read-application.ts'
import type { Director } from '../../../merchants/verification/steps.ts'
import { type Fact, Facts, OutsideText, Section } from '../../parts/parts.tsx'
import { VERIFICATION } from '../texts/verification.ts'
import type { DashboardVisit } from '../visit.ts'
import { DocumentTable } from './document-page.tsx'
import { formatStepAnswer, STEP_FORMS } from './step-specs.ts'

const { review, steps, director } = VERIFICATION

/** Shows all answers to people who may edit them. No others see them: they hold numbers of identity cards. */
export function Review({ visit, of, open }: { visit: DashboardVisit; of: Verification; open: boolean }) {
  const { answers, documents } = of
  const isEmpty = Object.keys(answers).length === 0 && documents.length === 0
  if (!mayDo(visit.caller, 'verification.edit') || isEmpty) return null
  return (
    <Section title={review.title} id="review">
      <p class="quiet">{review.lead}</p>
      <FormPart visit={visit} step="business" answers={answers} open={open} />
      {(answers.directors ?? []).length > 0 && (
        <Part visit={visit} step="directors" open={open}>
          <Facts facts={(answers.directors ?? []).map(buildDirectorFact)} />
        </Part>
      )}
      <FormPart visit={visit} step="settlement" answers={answers} open={open} />
      <FormPart visit={visit} step="questionnaire" answers={answers} open={open} />
      {documents.length > 0 && (
        <Part visit={visit} step="documents" open={open}>
          <DocumentTable visit={visit} documents={documents} mayRemove={false} />
        </Part>
      )}
    </Section>
  )
}

const buildDirectorFact = ({ part, name, id_kind, id_number, born }: Director): Fact => [
  director.parts[part],
  <OutsideText text={`${name}, ${director.id_kinds[id_kind]} ${id_number}, ${born}`} />,
]

type FormPartProps = Omit<PartProps, 'step' | 'children'> & {
  step: keyof typeof STEP_FORMS
  answers: Verification['answers']
}

function FormPart({ visit, step, answers, open }: FormPartProps) {
  const stepAnswers = answers[step]
  return stepAnswers === undefined ? null : (
    <Part visit={visit} step={step} open={open}>
      <Facts facts={buildStepFacts(step, stepAnswers)} />
    </Part>
  )
}

type PartProps = {
  visit: DashboardVisit
  step: keyof typeof steps
  open: boolean
  children: ComponentChildren
}

const Part = ({ visit, step, open, children }: PartProps) => (
  <div class="part">
    <div class="head">
      <h3>{steps[step]}</h3>
      {open && (
        <a href={visit.to(`/verification/${step}`)}>
          {VERIFICATION.change}
          <span class="ear">: {steps[step]}</span>
        </a>
      )}
    </div>
    {children}
  </div>
)

/** Builds the facts of a step from its answers, under the labels of its form. */
const buildStepFacts = (
  step: keyof typeof STEP_FORMS,
  stepAnswers: Readonly<Record<string, string | undefined>>,
): Fact[] =>
  STEP_FORMS[step].fields.flatMap(({ name, label }): Fact[] => {
    const value = stepAnswers[name]
    return value === undefined ? [] : [[label, <OutsideText text={formatStepAnswer(step, name, value)} />]]
  })
