import { at } from '../../actors/actor.ts'
import type { App } from '../../app.ts'
import type { Merchant } from '../../merchants/merchant.ts'
import { getMerchant } from '../../merchants/set-merchant.ts'
import type { FormSpec, Values } from '../../pages/form-spec.ts'
import { doneTo, type Shown } from '../../pages/shown.ts'
import { askName } from '../../reports/ask-name.ts'
import { readDocument } from '../../verification/change-documents.ts'
import { approveApplication, rejectApplication } from '../../verification/decide-application.ts'
import { setDocumentExpiry } from '../../verification/document-expiry.ts'
import { VERIFICATION } from '../texts/verification.ts'
import { type ConsoleRoute, type ConsoleVisit, form, page } from '../visit.ts'
import { showQueue } from './queue-page.tsx'
import { APPROVE, ASK, DOWNLOAD, ENDS, NOTED, OPEN, REJECT } from './review-forms.ts'
import { showReview } from './review-page.tsx'

const { decide, checks, documents } = VERIFICATION
const ENDINGS = { 'application/pdf': 'pdf', 'image/jpeg': 'jpg', 'image/png': 'png', 'image/webp': 'webp' }

type Found = { app: App; merchant: Merchant }
type Act = (visit: ConsoleVisit, routed: Found, values: Values) => Promise<string | undefined>

const foundIn = ({ gateway, params }: ConsoleVisit) => getMerchant(gateway, params.id)

/** Makes a form of the page of an application. `act` performs it and returns the text that the page then shows. */
const actForm = (spec: FormSpec, act: Act): ConsoleRoute =>
  form(spec, {
    async submit(visit, values) {
      const routed = await foundIn(visit)
      const doneText = await act(visit, routed, values)
      return doneTo(visit.to(`/verification/${routed.merchant.publicId}`), doneText)
    },
    again: showReview,
  })

/** Sends a document under a name of ours, because the merchant's own file name says nothing reliable about it. */
async function documentOf(visit: ConsoleVisit, content: 'file' | 'preview'): Promise<Shown> {
  const { app, merchant } = await foundIn(visit)
  const id = visit.params.document ?? ''
  const { type, bytes } = await readDocument(app, visit.caller, { merchant, id, content })
  const name = `${id}.${ENDINGS[type]}`
  return { kind: 'file', name, type, body: bytes, inline: content === 'preview' }
}

/** Takes the notes that were written beside fields, by their subject. */
const notesIn = (values: Values) =>
  Object.fromEntries(
    NOTED.flatMap((name) => ((values[name] ?? '') === '' ? [] : [[name, values[name] ?? '']])),
  )

export const VERIFICATION_ROUTES: readonly ConsoleRoute[] = [
  page('/verification', showQueue),
  page('/verification/:id', (visit) => showReview(visit), 'verification.read'),
  page(
    '/verification/:id/documents/:document/preview',
    (visit) => documentOf(visit, 'preview'),
    'verification.read',
  ),
  actForm(OPEN, async () => undefined),
  form(DOWNLOAD, { submit: (visit) => documentOf(visit, 'file'), again: showReview }),
  actForm(ASK, async ({ caller, params }, { app, merchant }) => {
    const { id: merchantId, tag } = merchant
    const actingCaller = at(caller, { merchantId, tag, cell: app.cell, mode: 'live' })
    await askName(app, actingCaller, params.what ?? '')
    return checks.done
  }),
  actForm(ENDS, async ({ caller, params }, { app, merchant }, { expires_on = '' }) => {
    await setDocumentExpiry(app, caller, {
      ...{ merchant, id: params.document ?? '' },
      expiresOn: expires_on === '' ? null : expires_on,
    })
    return documents.endsSet
  }),
  actForm(APPROVE, async ({ caller }, { app, merchant }, { number, note = '' }) => {
    await approveApplication(app, caller, { merchant, number: Number(number), note })
    return decide.approved
  }),
  actForm(REJECT, async ({ caller }, { app, merchant }, values) => {
    const { number, note = '' } = values
    await rejectApplication(app, caller, {
      ...{ merchant, number: Number(number), note, notes: notesIn(values) },
    })
    return decide.rejected
  }),
]
