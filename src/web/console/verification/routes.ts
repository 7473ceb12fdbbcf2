import { actingFor } from '../../../api/access/actor.ts'
import type { Merchant } from '../../../merchants/account/merchant.ts'
import { getMerchant } from '../../../merchants/account/set-merchant.ts'
import { readDocument } from '../../../merchants/verification/change-documents.ts'
import { approveApplication, rejectApplication } from '../../../merchants/verification/decide-application.ts'
import { setDocumentExpiry } from '../../../merchants/verification/document-expiry.ts'
import type { App } from '../../../program/app.ts'
import { askName } from '../../../reports/ask-name.ts'
import type { FormSpec, FormValues } from '../../parts/forms/form-spec.ts'
import { formRoute, pageRoute } from '../../parts/routes/route.ts'
import { redirectDone, type SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { CONSOLE_VERIFICATION_TEXTS } from '../texts/verification.ts'
import type { ConsoleRoute, ConsoleVisit } from '../visit.ts'
import { showQueue } from './queue-page.tsx'
import {
  APPROVE_APPLICATION_FORM,
  ASK_NAME_FORM,
  DOCUMENT_EXPIRY_FORM,
  DOWNLOAD_DOCUMENT_FORM,
  NOTE_SUBJECTS,
  OPEN_PAPERS_FORM,
  REJECT_APPLICATION_FORM,
} from './review-forms.ts'
import { showReview } from './review-page.tsx'

const { decide, checks, documents } = CONSOLE_VERIFICATION_TEXTS
const FILE_EXTENSIONS = {
  'application/pdf': 'pdf',
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/webp': 'webp',
}

type RoutedMerchant = { app: App; merchant: Merchant }
type ReviewAct = (visit: ConsoleVisit, routed: RoutedMerchant, values: FormValues) => Promise<string | undefined>

const getRoutedMerchant = ({ gateway, params }: ConsoleVisit) => getMerchant(gateway, params.id)

/** Makes a form of the page of an application. `act` performs it and returns the text that the page then shows. */
const reviewForm = (spec: FormSpec, act: ReviewAct): ConsoleRoute =>
  formRoute(spec, {
    async submit(visit, values) {
      const routed = await getRoutedMerchant(visit)
      const doneText = await act(visit, routed, values)
      return redirectDone(visit.to(`/verification/${routed.merchant.publicId}`), doneText)
    },
    showRefused: showReview,
  })

/** Sends a document under a name of ours, because the merchant's own file name says nothing reliable about it. */
async function sendDocument(visit: ConsoleVisit, content: 'file' | 'preview'): Promise<SurfaceReply> {
  const { app, merchant } = await getRoutedMerchant(visit)
  const id = visit.params.document ?? ''
  const { type, bytes } = await readDocument(app, visit.caller, { merchant, id, content })
  const name = `${id}.${FILE_EXTENSIONS[type]}`
  return { kind: 'file', name, type, body: bytes, inline: content === 'preview' }
}

/** Takes the notes that were written beside fields, by their subject. */
const parseNotes = (values: FormValues) =>
  Object.fromEntries(NOTE_SUBJECTS.flatMap((name) => ((values[name] ?? '') === '' ? [] : [[name, values[name] ?? '']])))

export const CONSOLE_VERIFICATION_ROUTES: readonly ConsoleRoute[] = [
  pageRoute('/verification', showQueue, 'console.read'),
  pageRoute('/verification/:id', showReview, 'verification.read'),
  pageRoute(
    '/verification/:id/documents/:document/preview',
    (visit) => sendDocument(visit, 'preview'),
    'verification.read',
  ),
  reviewForm(OPEN_PAPERS_FORM, async () => undefined),
  formRoute(DOWNLOAD_DOCUMENT_FORM, { submit: (visit) => sendDocument(visit, 'file'), showRefused: showReview }),
  reviewForm(ASK_NAME_FORM, async ({ caller, params }, { app, merchant }) => {
    const { id: merchantId, tag } = merchant
    const actingCaller = actingFor(caller, { merchantId, tag, cell: app.cell, mode: 'live' })
    await askName(app, actingCaller, params.what ?? '')
    return checks.done
  }),
  reviewForm(DOCUMENT_EXPIRY_FORM, async ({ caller, params }, { app, merchant }, { expires_on = '' }) => {
    await setDocumentExpiry(app, caller, {
      ...{ merchant, id: params.document ?? '' },
      expiresOn: expires_on === '' ? null : expires_on,
    })
    return documents.endsSet
  }),
  reviewForm(APPROVE_APPLICATION_FORM, async ({ caller }, { app, merchant }, { number, note = '' }) => {
    await approveApplication(app, caller, { merchant, number: Number(number), note })
    return decide.approved
  }),
  reviewForm(REJECT_APPLICATION_FORM, async ({ caller }, { app, merchant }, values) => {
    const { number, note = '' } = values
    await rejectApplication(app, caller, {
      ...{ merchant, number: Number(number), note, notes: parseNotes(values) },
    })
    return decide.rejected
  }),
]
