import { type AccountPage, accountForms } from '../../pages/account/account-forms.ts'
import { Factors, Name, Password, readAccount, Sessions } from '../../pages/account/account-parts.tsx'
import { ACCOUNT } from '../../pages/account/texts.ts'
import { FormBox } from '../../pages/form.tsx'
import type { FormSpec, FormState } from '../../pages/form-spec.ts'
import { Note, Section, timeText } from '../../pages/parts.tsx'
import { type Shown, shownPage } from '../../pages/shown.ts'
import { shown } from '../../pages/wording.ts'
import { COOKIES } from '../session-cookies.ts'
import { PEOPLE } from '../texts/people.ts'
import type { DashboardVisit } from '../visit.ts'

export const SECURITY_PATH = '/settings/security'
const { security } = PEOPLE

const bare = { fields: [] } as const

export const SECURITY: AccountPage<DashboardVisit> = {
  path: SECURITY_PATH,
  cookies: COOKIES,
  forms: accountForms(SECURITY_PATH),
  ...{ removeWarn: security.removeWarn, removed: security.removed },
  show: showSecurity,
}

export const EMAIL: FormSpec = {
  path: `${SECURITY_PATH}/email`,
  action: 'account.email',
  fields: [{ name: 'email', label: security.email.label, hint: security.email.hint, kind: 'email' }],
  submit: security.email.submit,
}
export const RESEND: FormSpec = {
  path: `${SECURITY_PATH}/confirmation`,
  action: 'account.resend',
  ...{ ...bare, submit: security.email.resend, plain: true },
}
export const ADD_BUSINESS: FormSpec = {
  path: `${SECURITY_PATH}/business`,
  action: 'account.add-business',
  fields: [{ name: 'password', label: security.add.label, kind: 'password', most: 512 }],
  submit: security.add.submit,
}
export const SWITCH: FormSpec = {
  path: '/settings/business/:id/switch',
  action: 'account.switch',
  ...{ ...bare, submit: '', plain: true },
}

/** Shows what a person may change about their own sign-in. */
async function showSecurity(visit: DashboardVisit, state: FormState | null): Promise<Shown> {
  const { signedIn } = visit
  const account = await readAccount(visit)
  const of = SECURITY
  return shownPage(
    ACCOUNT.title,
    <>
      <h1>{ACCOUNT.title}</h1>
      {signedIn.heldUntil !== null && <Note tone="warn">{security.held(timeText(signedIn.heldUntil))}</Note>}
      {signedIn.till ? (
        <Note>{security.till}</Note>
      ) : (
        <>
          <Factors {...{ of, visit, state, ...account }} />
          <Password {...{ of, visit, state }} />
          <Section title={security.email.title}>
            <p>{security.email.now(shown(signedIn.person.email))}</p>
            {!signedIn.person.confirmed && (
              <>
                <p>{security.email.unconfirmed}</p>
                <FormBox of={RESEND} visit={visit} state={state} />
              </>
            )}
            <FormBox of={EMAIL} visit={visit} state={state} />
          </Section>
          <Name {...{ of, visit, state }} />
        </>
      )}
      {signedIn.person.confirmed && !signedIn.till && (
        <Section title={security.add.title}>
          <p>{security.add.lead}</p>
          <FormBox of={ADD_BUSINESS} visit={visit} state={state} />
        </Section>
      )}
      <Sessions {...{ of, visit, state, ...account }} />
      {signedIn.memberships.length > 1 && <Businesses visit={visit} />}
    </>,
    { status: state?.status ?? 200, scripts: ['passkeys.js'] },
  )
}

/** The businesses of the person, each with a button that switches to it. */
const Businesses = ({ visit }: { visit: DashboardVisit }) => (
  <Section title={security.switch.title}>
    <ul>
      {visit.signedIn.memberships.map(({ publicId, handle, merchantId }) => (
        <li>
          {merchantId === visit.merchant.id ? (
            `${handle} (${security.switch.here})`
          ) : (
            <FormBox
              of={{ ...SWITCH, submit: security.switch.submit(handle) }}
              visit={visit}
              params={{ id: publicId }}
              compact
            />
          )}
        </li>
      ))}
    </ul>
  </Section>
)
