import type { FormSpec } from '../../pages/form-spec.ts'
import { APPROVALS } from '../texts/approvals.ts'

const { forms } = APPROVALS
const MOST_NOTE = 500

export const APPROVE: FormSpec = {
  path: '/approvals/:id/approve',
  action: 'approval.approve',
  fields: [{ name: 'note', label: forms.approvalNote, most: MOST_NOTE, optional: true }],
  submit: forms.approve,
  danger: true,
}
export const REJECT: FormSpec = {
  path: '/approvals/:id/reject',
  action: 'approval.reject',
  fields: [{ name: 'note', label: forms.note, most: MOST_NOTE }],
  submit: forms.reject,
  plain: true,
}
export const WITHDRAW: FormSpec = {
  path: '/approvals/:id/withdraw',
  action: 'approval.withdraw',
  fields: [],
  submit: forms.withdraw,
  plain: true,
}
