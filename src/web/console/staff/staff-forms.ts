import type { FieldChoice, FormSpec } from '../../parts/forms/form-spec.ts'
import { ROLE_NAMES } from '../texts/frame.ts'
import { STAFF_PAGE_TEXTS } from '../texts/staff.ts'

export const STAFF_PATH = '/operators'

const { invite, role, reset, remove, open, list } = STAFF_PAGE_TEXTS
const ROLE_CHOICES: readonly FieldChoice[] = Object.entries(ROLE_NAMES).map(([value, label]) => ({
  value,
  label,
}))
const ROLE_FIELD = { name: 'role', label: list.columns.role, kind: 'select', choices: ROLE_CHOICES } as const

export const INVITE_STAFF_FORM: FormSpec = {
  path: `${STAFF_PATH}/invite`,
  action: 'operator.invite',
  fields: [{ name: 'email', label: invite.email, kind: 'email', hint: invite.hint, autocomplete: 'off' }, ROLE_FIELD],
  submit: invite.submit,
  once: true,
}
export const TAKE_BACK_INVITATION_FORM: FormSpec = {
  path: `${STAFF_PATH}/invitations/:id/take-back`,
  action: 'operator.take-back',
  ...{ fields: [], submit: open.takeBack, plain: true },
}
export const SET_STAFF_ROLE_FORM: FormSpec = {
  path: `${STAFF_PATH}/:id/role`,
  action: 'operator.role',
  ...{ fields: [ROLE_FIELD], submit: role.submit },
}
export const RESET_STAFF_FORM: FormSpec = {
  path: `${STAFF_PATH}/:id/reset`,
  action: 'operator.reset',
  ...{ fields: [], submit: reset.submit, plain: true, once: true },
}
export const REMOVE_STAFF_FORM: FormSpec = {
  path: `${STAFF_PATH}/:id/remove`,
  action: 'operator.remove',
  ...{ fields: [], submit: remove.submit, danger: true },
}
export const END_STAFF_SESSION_FORM: FormSpec = {
  path: `${STAFF_PATH}/sessions/:id/end`,
  action: 'operator.sessions',
  ...{ fields: [], submit: STAFF_PAGE_TEXTS.sessions.submit, plain: true },
}
