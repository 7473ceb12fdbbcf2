import { CORRECTION_ACCOUNTS } from '../../../operations/approvals/approval.ts'
import { ONE_PERSON_RESOLUTIONS } from '../../../payments/exceptions/resolution.ts'
import type { FormSpec } from '../../parts/forms/form-spec.ts'
import { EXCEPTIONS } from '../texts/exceptions.ts'

const { forms, resolutions } = EXCEPTIONS
const MAX_REASON_LENGTH = 500
const MAX_NOTE_LENGTH = 2000
const MAX_STATED_LENGTH = 200

// One page may show several of these forms. No two fields or buttons of them have the same label, so that a person who hears
// the page can tell them apart.
export const EXCEPTIONS_PATH = '/reconciliation/exceptions'
const EXCEPTION_PATH = `${EXCEPTIONS_PATH}/:id`

export const TAKE_EXCEPTION_FORM: FormSpec = {
  ...{ path: `${EXCEPTION_PATH}/take`, action: 'exception.note', fields: [], submit: forms.take },
  plain: true,
}
export const EXCEPTION_NOTE_FORM: FormSpec = {
  path: `${EXCEPTION_PATH}/note`,
  action: 'exception.note',
  fields: [{ name: 'text', label: forms.note, kind: 'lines', rows: 3, maxLength: MAX_NOTE_LENGTH }],
  submit: forms.addNote,
  once: true,
  plain: true,
}
export const RESOLVE_EXCEPTION_FORM: FormSpec = {
  path: `${EXCEPTION_PATH}/resolve`,
  action: 'exception.resolve',
  fields: [
    {
      name: 'resolution',
      label: forms.how,
      kind: 'radio',
      choices: ONE_PERSON_RESOLUTIONS.map((value) => ({ value, label: resolutions[value] })),
    },
    { name: 'note', label: forms.because, maxLength: MAX_REASON_LENGTH },
  ],
  submit: forms.resolve,
}
export const END_LOST_FORM: FormSpec = {
  path: `${EXCEPTION_PATH}/end-lost`,
  action: 'movement.end-lost',
  fields: [{ name: 'note', label: forms.becauseLost, maxLength: MAX_REASON_LENGTH }],
  submit: forms.lost,
  danger: true,
}
export const ACCEPT_BREACH_FORM: FormSpec = {
  path: `${EXCEPTION_PATH}/accept`,
  action: 'breach.accept',
  fields: [{ name: 'reason', label: forms.acceptReason, maxLength: MAX_REASON_LENGTH }],
  submit: forms.askAcceptance,
  once: true,
}
export const END_AS_TOLD_FORM: FormSpec = {
  path: `${EXCEPTION_PATH}/end-as-told`,
  action: 'movement.end-as-told',
  fields: [
    { name: 'told', label: forms.asToldReads, hint: forms.toldHint, maxLength: MAX_STATED_LENGTH },
    { name: 'reason', label: forms.asToldReason, maxLength: MAX_REASON_LENGTH },
  ],
  submit: forms.askAsTold,
  once: true,
}
export const ADJUST_FORM: FormSpec = {
  path: `${EXCEPTION_PATH}/adjust`,
  action: 'ledger.adjust',
  fields: [
    {
      name: 'direction',
      label: forms.direction,
      kind: 'radio',
      choices: (['in', 'out'] as const).map((value) => ({ value, label: forms[value] })),
    },
    { name: 'amount', label: forms.amount, kind: 'amount' },
    {
      name: 'against',
      label: forms.against,
      kind: 'radio',
      choices: CORRECTION_ACCOUNTS.map((value) => ({ value, label: forms[value] })),
    },
    { name: 'told', label: forms.told, hint: forms.toldHint, maxLength: MAX_STATED_LENGTH },
    { name: 'reason', label: forms.reason, maxLength: MAX_REASON_LENGTH },
    { name: 'resolve', label: forms.withIt, kind: 'check' },
  ],
  submit: forms.ask,
  once: true,
}
