import type { Values } from '../../pages/form-spec.ts'
import { same } from '../../pages/form-token.ts'
import { Note } from '../../pages/parts.tsx'
import { PasskeyButton } from '../../pages/passkey-button.tsx'
import type { Asked, GuestRoute } from '../../pages/route.ts'
import { doneTo, type Shown } from '../../pages/shown.ts'
import { PARTS } from '../../pages/texts.ts'
import { shown } from '../../pages/wording.ts'
import { findSession, type SignedIn } from '../../people/session.ts'
import { awaitsCode, enteringOptions, giveCode, signIn } from '../../people/sign-in.ts'
import { endOwnSession } from '../../people/sign-out.ts'
import { Refusal } from '../../platform/refusal.ts'
import { BASE } from '../addresses.ts'
import { callerAnywhere } from '../caller-anywhere.ts'
import { COOKIES } from '../session-cookies.ts'
import { SIGN_IN } from '../texts/sign-in.ts'
import { goOn, SIGN_IN_ADDRESS, thenOf } from './go-on.ts'
import { answerGuestForm, type GuestForm, showGuestForm } from './guest-form.tsx'

const ADDRESS = SIGN_IN_ADDRESS
const LONGEST_PASSWORD = 512

function hiddenThen(asked: Asked): Values {
  const then = thenOf(asked)
  return then === null ? {} : { then }
}

const passwordForm = (asked: Asked): GuestForm => ({
  title: SIGN_IN.in.title,
  lead:
    asked.flash === null ? undefined : (
      <Note tone={asked.flash.kind === 'done' ? 'good' : 'warn'}>{shown(asked.flash.says)}</Note>
    ),
  address: ADDRESS,
  fields: [
    { name: 'email', label: SIGN_IN.email.label, kind: 'email', autocomplete: 'username' },
    { name: 'password', label: SIGN_IN.password.label, kind: 'password', most: LONGEST_PASSWORD },
  ],
  submit: SIGN_IN.in.submit,
  hidden: hiddenThen(asked),
  below: (
    <>
      <p>
        <a href={`${BASE}/forgot`}>{SIGN_IN.in.forgot}</a>
      </p>
      <p>
        {SIGN_IN.in.noAccount} <a href={`${BASE}/sign-up`}>{SIGN_IN.in.signUp}</a>
      </p>
    </>
  ),
})

const codeForm = (asked: Asked, email: string): GuestForm => ({
  title: SIGN_IN.second.title,
  lead: (
    <>
      <p>{SIGN_IN.second.of(email)}</p>
      <PasskeyButton
        challenge={`${ADDRESS}/passkey`}
        says={SIGN_IN.second.passkey}
        failed={SIGN_IN.second.failed}
        field="code"
      />
    </>
  ),
  address: ADDRESS,
  fields: [{ name: 'code', label: SIGN_IN.code.label, hint: SIGN_IN.code.hint, kind: 'code', most: 20_000 }],
  submit: SIGN_IN.second.submit,
  hidden: hiddenThen(asked),
  below: (
    <p>
      <a href={`${ADDRESS}?other`}>{SIGN_IN.second.other}</a>
    </p>
  ),
})

const sessionOf = ({ gateway, cookies, https }: Asked): Promise<SignedIn | null> =>
  findSession(gateway, 'merchant', cookies.get(COOKIES.name(https)) ?? null)

async function show(asked: Asked): Promise<Shown> {
  const signedIn = await sessionOf(asked)
  // Who works for nobody any more may sign in as somebody else.
  if (signedIn?.at != null) return { kind: 'redirect', to: thenOf(asked) ?? BASE }
  const email =
    asked.query.other === undefined ? await awaitsCode(asked.gateway, COOKIES.visitor(asked)) : null
  return {
    ...showGuestForm(email === null ? passwordForm(asked) : codeForm(asked, email)),
    scripts: ['passkeys.js'],
  }
}

async function submit(asked: Asked): Promise<Shown> {
  const { gateway, fields } = asked
  const visitor = COOKIES.visitor(asked)
  const email = fields.email === undefined ? await awaitsCode(gateway, visitor) : null
  if (email !== null)
    return answerGuestForm(asked, codeForm(asked, email), async ({ code = '' }) => {
      try {
        return await goOn(asked, await giveCode(gateway, visitor, code))
      } catch (error) {
        // After too many wrong codes the password is asked for again.
        if (error instanceof Refusal && error.status < 500 && (await awaitsCode(gateway, visitor)) === null)
          return { kind: 'redirect', to: ADDRESS, flash: { kind: 'note', says: error.message } }
        throw error
      }
    })
  return answerGuestForm(asked, passwordForm(asked), async ({ email = '', password = '' }) =>
    goOn(asked, await signIn(gateway, visitor, { email, password, code: fields.code || undefined })),
  )
}

/** What the script of the page needs to give a passkey in the place of the code. */
async function passkey(asked: Asked): Promise<Shown> {
  const options = await enteringOptions(asked.gateway, COOKIES.visitor(asked))
  if (options === null) throw new Refusal(404, 'not_found', PARTS.errors.notFound)
  return { kind: 'json', value: options }
}

async function signOut(asked: Asked): Promise<Shown> {
  const signedIn = await sessionOf(asked)
  if (signedIn !== null) {
    if (!same(asked.fields.csrf ?? '', signedIn.csrf))
      throw new Refusal(403, 'forbidden', PARTS.errors.session)
    await endOwnSession(asked.gateway, callerAnywhere(asked, signedIn), signedIn.sessionId)
  }
  return { ...doneTo(ADDRESS), cookies: [COOKIES.noSession(asked)] }
}

export const SIGN_IN_GUESTS: readonly GuestRoute[] = [
  { method: 'GET', path: '/sign-in', handle: show },
  { method: 'POST', path: '/sign-in', handle: submit },
  { method: 'POST', path: '/sign-in/passkey', handle: passkey },
  { method: 'POST', path: '/sign-out', handle: signOut },
]
