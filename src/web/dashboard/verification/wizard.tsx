import type { PersonCaller } from '../../../api/access/actor.ts'
import { mayDo } from '../../../api/access/allow.ts'
import { missingSteps, type Verification, type WizardStep } from '../../../merchants/verification/read-application.ts'
import { ANSWER_STEPS } from '../../../merchants/verification/steps.ts'
import { Icon } from '../../parts/icons.tsx'
import { Note } from '../../parts/parts.tsx'
import { VERIFICATION } from '../texts/verification.ts'
import type { DashboardVisit } from '../visit.ts'

const WIZARD_STEPS: readonly WizardStep[] = [...ANSWER_STEPS, 'documents']

/** The caller of operations on the verification: always in live mode, because it is about real money, whichever mode the page is in. */
export const liveCaller = ({ caller }: DashboardVisit): PersonCaller => ({ ...caller, mode: 'live' })

/** Whether this person may change the verification now. */
export const mayEdit = (visit: DashboardVisit, { application }: Verification): boolean =>
  mayDo(visit.caller, 'verification.edit') &&
  application?.state !== 'submitted' &&
  visit.merchant.kycStatus !== 'verified'

/** Lists the steps, done or not. `here`: the step that is open. */
export function StepList({ visit, of, here }: { visit: DashboardVisit; of: Verification; here?: WizardStep }) {
  const missing = missingSteps(of)
  return (
    <nav aria-label={VERIFICATION.steps.title}>
      <ol class="steps">
        {WIZARD_STEPS.map((step) => {
          const isDone = !missing.includes(step)
          return (
            <li>
              <a
                href={visit.to(`/verification/${step}`)}
                class={isDone ? 'good' : undefined}
                aria-current={step === here ? 'step' : undefined}
              >
                <Icon name={isDone ? 'check' : 'dash'} />
                {VERIFICATION.steps[step]}
                <span class="ear"> ({isDone ? VERIFICATION.done : VERIFICATION.missing})</span>
              </a>
            </li>
          )
        })}
      </ol>
    </nav>
  )
}

/** The path after a step: the next step that lacks something, or the overview with its review. */
export function findNextPath(step: WizardStep, of: Verification): string {
  const missing = missingSteps(of)
  const later = WIZARD_STEPS.slice(WIZARD_STEPS.indexOf(step) + 1)
  const next = later.find((wizardStep) => missing.includes(wizardStep)) ?? missing[0]
  return next === undefined ? '/verification' : `/verification/${next}`
}

/** Shows the note of the last review about a step as a whole. */
export function StepNote({ of, step }: { of: Verification; step: WizardStep }) {
  const note = of.rejection?.notes?.[step]
  return note === undefined ? null : <Note tone="warn">{VERIFICATION.reviewer(note)}</Note>
}
