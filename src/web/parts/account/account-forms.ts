import type { SignedInActor } from '../../../api/access/actor.ts'
import type { FormSpec, FormState } from '../forms/form-spec.ts'
import type { Visit } from '../routes/route.ts'
import type { SessionCookies } from '../routes/session-cookies.ts'
import type { SurfaceReply } from '../routes/surface-reply.ts'
import { ACCOUNT } from './texts.ts'

/** A visit of a person who has an account on the surface. */
export type AccountVisit = Visit & { caller: SignedInActor }

/** How a surface shows the page of one's own account. */
export type AccountPage<V extends AccountVisit> = {
  path: string
  cookies: SessionCookies
  forms: AccountForms
  /** The texts before and after a factor is removed. */
  removeWarn: string
  removed: string
  show(visit: V, state: FormState | null): Promise<SurfaceReply>
}

type AccountForms = ReturnType<typeof accountForms>

const bare = { fields: [] } as const
const { factors, sessions } = ACCOUNT

/** The forms of one's own account, for the page at this path. */
export const accountForms = (path: string) =>
  ({
    name: {
      path: `${path}/name`,
      action: 'account.name',
      fields: [{ name: 'name', label: ACCOUNT.name.label, maxLength: 100, autocomplete: 'name' }],
      submit: ACCOUNT.name.submit,
    },
    password: {
      path: `${path}/password`,
      action: 'account.password',
      fields: [
        {
          name: 'password',
          label: ACCOUNT.password.label,
          hint: ACCOUNT.password.hint,
          kind: 'new-password',
          maxLength: 512,
        },
      ],
      submit: ACCOUNT.password.submit,
    },
    beginApp: {
      path: `${path}/app`,
      action: 'account.factors',
      ...{ ...bare, submit: factors.app, once: true },
    },
    confirmApp: {
      path: `${path}/app/:id`,
      action: 'account.factors',
      fields: [{ name: 'code', label: ACCOUNT.enrol.code, kind: 'code', maxLength: 20 }],
      submit: ACCOUNT.enrol.submit,
    },
    removeFactor: {
      path: `${path}/factors/:id/remove`,
      action: 'account.factors',
      ...{ ...bare, submit: factors.remove, danger: true },
    },
    renewCodes: {
      path: `${path}/codes`,
      action: 'account.factors',
      ...{ ...bare, submit: ACCOUNT.codes.renew, plain: true },
    },
    addPasskey: {
      path: `${path}/passkeys`,
      action: 'account.factors',
      fields: [
        { name: 'name', label: factors.passkeyName, hint: factors.passkeyHint, maxLength: 60 },
        { name: 'response', label: '', kind: 'hidden', maxLength: 20_000 },
      ],
      submit: factors.passkeyButton,
    },
    endSession: {
      path: `${path}/sessions/:id/end`,
      action: 'account.sessions',
      ...{ ...bare, submit: sessions.end, plain: true },
    },
    endOthers: {
      path: `${path}/sessions/end-others`,
      action: 'account.sessions',
      ...{ ...bare, submit: sessions.others, plain: true },
    },
  }) satisfies Record<string, FormSpec>
