import { AppSecret } from '../../pages/account/app-secret.tsx'
import { codesPage } from '../../pages/account/codes-page.tsx'
import type { Field } from '../../pages/form-spec.ts'
import type { GuestRoute } from '../../pages/route.ts'
import { type LinkPage, linkRoutes, NEW_PASSWORD } from '../../pages/sign-in/link-page.tsx'
import { ENTRY } from '../../pages/sign-in/texts.ts'
import { shown } from '../../pages/wording.ts'
import { type Enrolment, enrol, findEnrolment } from '../../people/operators/enrol.ts'
import { BASE } from '../addresses.ts'
import { COOKIES } from '../session-cookies.ts'
import { ROLE_NAMES } from '../texts/frame.ts'
import { OPERATORS } from '../texts/people.ts'

const CODE: Field = { ...OPERATORS.code, name: 'code', kind: 'code', most: 20 }
const NAME: Field = {
  ...{ ...ENTRY.name, name: 'name', optional: true },
  ...{ most: 100, autocomplete: 'name' },
}

const wordsOf = ({ role, email }: Enrolment) =>
  role === null
    ? { ...OPERATORS.reset, says: OPERATORS.reset.says(shown(email)) }
    : { ...OPERATORS.join, says: OPERATORS.join.says(shown(email), ROLE_NAMES[role]) }

/** Makes the page of a mailed link. It shows the secret of the authenticator and asks for a password and a first code at once. */
const enrolment = (path: string, purpose: Enrolment['purpose']): LinkPage => ({
  path,
  async form({ gateway }, token) {
    const enrolled = await findEnrolment(gateway, purpose, token)
    if (enrolled === null) return null
    const { title, says, submit } = wordsOf(enrolled)
    return {
      title,
      lead: (
        <>
          <p>{says}</p>
          <p>{OPERATORS.needs}</p>
          <AppSecret secret={enrolled.secret} address={enrolled.address} />
        </>
      ),
      fields: [...(purpose === 'operator' ? [NAME] : []), NEW_PASSWORD, CODE],
      submit,
    }
  },
  async use(asked, token, { password = '', code = '', name }) {
    const visitor = COOKIES.visitor(asked)
    const enrolled = await enrol(asked.gateway, visitor, { purpose, token, password, code, name })
    return {
      ...codesPage(enrolled.codes, { says: OPERATORS.enrolled, to: BASE }),
      cookies: COOKIES.entered(enrolled, asked),
    }
  },
})

export const LINK_GUESTS: readonly GuestRoute[] = [
  ...linkRoutes(BASE, enrolment('/join', 'operator')),
  ...linkRoutes(BASE, enrolment('/reset', 'operator-reset')),
]
