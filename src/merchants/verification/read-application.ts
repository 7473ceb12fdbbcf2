import { call } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import type { App } from '../../program/app.ts'
import { findAnswers, openAnswers } from './answers.ts'
import { APPLICATION_COLUMNS, type Application } from './application.ts'
import { type Document, listDocuments } from './documents.ts'
import { ANSWER_STEPS, type AnswerStep, type VerificationAnswers } from './steps.ts'
import { findLatestApplication } from './write-application.ts'

const FIND_REJECTED = statement<Application>(
  'latest rejected verification',
  `select ${APPLICATION_COLUMNS} from verifications v where v.merchant_id = $1 and v.state = 'rejected'
   order by v.number desc limit 1`,
)

/** The verification of a merchant: the newest application, its answers, all documents, and the last rejection. */
export type Verification = {
  application: Application | null
  answers: Partial<VerificationAnswers>
  documents: readonly Document[]
  /** The notes of the last rejection; null where there was none, and after an approval. */
  rejection: Pick<Application, 'note' | 'notes' | 'decidedAt'> | null
}

/** Reads the verification of a merchant, with its answers in clear: for its owners and for reviewers. */
export async function readVerification(app: App, merchantId: number): Promise<Verification> {
  const [[application = null], documents, [rejected = null]] = await app.db.queries(
    findLatestApplication(merchantId),
    listDocuments(merchantId),
    call(FIND_REJECTED, merchantId),
  )
  if (application === null) return { application, answers: {}, documents, rejection: null }
  const find = findAnswers(application)
  const rows = await app.db.query(find.statement, find.values)
  return {
    application,
    answers: openAnswers(app, application, rows),
    documents,
    rejection: application.state === 'approved' ? null : rejected,
  }
}

/** The five steps of the wizard. */
export type WizardStep = AnswerStep | 'documents'

/** Returns the steps that must still be completed before an application can be submitted. */
export function missingSteps({ answers, documents }: Pick<Verification, 'answers' | 'documents'>): WizardStep[] {
  const unanswered = ANSWER_STEPS.filter((step) => {
    const own = answers[step]
    return own === undefined || (Array.isArray(own) && own.length === 0)
  })
  return lacksDocuments({ answers, documents }) ? [...unanswered, 'documents'] : unanswered
}

/** Whether the identity document is missing, or the registration of a registered business. */
function lacksDocuments({ answers, documents }: Pick<Verification, 'answers' | 'documents'>): boolean {
  const has = (kind: Document['kind']) => documents.some((document) => document.kind === kind)
  const registered = answers.business !== undefined && answers.business.kind !== 'individual'
  return !has('identity') || (registered && !has('registration'))
}
