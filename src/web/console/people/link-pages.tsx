import { type Enrolment, enrol, findEnrolment } from '../../../merchants/people/staff/enrol.ts'
import { oneLine } from '../../../platform/text/text.ts'
import { AppSecret } from '../../parts/account/app-secret.tsx'
import { codesPage } from '../../parts/account/codes-page.tsx'
import type { FormField } from '../../parts/forms/form-spec.ts'
import type { GuestRoute } from '../../parts/routes/route.ts'
import { type LinkPage, linkRoutes, NEW_PASSWORD } from '../../parts/sign-in/link-page.tsx'
import { ENTRY } from '../../parts/sign-in/texts.ts'
import { CONSOLE_BASE } from '../addresses.ts'
import { CONSOLE_COOKIES } from '../session-cookies.ts'
import { ROLE_NAMES } from '../texts/frame.ts'
import { STAFF_ACCOUNT_TEXTS } from '../texts/staff-account.ts'

const CODE_FIELD: FormField = { ...STAFF_ACCOUNT_TEXTS.code, name: 'code', kind: 'code', maxLength: 20 }
const NAME_FIELD: FormField = {
  ...{ ...ENTRY.name, name: 'name', optional: true },
  ...{ maxLength: 100, autocomplete: 'name' },
}

const chooseTexts = ({ role, email }: Enrolment) =>
  role === null
    ? { ...STAFF_ACCOUNT_TEXTS.reset, says: STAFF_ACCOUNT_TEXTS.reset.says(oneLine(email)) }
    : { ...STAFF_ACCOUNT_TEXTS.join, says: STAFF_ACCOUNT_TEXTS.join.says(oneLine(email), ROLE_NAMES[role]) }

/** Makes the page of a mailed link. It shows the secret of the authenticator and asks for a password and a first code at once. */
const makeEnrolmentPage = (path: string, purpose: Enrolment['purpose']): LinkPage => ({
  path,
  async form({ gateway }, token) {
    const enrolled = await findEnrolment(gateway, purpose, token)
    if (enrolled === null) return null
    const { title, says, submit } = chooseTexts(enrolled)
    return {
      title,
      lead: (
        <>
          <p>{says}</p>
          <p>{STAFF_ACCOUNT_TEXTS.needs}</p>
          <AppSecret secret={enrolled.secret} address={enrolled.address} />
        </>
      ),
      fields: [...(purpose === 'operator' ? [NAME_FIELD] : []), NEW_PASSWORD, CODE_FIELD],
      submit,
    }
  },
  async use(asked, token, { password = '', code = '', name }) {
    const visitor = CONSOLE_COOKIES.visitor(asked)
    const enrolled = await enrol(asked.gateway, visitor, { purpose, token, password, code, name })
    return {
      ...codesPage(enrolled.codes, { says: STAFF_ACCOUNT_TEXTS.enrolled, to: CONSOLE_BASE }),
      cookies: CONSOLE_COOKIES.entered(enrolled, asked),
    }
  },
})

export const CONSOLE_LINK_ROUTES: readonly GuestRoute[] = [
  ...linkRoutes(CONSOLE_BASE, makeEnrolmentPage('/join', 'operator')),
  ...linkRoutes(CONSOLE_BASE, makeEnrolmentPage('/reset', 'operator-reset')),
]
