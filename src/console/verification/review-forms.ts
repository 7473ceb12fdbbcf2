import type { Field, FormSpec } from '../../pages/form-spec.ts'
import { VERIFICATION } from '../texts/verification.ts'
import { placeName } from './answer-words.ts'

const { papers, checks, documents, decide } = VERIFICATION
const at = (act: string) => `/verification/:id/${act}`
const number: Field = { name: 'number', label: '', kind: 'hidden' }

export const OPEN: FormSpec = {
  path: at('open'),
  action: 'verification.read',
  fields: [],
  submit: papers.open,
}
export const ASK: FormSpec = {
  path: at('ask/:what'),
  action: 'merchant.name-check',
  fields: [],
  submit: checks.ask,
  plain: true,
}
export const DOWNLOAD: FormSpec = {
  path: at('documents/:document/file'),
  action: 'verification.read',
  fields: [],
  submit: documents.download,
  plain: true,
}
export const ENDS: FormSpec = {
  path: at('documents/:document/ends'),
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
export const APPROVE: FormSpec = {
  path: at('approve'),
  action: 'merchant.verify',
  fields: [
    number,
    {
      ...{ name: 'note', label: decide.approvalNote, hint: decide.approvalHint, kind: 'lines', most: 2000 },
      ...{ rows: 2, optional: true, refused: /request: note must/ },
    },
  ],
  submit: decide.approve,
}

/** The subjects that a note may have: the fields of the steps, and the steps that are lists. */
export const NOTED = [
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

export const REJECT: FormSpec = {
  path: at('reject'),
  action: 'merchant.verify',
  fields: [
    number,
    { name: 'note', label: decide.note, kind: 'lines', most: 2000, refused: /request: note must/ },
    ...NOTED.map((name): Field => ({ name, label: placeName(name), most: 500, optional: true })),
  ],
  submit: decide.reject,
  danger: true,
}
