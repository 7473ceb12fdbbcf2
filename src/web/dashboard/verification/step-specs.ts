import type { FieldNotes } from '../../../merchants/verification/application.ts'
import { MAX_DOCUMENT_BYTES } from '../../../merchants/verification/document-file.ts'
import { DOCUMENT_KINDS } from '../../../merchants/verification/documents.ts'
import {
  BUSINESS_KINDS,
  DELIVERIES,
  ID_KINDS,
  PARTS_IN_BUSINESS,
  SECTORS,
  VOLUMES,
} from '../../../merchants/verification/steps.ts'
import type { FieldChoice, FormField, FormSpec } from '../../parts/forms/form-spec.ts'
import { VERIFICATION } from '../texts/verification.ts'

const { business, director, settlement, questionnaire, documents } = VERIFICATION

const buildChoices = <Value extends string>(
  values: readonly Value[],
  labels: Readonly<Record<Value, string>>,
): readonly FieldChoice[] => values.map((value) => ({ value, label: labels[value] }))

const linesField = (name: string, label: string, most: number): FormField => ({
  ...{ name, label, maxLength: most, kind: 'lines', rows: 3 },
})
const makeOptional = (field: FormField): FormField => ({ ...field, optional: true })

const BUSINESS_FIELDS: readonly FormField[] = [
  {
    name: 'kind',
    label: business.kind,
    kind: 'radio',
    choices: buildChoices(BUSINESS_KINDS, business.kinds),
  },
  { name: 'legal_name', label: business.legal_name, hint: business.legal_nameHint, maxLength: 200 },
  makeOptional({ name: 'trading_name', label: business.trading_name, maxLength: 200 }),
  makeOptional({
    ...{ name: 'registration_number', label: business.registration_number, maxLength: 60 },
    hint: business.registration_numberHint,
  }),
  makeOptional({ name: 'tin', label: business.tin, hint: business.tinHint, maxLength: 20 }),
  linesField('sells', business.sells, 1000),
  linesField('address', business.address, 500),
  { name: 'district', label: business.district, maxLength: 100 },
  { name: 'phone', label: business.phone, kind: 'phone' },
  makeOptional({ name: 'website', label: business.website, kind: 'url' }),
]
const DIRECTOR_FIELDS: readonly FormField[] = [
  { name: 'name', label: director.name, hint: director.nameHint, maxLength: 200 },
  {
    name: 'part',
    label: director.part,
    kind: 'select',
    choices: buildChoices(PARTS_IN_BUSINESS, director.parts),
  },
  {
    name: 'id_kind',
    label: director.id_kind,
    kind: 'select',
    choices: buildChoices(ID_KINDS, director.id_kinds),
  },
  { name: 'id_number', label: director.id_number, maxLength: 40 },
  { name: 'born', label: director.born, kind: 'date' },
  { name: 'nationality', label: director.nationality, maxLength: 60 },
  { name: 'phone', label: director.phone, kind: 'phone' },
]
const SETTLEMENT_FIELDS: readonly FormField[] = [
  { name: 'phone', label: settlement.phone, kind: 'wallet', hint: settlement.phoneHint },
  { name: 'holder', label: settlement.holder, maxLength: 200 },
]
const QUESTIONNAIRE_FIELDS: readonly FormField[] = [
  {
    name: 'sector',
    label: questionnaire.sector,
    kind: 'select',
    choices: buildChoices(SECTORS, questionnaire.sectors),
  },
  {
    name: 'monthly',
    label: questionnaire.monthly,
    kind: 'radio',
    choices: buildChoices(VOLUMES, questionnaire.volumes),
  },
  {
    name: 'delivery',
    label: questionnaire.delivery,
    kind: 'radio',
    choices: buildChoices(DELIVERIES, questionnaire.deliveries),
  },
  linesField('customers', questionnaire.customers, 1000),
  makeOptional(linesField('refunds', questionnaire.refunds, 1000)),
  {
    ...{
      name: 'exposed',
      label: questionnaire.exposed,
      kind: 'radio',
    },
    choices: buildChoices(['no', 'yes'], questionnaire.yesNo),
  },
  makeOptional(linesField('exposed_says', questionnaire.exposed_says, 500)),
]

const saveForm = (path: string, fields: readonly FormField[]): FormSpec => ({
  ...{ path, fields, action: 'verification.edit', submit: VERIFICATION.save },
})

export const STEP_FORMS = {
  business: saveForm('/verification/business', BUSINESS_FIELDS),
  settlement: saveForm('/verification/settlement', SETTLEMENT_FIELDS),
  questionnaire: saveForm('/verification/questionnaire', QUESTIONNAIRE_FIELDS),
}
// One-time: sent twice, it would add the person twice.
export const ADD_DIRECTOR: FormSpec = {
  ...saveForm('/verification/directors', DIRECTOR_FIELDS),
  ...{ submit: director.save, once: true },
}
export const EDIT_DIRECTOR: FormSpec = {
  ...saveForm('/verification/directors/:place', DIRECTOR_FIELDS),
  submit: director.save,
}
export const REMOVE_DIRECTOR: FormSpec = {
  ...saveForm('/verification/directors/:place/remove', []),
  ...{ submit: director.remove, danger: true },
}
export const ADD_DOCUMENT: FormSpec = {
  ...saveForm('/verification/documents', [
    {
      name: 'kind',
      label: documents.kind,
      kind: 'select',
      choices: buildChoices(DOCUMENT_KINDS, documents.kinds),
    },
    {
      ...{ name: 'file', label: documents.file, kind: 'file', hint: documents.fileHint },
      accept: 'application/pdf,image/jpeg,image/png',
    },
  ]),
  ...{ submit: documents.add, maxFileBytes: MAX_DOCUMENT_BYTES },
}
export const REMOVE_DOCUMENT: FormSpec = {
  ...saveForm('/verification/documents/:id/remove', []),
  ...{ submit: documents.remove, danger: true },
}
export const SUBMIT_VERIFICATION: FormSpec = {
  path: '/verification/submit',
  action: 'verification.submit',
  fields: [{ name: 'declared', label: VERIFICATION.submit.declared, kind: 'check' }],
  submit: VERIFICATION.submit.submit,
}

/** Adds the notes of a reviewer to the fields of a form. */
export const addReviewNotes = (spec: FormSpec, step: string, notes: FieldNotes | null): FormSpec => ({
  ...spec,
  fields: spec.fields.map((field) => {
    const note = notes?.[`${step}.${field.name}`]
    return note === undefined ? field : { ...field, note: VERIFICATION.reviewer(note) }
  }),
})

/** The label of a field in its form; the field's own name if no form has it. */
export function findStepFieldLabel(step: string, field: string): string {
  const fields: Readonly<Record<string, readonly FormField[]>> = {
    ...{ business: BUSINESS_FIELDS, directors: DIRECTOR_FIELDS },
    ...{ settlement: SETTLEMENT_FIELDS, questionnaire: QUESTIONNAIRE_FIELDS },
  }
  return fields[step]?.find(({ name }) => name === field)?.label ?? field
}

/** Formats an answer for people: the label of a choice, else the answer itself. */
export function formatStepAnswer(step: keyof typeof STEP_FORMS, field: string, value: string): string {
  const answered = STEP_FORMS[step].fields.find(({ name }) => name === field)
  return answered?.choices?.find((choice) => choice.value === value)?.label ?? value
}
