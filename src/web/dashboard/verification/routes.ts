import { submitApplication } from '../../../merchants/verification/submit-application.ts'
import { FieldFault } from '../../parts/forms/form-spec.ts'
import { redirectDone } from '../../parts/routes/surface-reply.ts'
import { DASHBOARD_COOKIES } from '../session-cookies.ts'
import { VERIFICATION } from '../texts/verification.ts'
import { type DashboardRoute, form, page } from '../visit.ts'
import { addDirector, dropDirector, editDirector, showDirector, showDirectors } from './director-page.tsx'
import { dropDocument, showDocuments, uploadDocument } from './document-page.tsx'
import { showVerification } from './overview-page.tsx'
import { saveFormStep, showStep } from './step-page.tsx'
import {
  ADD_DIRECTOR,
  ADD_DOCUMENT,
  EDIT_DIRECTOR,
  REMOVE_DIRECTOR,
  REMOVE_DOCUMENT,
  STEP_FORMS,
  SUBMIT_VERIFICATION,
} from './step-specs.ts'
import { liveCaller } from './wizard.tsx'

const ACTION_TO_SEE = 'verification.edit'
const FORM_STEPS = ['business', 'settlement', 'questionnaire'] as const

/** The verification of a business, in steps that are saved separately. */
export const VERIFICATION_ROUTES: readonly DashboardRoute[] = [
  page('/verification', (visit) => showVerification(visit)),
  ...FORM_STEPS.flatMap((step): DashboardRoute[] => [
    page(`/verification/${step}`, (visit) => showStep(step)(visit), ACTION_TO_SEE),
    form(STEP_FORMS[step], { submit: saveFormStep(step), showRefused: showStep(step) }),
  ]),
  page('/verification/directors', (visit) => showDirectors(visit), ACTION_TO_SEE),
  page('/verification/directors/:place', (visit) => showDirector(visit), ACTION_TO_SEE),
  form(ADD_DIRECTOR, { submit: addDirector, showRefused: showDirectors }),
  form(EDIT_DIRECTOR, { submit: editDirector, showRefused: showDirector }),
  form(REMOVE_DIRECTOR, { submit: dropDirector, showRefused: showDirectors }),
  page('/verification/documents', (visit) => showDocuments(visit), ACTION_TO_SEE),
  form(ADD_DOCUMENT, { submit: uploadDocument, showRefused: showDocuments }),
  form(REMOVE_DOCUMENT, { submit: dropDocument, showRefused: showDocuments }),
  form(SUBMIT_VERIFICATION, {
    async submit(visit, { declared }) {
      if (declared !== 'yes') throw new FieldFault('declared', VERIFICATION.submit.needsDeclared)
      await submitApplication(visit.app, liveCaller(visit), DASHBOARD_COOKIES.visitor(visit).browser)
      return redirectDone(visit.to('/verification'), VERIFICATION.submit.done)
    },
    showRefused: showVerification,
  }),
]
