import { oneLine } from '../../../platform/text/text.ts'
import { type AccountPage, accountForms } from '../../parts/account/account-forms.ts'
import {
  FactorsSection,
  NameSection,
  PasswordSection,
  readAccountFacts,
  SessionsSection,
} from '../../parts/account/account-parts.tsx'
import { ACCOUNT } from '../../parts/account/texts.ts'
import { FormBox } from '../../parts/forms/form.tsx'
import type { FormSpec, FormState } from '../../parts/forms/form-spec.ts'
import { formatPageTime, Note, Section } from '../../parts/parts.tsx'
import { pageReply, type SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { DASHBOARD_COOKIES } from '../session-cookies.ts'
import { PEOPLE } from '../texts/people.ts'
import type { DashboardVisit } from '../visit.ts'

export const SECURITY_PATH = '/settings/security'
const { security } = PEOPLE

const NO_FIELDS = { fields: [] } as const

export const SECURITY_PAGE: AccountPage<DashboardVisit> = {
  path: SECURITY_PATH,
  cookies: DASHBOARD_COOKIES,
  forms: accountForms(SECURITY_PATH),
  ...{ removeWarn: security.removeWarn, removed: security.removed },
  show: showSecurity,
}

export const CHANGE_EMAIL: FormSpec = {
  path: `${SECURITY_PATH}/email`,
  action: 'account.email',
  fields: [{ name: 'email', label: security.email.label, hint: security.email.hint, kind: 'email' }],
  submit: security.email.submit,
}
export const RESEND_CONFIRMATION: FormSpec = {
  path: `${SECURITY_PATH}/confirmation`,
  action: 'account.resend',
  ...{ ...NO_FIELDS, submit: security.email.resend, plain: true },
}
export const ADD_BUSINESS: FormSpec = {
  path: `${SECURITY_PATH}/business`,
  action: 'account.add-business',
  fields: [{ name: 'password', label: security.add.label, kind: 'password', maxLength: 512 }],
  submit: security.add.submit,
}
export const SWITCH_BUSINESS: FormSpec = {
  path: '/settings/business/:id/switch',
  action: 'account.switch',
  ...{ ...NO_FIELDS, submit: '', plain: true },
}

/** Shows what a person may change about their own sign-in. */
async function showSecurity(visit: DashboardVisit, state: FormState | null): Promise<SurfaceReply> {
  const { signedIn } = visit
  const account = await readAccountFacts(visit)
  const of = SECURITY_PAGE
  return pageReply(
    ACCOUNT.title,
    <>
      <h1>{ACCOUNT.title}</h1>
      {signedIn.heldUntil !== null && <Note tone="warn">{security.held(formatPageTime(signedIn.heldUntil))}</Note>}
      {signedIn.till ? (
        <Note>{security.till}</Note>
      ) : (
        <>
          <FactorsSection {...{ of, visit, state, ...account }} />
          <PasswordSection {...{ of, visit, state }} />
          <Section title={security.email.title}>
            <p>{security.email.now(oneLine(signedIn.person.email))}</p>
            {!signedIn.person.confirmed && (
              <>
                <p>{security.email.unconfirmed}</p>
                <FormBox of={RESEND_CONFIRMATION} visit={visit} state={state} />
              </>
            )}
            <FormBox of={CHANGE_EMAIL} visit={visit} state={state} />
          </Section>
          <NameSection {...{ of, visit, state }} />
        </>
      )}
      {signedIn.person.confirmed && !signedIn.till && (
        <Section title={security.add.title}>
          <p>{security.add.lead}</p>
          <FormBox of={ADD_BUSINESS} visit={visit} state={state} />
        </Section>
      )}
      <SessionsSection {...{ of, visit, state, ...account }} />
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
              of={{ ...SWITCH_BUSINESS, submit: security.switch.submit(handle) }}
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
