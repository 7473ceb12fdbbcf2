import { type AccountPage, accountForms } from '../../pages/account/account-forms.ts'
import { Factors, Name, Password, readAccount, Sessions } from '../../pages/account/account-parts.tsx'
import { accountRoutes } from '../../pages/account/account-routes.tsx'
import { ACCOUNT } from '../../pages/account/texts.ts'
import type { FormState } from '../../pages/form-spec.ts'
import { type Shown, shownPage } from '../../pages/shown.ts'
import { shown } from '../../pages/wording.ts'
import { COOKIES } from '../session-cookies.ts'
import { OPERATORS } from '../texts/people.ts'
import type { ConsoleRoute, ConsoleVisit } from '../visit.ts'

const PATH = '/security'

const SECURITY: AccountPage<ConsoleVisit> = {
  path: PATH,
  cookies: COOKIES,
  forms: accountForms(PATH),
  ...{ removeWarn: OPERATORS.security.removeWarn, removed: OPERATORS.security.removed },
  show: showSecurity,
}

/** Shows what a person of our staff may change about their own sign-in. */
async function showSecurity(visit: ConsoleVisit, state: FormState | null): Promise<Shown> {
  const own = await readAccount(visit)
  const of = SECURITY
  return shownPage(
    ACCOUNT.title,
    <>
      <h1>{ACCOUNT.title}</h1>
      <p>{OPERATORS.security.email(shown(visit.signedIn.person.email))}</p>
      <Factors {...{ of, visit, state, ...own }} />
      <Password {...{ of, visit, state }} />
      <Name {...{ of, visit, state }} />
      <Sessions {...{ of, visit, state, ...own }} />
    </>,
    { status: state?.status ?? 200, scripts: ['passkeys.js'] },
  )
}

export const SECURITY_ROUTES: readonly ConsoleRoute[] = accountRoutes(SECURITY)
