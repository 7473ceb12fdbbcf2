import type { Choice, FormSpec } from '../../pages/form-spec.ts'
import { ROLE_NAMES } from '../texts/frame.ts'
import { OPERATORS_PAGE } from '../texts/operators.ts'

export const PATH = '/operators'

const { invite, role, reset, remove, open, list } = OPERATORS_PAGE
const CHOICES: readonly Choice[] = Object.entries(ROLE_NAMES).map(([value, label]) => ({ value, label }))
const ROLE = { name: 'role', label: list.columns.role, kind: 'select', choices: CHOICES } as const

export const INVITE: FormSpec = {
  path: `${PATH}/invite`,
  action: 'operator.invite',
  fields: [
    { name: 'email', label: invite.email, kind: 'email', hint: invite.hint, autocomplete: 'off' },
    ROLE,
  ],
  submit: invite.submit,
  once: true,
}
export const TAKE_BACK: FormSpec = {
  path: `${PATH}/invitations/:id/take-back`,
  action: 'operator.take-back',
  ...{ fields: [], submit: open.takeBack, plain: true },
}
export const SET_ROLE: FormSpec = {
  path: `${PATH}/:id/role`,
  action: 'operator.role',
  ...{ fields: [ROLE], submit: role.submit },
}
export const RESET: FormSpec = {
  path: `${PATH}/:id/reset`,
  action: 'operator.reset',
  ...{ fields: [], submit: reset.submit, plain: true, once: true },
}
export const REMOVE: FormSpec = {
  path: `${PATH}/:id/remove`,
  action: 'operator.remove',
  ...{ fields: [], submit: remove.submit, danger: true },
}
export const END_SESSION: FormSpec = {
  path: `${PATH}/sessions/:id/end`,
  action: 'operator.sessions',
  ...{ fields: [], submit: OPERATORS_PAGE.sessions.submit, plain: true },
}
