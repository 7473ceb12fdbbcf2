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
import type { FormState } from '../../parts/forms/form-spec.ts'
import { pageReply, type SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { CONSOLE_COOKIES } from '../session-cookies.ts'
import { STAFF_ACCOUNT_TEXTS } from '../texts/staff-account.ts'
import type { ConsoleVisit } from '../visit.ts'

const SECURITY_PATH = '/security'

export const SECURITY_PAGE: AccountPage<ConsoleVisit> = {
  path: SECURITY_PATH,
  cookies: CONSOLE_COOKIES,
  forms: accountForms(SECURITY_PATH),
  ...{ removeWarn: STAFF_ACCOUNT_TEXTS.security.removeWarn, removed: STAFF_ACCOUNT_TEXTS.security.removed },
  show: showSecurity,
}

/** Shows what a person of our staff may change about their own sign-in. */
async function showSecurity(visit: ConsoleVisit, state: FormState | null): Promise<SurfaceReply> {
  const own = await readAccountFacts(visit)
  const of = SECURITY_PAGE
  return pageReply(
    ACCOUNT.title,
    <>
      <h1>{ACCOUNT.title}</h1>
      <p>{STAFF_ACCOUNT_TEXTS.security.email(oneLine(visit.signedIn.person.email))}</p>
      <FactorsSection {...{ of, visit, state, ...own }} />
      <PasswordSection {...{ of, visit, state }} />
      <NameSection {...{ of, visit, state }} />
      <SessionsSection {...{ of, visit, state, ...own }} />
    </>,
    { status: state?.status ?? 200, scripts: ['passkeys.js'] },
  )
}
