import { readVerification } from '../../../merchants/verification/read-application.ts'
import { saveStep } from '../../../merchants/verification/save-step.ts'
import { FormBox } from '../../parts/forms/form.tsx'
import type { FormState, FormValues } from '../../parts/forms/form-spec.ts'
import { Section } from '../../parts/parts.tsx'
import { pageReply, redirectDone, type SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { VERIFICATION } from '../texts/verification.ts'
import type { DashboardVisit } from '../visit.ts'
import { addReviewNotes, STEP_FORMS } from './step-specs.ts'
import { findNextPath, liveCaller, mayEdit, StepList, StepNote } from './wizard.tsx'

type FormStep = keyof typeof STEP_FORMS

/** Shows a step that is one form, filled with the saved answers. */
export const showStep =
  (step: FormStep) =>
  async (visit: DashboardVisit, state: FormState | null = null): Promise<SurfaceReply> => {
    const verification = await readVerification(visit.app, visit.merchant.id)
    if (!mayEdit(visit, verification) && state === null) return redirectDone(visit.to('/verification'))
    const values = (verification.answers[step] ?? {}) as FormValues
    return pageReply(
      VERIFICATION.steps[step],
      <>
        <h1>{VERIFICATION.steps[step]}</h1>
        <StepList visit={visit} of={verification} here={step} />
        <StepNote of={verification} step={step} />
        <Section title={VERIFICATION.steps[step]}>
          {step === 'settlement' && <p class="quiet">{VERIFICATION.settlement.lead}</p>}
          <FormBox
            of={addReviewNotes(STEP_FORMS[step], step, verification.rejection?.notes ?? null)}
            visit={visit}
            state={state}
            values={values}
          />
        </Section>
      </>,
      { status: state?.status ?? 200 },
    )
  }

/** Saves a step, and leads to the next one that lacks something. */
export const saveFormStep =
  (step: FormStep) =>
  async (visit: DashboardVisit, values: FormValues): Promise<SurfaceReply> => {
    await saveStep(visit.app, liveCaller(visit), { step, fields: values })
    const verification = await readVerification(visit.app, visit.merchant.id)
    return redirectDone(visit.to(findNextPath(step, verification)), VERIFICATION.saved)
  }
