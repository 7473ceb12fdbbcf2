import type { FormField, FormSpec } from '../../parts/forms/form-spec.ts'
import { CONSOLE_VERIFICATION_TEXTS } from '../texts/verification.ts'
import { formatNoteSubject } from './answer-words.ts'

const { papers, checks, documents, decide } = CONSOLE_VERIFICATION_TEXTS
const reviewPath = (act: string) => `/verification/:id/${act}`
const NUMBER_FIELD: FormField = { name: 'number', label: '', kind: 'hidden' }

export const OPEN_PAPERS_FORM: FormSpec = {
  path: reviewPath('open'),
  action: 'verification.read',
  fields: [],
  submit: papers.open,
}
export const ASK_NAME_FORM: FormSpec = {
  path: reviewPath('ask/:what'),
  action: 'merchant.name-check',
  fields: [],
  submit: checks.ask,
  plain: true,
}
export const DOWNLOAD_DOCUMENT_FORM: FormSpec = {
  path: reviewPath('documents/:document/file'),
  action: 'verification.read',
  fields: [],
  submit: documents.download,
  plain: true,
}
export const DOCUMENT_EXPIRY_FORM: FormSpec = {
  path: reviewPath('documents/:document/ends'),
  action: 'verification.expiry',
  fields: [
    {
      ...{ name: 'expires_on', label: documents.ends, kind: 'date', hint: documents.endsHint },
      optional: true,
    },
  ],
  submit: documents.setEnds,
  plain: true,
}
export const APPROVE_APPLICATION_FORM: FormSpec = {
  path: reviewPath('approve'),
  action: 'merchant.verify',
  fields: [
    NUMBER_FIELD,
    {
      ...{
        name: 'note',
        label: decide.approvalNote,
        hint: decide.approvalHint,
        kind: 'lines',
        maxLength: 2000,
      },
      ...{ rows: 2, optional: true },
    },
  ],
  submit: decide.approve,
}

/** The subjects that a note may have: the fields of the steps, and the steps that are lists. */
export const NOTE_SUBJECTS = [
  ...['kind', 'legal_name', 'trading_name', 'registration_number', 'tin', 'sells', 'address'].map(
    (field) => `business.${field}`,
  ),
  ...['district', 'phone', 'website'].map((field) => `business.${field}`),
  'directors',
  ...['phone', 'holder'].map((field) => `settlement.${field}`),
  ...['sector', 'monthly', 'delivery', 'customers', 'refunds', 'exposed', 'exposed_says'].map(
    (field) => `questionnaire.${field}`,
  ),
  'documents',
] as const

export const REJECT_APPLICATION_FORM: FormSpec = {
  path: reviewPath('reject'),
  action: 'merchant.verify',
  fields: [
    NUMBER_FIELD,
    { name: 'note', label: decide.note, kind: 'lines', maxLength: 2000 },
    ...NOTE_SUBJECTS.map(
      (name): FormField => ({ name, label: formatNoteSubject(name), maxLength: 500, optional: true }),
    ),
  ],
  submit: decide.reject,
  danger: true,
}
