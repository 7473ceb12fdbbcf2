import { AGAINST } from '../../approvals/approval.ts'
import { BY_ONE_PERSON } from '../../exceptions/resolution.ts'
import type { FormSpec } from '../../pages/form-spec.ts'
import { EXCEPTIONS } from '../texts/exceptions.ts'

const { forms, resolutions } = EXCEPTIONS
const MOST_TEXT = 500
const MOST_NOTE = 2000
const MOST_TOLD = 200

// One page may show several of these forms. No two fields or buttons of them have the same label, so that a person who hears
// the page can tell them apart.
export const LIST = '/reconciliation/exceptions'
const ONE = `${LIST}/:id`

export const TAKE: FormSpec = {
  ...{ path: `${ONE}/take`, action: 'exception.note', fields: [], submit: forms.take },
  plain: true,
}
export const NOTE: FormSpec = {
  path: `${ONE}/note`,
  action: 'exception.note',
  fields: [{ name: 'text', label: forms.note, kind: 'lines', rows: 3, most: MOST_NOTE }],
  submit: forms.addNote,
  once: true,
  plain: true,
}
export const RESOLVE: FormSpec = {
  path: `${ONE}/resolve`,
  action: 'exception.resolve',
  fields: [
    {
      name: 'resolution',
      label: forms.how,
      kind: 'radio',
      choices: BY_ONE_PERSON.map((value) => ({ value, label: resolutions[value] })),
    },
    { name: 'note', label: forms.because, most: MOST_TEXT },
  ],
  submit: forms.resolve,
}
export const END_LOST: FormSpec = {
  path: `${ONE}/end-lost`,
  action: 'movement.end-lost',
  fields: [{ name: 'note', label: forms.becauseLost, most: MOST_TEXT }],
  submit: forms.lost,
  danger: true,
}
export const ACCEPT: FormSpec = {
  path: `${ONE}/accept`,
  action: 'breach.accept',
  fields: [{ name: 'reason', label: forms.acceptReason, most: MOST_TEXT }],
  submit: forms.askAcceptance,
  once: true,
}
export const END_AS_TOLD: FormSpec = {
  path: `${ONE}/end-as-told`,
  action: 'movement.end-as-told',
  fields: [
    { name: 'told', label: forms.asToldReads, hint: forms.toldHint, most: MOST_TOLD },
    { name: 'reason', label: forms.asToldReason, most: MOST_TEXT },
  ],
  submit: forms.askAsTold,
  once: true,
}
export const ADJUST: FormSpec = {
  path: `${ONE}/adjust`,
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
      choices: AGAINST.map((value) => ({ value, label: forms[value] })),
    },
    { name: 'told', label: forms.told, hint: forms.toldHint, most: MOST_TOLD },
    { name: 'reason', label: forms.reason, most: MOST_TEXT },
    { name: 'resolve', label: forms.withIt, kind: 'check' },
  ],
  submit: forms.ask,
  once: true,
}
