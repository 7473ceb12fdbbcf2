import type { Choice, Field, FormSpec } from '../../pages/form-spec.ts'
import type { FieldNotes } from '../../verification/application.ts'
import { MOST_DOCUMENT_BYTES } from '../../verification/document-file.ts'
import { DOCUMENT_KINDS } from '../../verification/documents.ts'
import {
  BUSINESS_KINDS,
  DELIVERIES,
  ID_KINDS,
  PARTS_IN_BUSINESS,
  SECTORS,
  VOLUMES,
} from '../../verification/steps.ts'
import { VERIFICATION } from '../texts/verification.ts'

const { business, director, settlement, questionnaire, documents } = VERIFICATION

const choices = <Value extends string>(
  values: readonly Value[],
  labels: Readonly<Record<Value, string>>,
): readonly Choice[] => values.map((value) => ({ value, label: labels[value] }))

const lines = (name: string, label: string, most: number): Field => ({
  ...{ name, label, most, kind: 'lines', rows: 3 },
})
const optional = (field: Field): Field => ({ ...field, optional: true })

const BUSINESS_FIELDS: readonly Field[] = [
  { name: 'kind', label: business.kind, kind: 'radio', choices: choices(BUSINESS_KINDS, business.kinds) },
  { name: 'legal_name', label: business.legal_name, hint: business.legal_nameHint, most: 200 },
  optional({ name: 'trading_name', label: business.trading_name, most: 200 }),
  optional({
    ...{ name: 'registration_number', label: business.registration_number, most: 60 },
    hint: business.registration_numberHint,
  }),
  optional({ name: 'tin', label: business.tin, hint: business.tinHint, most: 20 }),
  lines('sells', business.sells, 1000),
  lines('address', business.address, 500),
  { name: 'district', label: business.district, most: 100 },
  { name: 'phone', label: business.phone, kind: 'phone' },
  optional({ name: 'website', label: business.website, kind: 'url' }),
]
const DIRECTOR_FIELDS: readonly Field[] = [
  { name: 'name', label: director.name, hint: director.nameHint, most: 200 },
  { name: 'part', label: director.part, kind: 'select', choices: choices(PARTS_IN_BUSINESS, director.parts) },
  { name: 'id_kind', label: director.id_kind, kind: 'select', choices: choices(ID_KINDS, director.id_kinds) },
  { name: 'id_number', label: director.id_number, most: 40 },
  { name: 'born', label: director.born, kind: 'date' },
  { name: 'nationality', label: director.nationality, most: 60 },
  { name: 'phone', label: director.phone, kind: 'phone' },
]
const SETTLEMENT_FIELDS: readonly Field[] = [
  { name: 'phone', label: settlement.phone, kind: 'phone', hint: settlement.phoneHint },
  { name: 'holder', label: settlement.holder, most: 200 },
]
const QUESTIONNAIRE_FIELDS: readonly Field[] = [
  {
    name: 'sector',
    label: questionnaire.sector,
    kind: 'select',
    choices: choices(SECTORS, questionnaire.sectors),
  },
  {
    name: 'monthly',
    label: questionnaire.monthly,
    kind: 'radio',
    choices: choices(VOLUMES, questionnaire.volumes),
  },
  {
    name: 'delivery',
    label: questionnaire.delivery,
    kind: 'radio',
    choices: choices(DELIVERIES, questionnaire.deliveries),
  },
  lines('customers', questionnaire.customers, 1000),
  optional(lines('refunds', questionnaire.refunds, 1000)),
  {
    ...{
      name: 'exposed',
      label: questionnaire.exposed,
      kind: 'radio',
      refused: /^invalid request: exposed (?:is|must)/,
    },
    choices: choices(['no', 'yes'], questionnaire.yesNo),
  },
  optional(lines('exposed_says', questionnaire.exposed_says, 500)),
]

const saving = (path: string, fields: readonly Field[]): FormSpec => ({
  ...{ path, fields, action: 'verification.edit', submit: VERIFICATION.save },
})

export const STEP_FORMS = {
  business: saving('/verification/business', BUSINESS_FIELDS),
  settlement: saving('/verification/settlement', SETTLEMENT_FIELDS),
  questionnaire: saving('/verification/questionnaire', QUESTIONNAIRE_FIELDS),
}
// One-time: sent twice, it would add the person twice.
export const ADD_DIRECTOR: FormSpec = {
  ...saving('/verification/directors', DIRECTOR_FIELDS),
  ...{ submit: director.save, once: true },
}
export const EDIT_DIRECTOR: FormSpec = {
  ...saving('/verification/directors/:place', DIRECTOR_FIELDS),
  submit: director.save,
}
export const REMOVE_DIRECTOR: FormSpec = {
  ...saving('/verification/directors/:place/remove', []),
  ...{ submit: director.remove, danger: true },
}
export const ADD_DOCUMENT: FormSpec = {
  ...saving('/verification/documents', [
    {
      name: 'kind',
      label: documents.kind,
      kind: 'select',
      choices: choices(DOCUMENT_KINDS, documents.kinds),
    },
    {
      ...{ name: 'file', label: documents.file, kind: 'file', hint: documents.fileHint },
      accept: 'application/pdf,image/jpeg,image/png',
    },
  ]),
  ...{ submit: documents.add, mostFileBytes: MOST_DOCUMENT_BYTES },
}
export const REMOVE_DOCUMENT: FormSpec = {
  ...saving('/verification/documents/:id/remove', []),
  ...{ submit: documents.remove, danger: true },
}
export const SUBMIT: FormSpec = {
  path: '/verification/submit',
  action: 'verification.submit',
  fields: [{ name: 'declared', label: VERIFICATION.submit.declared, kind: 'check' }],
  submit: VERIFICATION.submit.submit,
}

/** Adds the notes of a reviewer to the fields of a form. */
export const withNotes = (spec: FormSpec, step: string, notes: FieldNotes | null): FormSpec => ({
  ...spec,
  fields: spec.fields.map((field) => {
    const note = notes?.[`${step}.${field.name}`]
    return note === undefined ? field : { ...field, note: VERIFICATION.reviewer(note) }
  }),
})

/** The label of a field in its form; the field's own name if no form has it. */
export function labelOf(step: string, field: string): string {
  const fields: Readonly<Record<string, readonly Field[]>> = {
    ...{ business: BUSINESS_FIELDS, directors: DIRECTOR_FIELDS },
    ...{ settlement: SETTLEMENT_FIELDS, questionnaire: QUESTIONNAIRE_FIELDS },
  }
  return fields[step]?.find(({ name }) => name === field)?.label ?? field
}

/** Formats an answer for people: the label of a choice, else the answer itself. */
export function answerText(step: keyof typeof STEP_FORMS, field: string, value: string): string {
  const answered = STEP_FORMS[step].fields.find(({ name }) => name === field)
  return answered?.choices?.find((choice) => choice.value === value)?.label ?? value
}
