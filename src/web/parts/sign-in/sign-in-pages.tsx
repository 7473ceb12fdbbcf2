import { findSession, type SignedInSession } from '../../../merchants/people/session.ts'
import {
  findEmailAwaitingCode,
  makeSignInOptions,
  signIn,
  submitCode,
} from '../../../merchants/people/sign-in/sign-in.ts'
import { endOwnSession } from '../../../merchants/people/sign-in/sign-out.ts'
import { Refusal } from '../../../platform/refusal.ts'
import { oneLine } from '../../../platform/text/text.ts'
import type { FormValues } from '../forms/form-spec.ts'
import { equalsInConstantTime } from '../forms/form-token.ts'
import { PasskeyButton } from '../forms/passkey-button.tsx'
import { Note } from '../parts.tsx'
import type { GuestRoute, PageRequest } from '../routes/route.ts'
import { redirectDone, type SurfaceReply } from '../routes/surface-reply.ts'
import { PARTS } from '../texts.ts'
import { continueSignIn, findNextAddress } from './continue-sign-in.ts'
import { answerGuestForm, type GuestForm, showGuestForm } from './guest-form.tsx'
import { type SignInConfig, signInAddress } from './sign-in-config.ts'
import { ENTRY } from './texts.ts'

const MAX_PASSWORD_CHARACTERS = 512

function hiddenThen(door: SignInConfig, request: PageRequest): FormValues {
  const then = findNextAddress(door, request)
  return then === null ? {} : { then }
}

const passwordForm = (door: SignInConfig, request: PageRequest): GuestForm => ({
  title: door.title,
  lead:
    request.flash === null ? undefined : (
      <Note tone={request.flash.kind === 'done' ? 'good' : 'warn'}>{oneLine(request.flash.says)}</Note>
    ),
  address: signInAddress(door),
  fields: [
    { name: 'email', label: ENTRY.email.label, kind: 'email', autocomplete: 'username' },
    { name: 'password', label: ENTRY.password.label, kind: 'password', maxLength: MAX_PASSWORD_CHARACTERS },
  ],
  submit: ENTRY.in.submit,
  hidden: hiddenThen(door, request),
  below: door.below,
})

const codeForm = (door: SignInConfig, request: PageRequest, email: string): GuestForm => ({
  title: ENTRY.second.title,
  lead: (
    <>
      <p>{ENTRY.second.of(email)}</p>
      <PasskeyButton
        challenge={`${signInAddress(door)}/passkey`}
        says={ENTRY.second.passkey}
        failed={ENTRY.second.failed}
        field="code"
      />
    </>
  ),
  address: signInAddress(door),
  fields: [{ name: 'code', label: ENTRY.code.label, hint: ENTRY.code.hint, kind: 'code', maxLength: 20_000 }],
  submit: ENTRY.second.submit,
  hidden: hiddenThen(door, request),
  below: (
    <p>
      <a href={`${signInAddress(door)}?other`}>{ENTRY.second.other}</a>
    </p>
  ),
})

const findOwnSession = ({ realm, cookies: own }: SignInConfig, { gateway, cookies, https }: PageRequest) =>
  findSession(gateway, realm, cookies.get(own.name(https)) ?? null)

async function showSignIn(door: SignInConfig, request: PageRequest): Promise<SurfaceReply> {
  const { gateway, query } = request
  const signedIn = await findOwnSession(door, request)
  const home = signedIn && (await door.home(signedIn, request))
  if (home !== null) return { kind: 'redirect', to: findNextAddress(door, request) ?? home }
  const email = query.other === undefined ? await findEmailAwaitingCode(gateway, door.cookies.visitor(request)) : null
  return {
    ...showGuestForm(email === null ? passwordForm(door, request) : codeForm(door, request, email)),
    scripts: ['passkeys.js'],
  }
}

async function submitSignIn(door: SignInConfig, request: PageRequest): Promise<SurfaceReply> {
  const { gateway, fields } = request
  const visitor = door.cookies.visitor(request)
  const email = fields.email === undefined ? await findEmailAwaitingCode(gateway, visitor) : null
  if (email !== null)
    return answerGuestForm(request, codeForm(door, request, email), async ({ code = '' }) => {
      try {
        return await continueSignIn(door, request, await submitCode(gateway, visitor, code))
      } catch (error) {
        // After too many wrong codes the password is asked for again.
        if (error instanceof Refusal && error.status < 500 && (await findEmailAwaitingCode(gateway, visitor)) === null)
          return { kind: 'redirect', to: signInAddress(door), flash: { kind: 'note', says: error.message } }
        throw error
      }
    })
  return answerGuestForm(request, passwordForm(door, request), async ({ email = '', password = '' }) =>
    continueSignIn(door, request, await signIn(gateway, visitor, { email, password, code: fields.code || undefined })),
  )
}

/** Sends the options that the page's script needs to use a passkey instead of the code. */
async function sendPasskeyOptions({ cookies }: SignInConfig, request: PageRequest): Promise<SurfaceReply> {
  const options = await makeSignInOptions(request.gateway, cookies.visitor(request))
  if (options === null) throw new Refusal(404, 'not_found', PARTS.errors.notFound)
  return { kind: 'json', value: options }
}

async function signOut(door: SignInConfig, request: PageRequest): Promise<SurfaceReply> {
  const signedIn: SignedInSession | null = await findOwnSession(door, request)
  if (signedIn !== null) {
    if (!equalsInConstantTime(request.fields.csrf ?? '', signedIn.csrf))
      throw new Refusal(403, 'forbidden', PARTS.errors.session)
    await endOwnSession(request.gateway, door.actorOf(request, signedIn), signedIn.sessionId)
  }
  return { ...redirectDone(signInAddress(door)), cookies: [door.cookies.noSession(request)] }
}

/** The routes of a surface's sign-in and sign-out. */
export const signInPages = (door: SignInConfig): readonly GuestRoute[] => [
  { method: 'GET', path: '/sign-in', handle: (request) => showSignIn(door, request) },
  { method: 'POST', path: '/sign-in', handle: (request) => submitSignIn(door, request) },
  { method: 'POST', path: '/sign-in/passkey', handle: (request) => sendPasskeyOptions(door, request) },
  { method: 'POST', path: '/sign-out', handle: (request) => signOut(door, request) },
]
