import { FormBox } from '../../pages/form.tsx'
import type { FormSpec, FormState, Values } from '../../pages/form-spec.ts'
import { Copy } from '../../pages/parts.tsx'
import { doneTo, type Shown, shownPage } from '../../pages/shown.ts'
import { actOf } from '../../pages/step-up.ts'
import { resendConfirmation } from '../../people/confirm-email.ts'
import { beginApp, confirmApp, findNewApp, removeFactor, renewRecoveryCodes } from '../../people/factors.ts'
import { endOwnOtherSessions, switchMerchant } from '../../people/open-sessions.ts'
import { changeName, changePassword, requestEmailChange } from '../../people/own-account.ts'
import { addPasskey, confirmOptions, passkeyOptions } from '../../people/passkeys.ts'
import { endOwnSession } from '../../people/sign-out.ts'
import { notFound } from '../../platform/refusal.ts'
import { addressIn } from '../addresses.ts'
import { COOKIES } from '../session-cookies.ts'
import { PEOPLE } from '../texts/people.ts'
import { type DashboardRoute, type DashboardVisit, form, page } from '../visit.ts'
import { QrPicture } from './qr-picture.tsx'
import {
  ADD_PASSKEY,
  BEGIN_APP,
  EMAIL,
  END_OTHERS,
  END_SESSION,
  NAME,
  PASSWORD,
  REMOVE_FACTOR,
  RENEW_CODES,
  RESEND,
  SECURITY_PATH,
  SWITCH,
  showSecurity,
} from './security-page.tsx'

const { security, sessions } = PEOPLE
const again = (visit: DashboardVisit, state: FormState) => showSecurity(visit, state)

/** A form of the page that leads back to it with a sentence. */
const act = (
  spec: FormSpec,
  does: (visit: DashboardVisit, values: Values) => Promise<string>,
): DashboardRoute =>
  form(spec, {
    submit: async (visit, values) => doneTo(visit.to(SECURITY_PATH), await does(visit, values)),
    again,
  })

const idOf = ({ params }: DashboardVisit) => params.id ?? ''

const CONFIRM_APP: FormSpec = {
  path: `${SECURITY_PATH}/app/:id`,
  action: 'account.factors',
  fields: [{ name: 'code', label: security.enrol.code, kind: 'code', most: 20 }],
  submit: security.enrol.submit,
}

/** The secret of an app that is being added, until its first code was right. */
async function showEnrolment(visit: DashboardVisit, state: FormState | null = null): Promise<Shown> {
  const { gateway, caller, signedIn } = visit
  const id = idOf(visit)
  const app = await findNewApp(gateway, { personId: caller.personId, id, account: signedIn.person.email })
  if (app === null) throw notFound('factor')
  const { enrol } = security
  return shownPage(
    enrol.title,
    <>
      <h1>{enrol.title}</h1>
      <p>{enrol.scan}</p>
      <QrPicture text={app.address} title={enrol.picture} />
      <p>{enrol.secret}</p>
      <Copy text={app.secret} label={enrol.secret} />
      <p>{enrol.address}</p>
      <Copy text={app.address} label={enrol.address} />
      <FormBox of={CONFIRM_APP} visit={visit} state={state} params={{ id }} />
    </>,
    { status: state?.status ?? 200 },
  )
}

/** The recovery codes, this once; without new ones on to the page. */
function showCodes(visit: DashboardVisit, codes: readonly string[], says: string): Shown {
  if (codes.length === 0) return doneTo(visit.to(SECURITY_PATH), says)
  const texts = security.codes
  return shownPage(
    texts.title,
    <>
      <h1>{texts.title}</h1>
      <p>{says}</p>
      <p>{texts.says}</p>
      <Copy text={codes.join('\n')} label={texts.label} />
      <p>
        <a href={visit.to(SECURITY_PATH)}>{texts.done}</a>
      </p>
    </>,
  )
}

const APP_ROUTES: readonly DashboardRoute[] = [
  form(BEGIN_APP, {
    submit: async (visit) => {
      const { id } = await beginApp(visit.gateway, visit.caller)
      return { kind: 'redirect', to: visit.to(`${SECURITY_PATH}/app/${id}`) }
    },
    again,
  }),
  page(CONFIRM_APP.path, (visit) => showEnrolment(visit)),
  form(CONFIRM_APP, {
    async submit(visit, { code = '' }) {
      const { codes } = await confirmApp(visit.gateway, visit.caller, { id: idOf(visit), code })
      return showCodes(visit, codes, security.factors.added)
    },
    again: showEnrolment,
  }),
  form(ADD_PASSKEY, {
    async submit(visit, { name = '', response = '' }) {
      const { codes } = await addPasskey(visit.gateway, visit.caller, { name, response })
      return showCodes(visit, codes, security.factors.added)
    },
    again,
  }),
  form(
    { path: `${ADD_PASSKEY.path}/options`, action: 'account.factors', fields: [], submit: '' },
    {
      submit: async (visit) => ({ kind: 'json', value: await passkeyOptions(visit.gateway, visit.caller) }),
      again,
    },
  ),
  act(REMOVE_FACTOR, async (visit) => {
    await removeFactor(visit.gateway, visit.caller, idOf(visit))
    return security.factors.removed
  }),
  form(RENEW_CODES, {
    submit: async (visit) => showCodes(visit, await renewRecoveryCodes(visit.gateway, visit.caller), ''),
    again,
  }),
]

/** What the script needs to confirm a form with a passkey: the form sends itself here first. */
const CONFIRM_OPTIONS: DashboardRoute = form(
  { path: '/passkey', action: 'account.step-up', fields: [], submit: '' },
  {
    async submit({ gateway, caller, fields }) {
      const { act = '', ...said } = fields
      const { sessionId } = caller
      const options = await confirmOptions(gateway, caller.personId, { sessionId, act: actOf(act, said) })
      if (options === null) throw notFound('passkey')
      return { kind: 'json', value: options }
    },
    again,
  },
)

export const SECURITY_ROUTES: readonly DashboardRoute[] = [
  page(SECURITY_PATH, (visit) => showSecurity(visit)),
  ...APP_ROUTES,
  CONFIRM_OPTIONS,
  act(PASSWORD, async (visit, { password = '' }) => {
    await changePassword(visit.gateway, visit.caller, { password, visitor: COOKIES.visitor(visit) })
    return security.password.changed
  }),
  act(EMAIL, async (visit, { email = '' }) => {
    await requestEmailChange(visit.gateway, visit.caller, { email, visitor: COOKIES.visitor(visit) })
    return security.email.sent
  }),
  act(RESEND, async (visit) => {
    const business = visit.merchant.name
    await resendConfirmation(visit.gateway, visit.caller, { visitor: COOKIES.visitor(visit), business })
    return security.email.resent
  }),
  act(NAME, async (visit, { name = '' }) => {
    await changeName(visit.gateway, visit.caller, name)
    return security.name.saved
  }),
  form(END_SESSION, {
    async submit(visit) {
      await endOwnSession(visit.gateway, visit.caller, idOf(visit))
      const done = doneTo(visit.to(SECURITY_PATH), sessions.ended)
      return idOf(visit) === visit.signedIn.sessionId
        ? { ...done, cookies: [COOKIES.noSession(visit)] }
        : done
    },
    again,
  }),
  act(END_OTHERS, async (visit) => {
    await endOwnOtherSessions(visit.gateway, visit.caller)
    return sessions.othersEnded
  }),
  form(SWITCH, {
    async submit(visit) {
      await switchMerchant(visit.gateway, visit.caller, idOf(visit))
      return doneTo(addressIn(visit.mode, '/'))
    },
    again,
  }),
]
