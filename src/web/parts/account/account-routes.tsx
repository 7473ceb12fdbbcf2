import {
  beginApp,
  confirmApp,
  findNewApp,
  removeFactor,
  renewRecoveryCodes,
} from '../../../merchants/people/factors/factors.ts'
import { addPasskey, makeConfirmOptions, makePasskeyOptions } from '../../../merchants/people/factors/passkeys.ts'
import { endOwnOtherSessions } from '../../../merchants/people/open-sessions.ts'
import { changeName, changePassword } from '../../../merchants/people/own-account.ts'
import { endOwnSession } from '../../../merchants/people/sign-in/sign-out.ts'
import { notFound } from '../../../platform/refusal.ts'
import { FormBox } from '../forms/form.tsx'
import type { FormSpec, FormState, FormValues } from '../forms/form-spec.ts'
import { buildConfirmedAct } from '../forms/step-up.ts'
import { formRoute, pageRoute, type SurfaceRoute } from '../routes/route.ts'
import { pageReply, redirectDone, type SurfaceReply } from '../routes/surface-reply.ts'
import type { AccountPage, AccountVisit } from './account-forms.ts'
import { AppSecret } from './app-secret.tsx'
import { codesPage } from './codes-page.tsx'
import { ACCOUNT } from './texts.ts'

const idOf = ({ params }: AccountVisit) => params.id ?? ''

/** Makes the route of a form that leads back to the account's page with the sentence that `does` returns. */
export const accountFormRoute = <V extends AccountVisit>(
  { path, show }: AccountPage<V>,
  spec: FormSpec,
  does: (visit: V, values: FormValues) => Promise<string>,
): SurfaceRoute<V> =>
  formRoute<V>(spec, {
    submit: async (visit, values) => redirectDone(visit.to(path), await does(visit, values)),
    showRefused: show,
  })

/** Lists the pages and forms of one's own account that every surface has. */
export function accountRoutes<V extends AccountVisit>(of: AccountPage<V>): SurfaceRoute<V>[] {
  const { path, forms, cookies, show } = of
  return [
    pageRoute<V>(path, (visit) => show(visit, null), 'account.step-up'),
    ...appRoutes(of),
    ...passkeyRoutes(of),
    accountFormRoute(of, forms.removeFactor, async (visit) => {
      await removeFactor(visit.gateway, visit.caller, idOf(visit))
      return of.removed
    }),
    accountFormRoute(of, forms.password, async (visit, { password = '' }) => {
      await changePassword(visit.gateway, visit.caller, { password, visitor: cookies.visitor(visit) })
      return ACCOUNT.password.changed
    }),
    accountFormRoute(of, forms.name, async (visit, { name = '' }) => {
      await changeName(visit.gateway, visit.caller, name)
      return ACCOUNT.name.saved
    }),
    formRoute<V>(forms.endSession, {
      async submit(visit) {
        await endOwnSession(visit.gateway, visit.caller, idOf(visit))
        const done = redirectDone(visit.to(path), ACCOUNT.sessions.ended)
        return idOf(visit) === visit.signedIn.sessionId ? { ...done, cookies: [cookies.noSession(visit)] } : done
      },
      showRefused: show,
    }),
    accountFormRoute(of, forms.endOthers, async (visit) => {
      await endOwnOtherSessions(visit.gateway, visit.caller)
      return ACCOUNT.sessions.othersEnded
    }),
  ]
}

/** Shows new recovery codes, only this once; redirects to the account's page if there are none. */
const showCodes = <V extends AccountVisit>(
  { path }: AccountPage<V>,
  visit: V,
  { codes, says }: { codes: readonly string[]; says: string },
): SurfaceReply =>
  codes.length === 0 ? redirectDone(visit.to(path), says) : codesPage(codes, { says, to: visit.to(path) })

function appRoutes<V extends AccountVisit>(of: AccountPage<V>): SurfaceRoute<V>[] {
  const { path, forms, show } = of
  const enrolment = (visit: V, state: FormState | null) => showEnrolment(of, visit, state)
  return [
    formRoute<V>(forms.beginApp, {
      submit: async (visit) => {
        const { id } = await beginApp(visit.gateway, visit.caller)
        return { kind: 'redirect', to: visit.to(`${path}/app/${id}`) }
      },
      showRefused: show,
    }),
    pageRoute<V>(forms.confirmApp.path, (visit) => enrolment(visit, null), 'account.step-up'),
    formRoute<V>(forms.confirmApp, {
      async submit(visit, { code = '' }) {
        const { codes } = await confirmApp(visit.gateway, visit.caller, { id: idOf(visit), code })
        return showCodes(of, visit, { codes, says: ACCOUNT.factors.added })
      },
      showRefused: enrolment,
    }),
    formRoute<V>(forms.renewCodes, {
      async submit(visit) {
        const codes = await renewRecoveryCodes(visit.gateway, visit.caller)
        return showCodes(of, visit, { codes, says: '' })
      },
      showRefused: show,
    }),
  ]
}

/** Shows the secret of an authenticator app that is being added, until its first code was right. */
async function showEnrolment<V extends AccountVisit>(
  { forms }: AccountPage<V>,
  visit: V,
  state: FormState | null,
): Promise<SurfaceReply> {
  const { gateway, caller, signedIn } = visit
  const id = idOf(visit)
  const app = await findNewApp(gateway, caller, { id, account: signedIn.person.email })
  if (app === null) throw notFound('factor')
  const { enrol } = ACCOUNT
  return pageReply(
    enrol.title,
    <>
      <h1>{enrol.title}</h1>
      <AppSecret {...app} />
      <FormBox of={forms.confirmApp} visit={visit} state={state} params={{ id }} />
    </>,
    { status: state?.status ?? 200 },
  )
}

function passkeyRoutes<V extends AccountVisit>(of: AccountPage<V>): SurfaceRoute<V>[] {
  const { forms, show } = of
  return [
    formRoute<V>(forms.addPasskey, {
      async submit(visit, { name = '', response = '' }) {
        const { codes } = await addPasskey(visit.gateway, visit.caller, { name, response })
        return showCodes(of, visit, { codes, says: ACCOUNT.factors.added })
      },
      showRefused: show,
    }),
    formRoute<V>(
      { path: `${forms.addPasskey.path}/options`, action: 'account.factors', fields: [], submit: '' },
      {
        submit: async (visit) => ({
          kind: 'json',
          value: await makePasskeyOptions(visit.gateway, visit.caller),
        }),
        showRefused: show,
      },
    ),
    // The options that the script needs to confirm a form with a passkey: it sends the form's fields here first.
    formRoute<V>(
      { path: '/passkey', action: 'account.step-up', fields: [], submit: '' },
      {
        async submit({ gateway, caller, fields }) {
          const { act = '', ...said } = fields
          const { sessionId } = caller
          const options = await makeConfirmOptions(gateway, caller.personId, {
            ...{ sessionId, act: buildConfirmedAct(act, said) },
          })
          if (options === null) throw notFound('passkey')
          return { kind: 'json', value: options }
        },
        showRefused: show,
      },
    ),
  ]
}
