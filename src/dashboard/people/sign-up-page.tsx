import { FieldFault } from '../../pages/form-spec.ts'
import { keyOfForm, newFormToken } from '../../pages/form-token.ts'
import type { Asked, GuestRoute } from '../../pages/route.ts'
import type { Shown } from '../../pages/shown.ts'
import { answerGuestForm, type GuestForm, showGuestForm } from '../../pages/sign-in/guest-form.tsx'
import { NEW_PASSWORD } from '../../pages/sign-in/link-page.tsx'
import { ENTRY } from '../../pages/sign-in/texts.ts'
import { PARTS } from '../../pages/texts.ts'
import { signUp } from '../../people/sign-up.ts'
import { Refusal } from '../../platform/refusal.ts'
import { BASE, TEST } from '../addresses.ts'
import { COOKIES } from '../session-cookies.ts'
import { SIGN_IN } from '../texts/sign-in.ts'

const ADDRESS = `${BASE}/sign-up`
// There is no session yet: the form's token is bound to its address alone.
const PLACE = { sessionId: '', address: ADDRESS }

const formOf = (token: string): GuestForm => ({
  title: SIGN_IN.up.title,
  lead: <p>{SIGN_IN.up.lead}</p>,
  address: ADDRESS,
  fields: [
    {
      name: 'business',
      label: SIGN_IN.business.label,
      hint: SIGN_IN.business.hint,
      most: 200,
      autocomplete: 'organization',
      refused: /^invalid request: (?:name|business) /,
    },
    { name: 'email', label: ENTRY.email.label, kind: 'email', autocomplete: 'username' },
    NEW_PASSWORD,
    {
      name: 'handle',
      label: SIGN_IN.handle.label,
      hint: SIGN_IN.handle.hint,
      most: 30,
      optional: true,
      refused: /handle/,
    },
  ],
  submit: SIGN_IN.up.submit,
  hidden: { form: token },
  below: (
    <p>
      {SIGN_IN.up.known} <a href={`${BASE}/sign-in`}>{SIGN_IN.up.signIn}</a>
    </p>
  ),
})

const newToken = ({ gateway, now }: Asked) => newFormToken(gateway.vault, PLACE, now.getTime())

const show = async (asked: Asked): Promise<Shown> => showGuestForm(formOf(newToken(asked)))

async function submit(asked: Asked): Promise<Shown> {
  const { gateway, fields } = asked
  const form = formOf(fields.form || newToken(asked))
  return answerGuestForm(asked, form, async ({ business = '', email = '', password = '', handle = '' }) => {
    if (business.trim() === '') throw new FieldFault('business', PARTS.mend)
    const formKey = keyOf(asked)
    const session = await signUp(gateway, COOKIES.visitor(asked), {
      ...{ business, email, password, handle: handle || undefined, formKey },
    })
    return { kind: 'redirect', to: `${BASE}${TEST}`, cookies: COOKIES.entered(session, asked) }
  })
}

/** The key by which a form that is sent twice opens one account. A form without a token came from a program: each opens an account. */
function keyOf({ gateway, fields, now }: Asked): string | undefined {
  if (!fields.form) return undefined
  const result = keyOfForm(gateway.vault, PLACE, { token: fields.form, nowMs: now.getTime() })
  if ('key' in result) return result.key
  throw new Refusal(403, 'forbidden', PARTS.errors.expired)
}

export const SIGN_UP_GUESTS: readonly GuestRoute[] = [
  { method: 'GET', path: '/sign-up', handle: show },
  { method: 'POST', path: '/sign-up', handle: submit },
]
