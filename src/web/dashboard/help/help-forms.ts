import { MAX_MESSAGE_CHARACTERS } from '../../../operations/cases/support-case.ts'
import type { FormField, FormSpec } from '../../parts/forms/form-spec.ts'
import { HELP } from '../texts/help.ts'

const MESSAGE: FormField = {
  name: 'message',
  label: HELP.write.message,
  kind: 'lines',
  rows: 6,
  maxLength: MAX_MESSAGE_CHARACTERS,
}

/** Opens a case. `from` and `ref`: the page from which somebody writes, and the reference that it showed. */
export const OPEN_CASE: FormSpec = {
  path: '/help/new',
  action: 'case.write',
  fields: [MESSAGE, { name: 'from', label: '', kind: 'hidden' }, { name: 'ref', label: '', kind: 'hidden' }],
  submit: HELP.write.submit,
  once: true,
}

export const WRITE_AGAIN: FormSpec = {
  path: '/help/:id/write',
  action: 'case.write',
  fields: [{ ...MESSAGE, label: HELP.page.again, rows: 4 }],
  submit: HELP.write.submit,
  once: true,
}
