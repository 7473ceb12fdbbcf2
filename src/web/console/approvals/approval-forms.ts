import type { FormSpec } from '../../parts/forms/form-spec.ts'
import { APPROVALS } from '../texts/approvals.ts'

const { forms } = APPROVALS
const MAX_NOTE_LENGTH = 500

export const APPROVE_APPROVAL_FORM: FormSpec = {
  path: '/approvals/:id/approve',
  action: 'approval.approve',
  fields: [{ name: 'note', label: forms.approvalNote, maxLength: MAX_NOTE_LENGTH, optional: true }],
  submit: forms.approve,
  danger: true,
}
export const REJECT_APPROVAL_FORM: FormSpec = {
  path: '/approvals/:id/reject',
  action: 'approval.reject',
  fields: [{ name: 'note', label: forms.note, maxLength: MAX_NOTE_LENGTH }],
  submit: forms.reject,
  plain: true,
}
export const WITHDRAW_APPROVAL_FORM: FormSpec = {
  path: '/approvals/:id/withdraw',
  action: 'approval.withdraw',
  fields: [],
  submit: forms.withdraw,
  plain: true,
}
