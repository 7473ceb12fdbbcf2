import { signUp } from '../../../merchants/people/sign-in/sign-up.ts'
import { Refusal } from '../../../platform/refusal.ts'
import { FieldFault } from '../../parts/forms/form-spec.ts'
import { newOneTimeToken, verifyFormToken } from '../../parts/forms/form-token.ts'
import type { GuestRoute, PageRequest } from '../../parts/routes/route.ts'
import type { SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { answerGuestForm, type GuestForm, showGuestForm } from '../../parts/sign-in/guest-form.tsx'
import { NEW_PASSWORD } from '../../parts/sign-in/link-page.tsx'
import { ENTRY } from '../../parts/sign-in/texts.ts'
import { PARTS } from '../../parts/texts.ts'
import { DASHBOARD_BASE, TEST_PREFIX } from '../addresses.ts'
import { DASHBOARD_COOKIES } from '../session-cookies.ts'
import { SIGN_IN } from '../texts/sign-in.ts'

const SIGN_UP_ADDRESS = `${DASHBOARD_BASE}/sign-up`
// There is no session yet: the form's token is bound to its address alone.
const TOKEN_BINDING = { sessionId: '', address: SIGN_UP_ADDRESS }

const signUpForm = (token: string): GuestForm => ({
  title: SIGN_IN.up.title,
  lead: <p>{SIGN_IN.up.lead}</p>,
  address: SIGN_UP_ADDRESS,
  fields: [
    {
      name: 'business',
      label: SIGN_IN.business.label,
      hint: SIGN_IN.business.hint,
      maxLength: 200,
      autocomplete: 'organization',
      about: ['business', 'name'],
    },
    { name: 'email', label: ENTRY.email.label, kind: 'email', autocomplete: 'username' },
    NEW_PASSWORD,
    {
      name: 'handle',
      label: SIGN_IN.handle.label,
      hint: SIGN_IN.handle.hint,
      maxLength: 30,
      optional: true,
    },
  ],
  submit: SIGN_IN.up.submit,
  hidden: { form: token },
  below: (
    <p>
      {SIGN_IN.up.known} <a href={`${DASHBOARD_BASE}/sign-in`}>{SIGN_IN.up.signIn}</a>
    </p>
  ),
})

const newToken = ({ gateway, now }: PageRequest) => newOneTimeToken(gateway.vault, TOKEN_BINDING, now.getTime())

const showSignUp = async (asked: PageRequest): Promise<SurfaceReply> => showGuestForm(signUpForm(newToken(asked)))

async function submitSignUp(asked: PageRequest): Promise<SurfaceReply> {
  const { gateway, fields } = asked
  const form = signUpForm(fields.form || newToken(asked))
  return answerGuestForm(asked, form, async ({ business = '', email = '', password = '', handle = '' }) => {
    if (business.trim() === '') throw new FieldFault('business', PARTS.mend)
    const formKey = parseFormKey(asked)
    const session = await signUp(gateway, DASHBOARD_COOKIES.visitor(asked), {
      ...{ business, email, password, handle: handle || undefined, formKey },
    })
    return {
      kind: 'redirect',
      to: `${DASHBOARD_BASE}${TEST_PREFIX}`,
      cookies: DASHBOARD_COOKIES.entered(session, asked),
    }
  })
}

/** The key by which a form that is sent twice opens one account. A form without a token came from a program: each opens an account. */
function parseFormKey({ gateway, fields, now }: PageRequest): string | undefined {
  if (!fields.form) return undefined
  const result = verifyFormToken(gateway.vault, TOKEN_BINDING, { token: fields.form, nowMs: now.getTime() })
  if ('key' in result) return result.key
  throw new Refusal(403, 'forbidden', PARTS.errors.expired)
}

export const SIGN_UP_GUESTS: readonly GuestRoute[] = [
  { method: 'GET', path: '/sign-up', handle: showSignUp },
  { method: 'POST', path: '/sign-up', handle: submitSignUp },
]
