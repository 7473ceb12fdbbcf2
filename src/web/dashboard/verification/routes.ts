import { submitApplication } from '../../../merchants/verification/submit-application.ts'
import { FieldFault } from '../../parts/forms/form-spec.ts'
import { formRoute, pageRoute } from '../../parts/routes/route.ts'
import { redirectDone } from '../../parts/routes/surface-reply.ts'
import { DASHBOARD_COOKIES } from '../session-cookies.ts'
import { VERIFICATION } from '../texts/verification.ts'
import type { DashboardRoute } from '../visit.ts'
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
  pageRoute('/verification', showVerification, 'shop.read'),
  ...FORM_STEPS.flatMap((step): DashboardRoute[] => [
    pageRoute(`/verification/${step}`, (visit) => showStep(step)(visit), ACTION_TO_SEE),
    formRoute(STEP_FORMS[step], { submit: saveFormStep(step), showRefused: showStep(step) }),
  ]),
  pageRoute('/verification/directors', showDirectors, ACTION_TO_SEE),
  pageRoute('/verification/directors/:place', showDirector, ACTION_TO_SEE),
  formRoute(ADD_DIRECTOR, { submit: addDirector, showRefused: showDirectors }),
  formRoute(EDIT_DIRECTOR, { submit: editDirector, showRefused: showDirector }),
  formRoute(REMOVE_DIRECTOR, { submit: dropDirector, showRefused: showDirectors }),
  pageRoute('/verification/documents', showDocuments, ACTION_TO_SEE),
  formRoute(ADD_DOCUMENT, { submit: uploadDocument, showRefused: showDocuments }),
  formRoute(REMOVE_DOCUMENT, { submit: dropDocument, showRefused: showDocuments }),
  formRoute(SUBMIT_VERIFICATION, {
    async submit(visit, { declared }) {
      if (declared !== 'yes') throw new FieldFault('declared', VERIFICATION.submit.needsDeclared)
      await submitApplication(visit.app, liveCaller(visit), DASHBOARD_COOKIES.visitor(visit).browser)
      return redirectDone(visit.to('/verification'), VERIFICATION.submit.done)
    },
    showRefused: showVerification,
  }),
]
