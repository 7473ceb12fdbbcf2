import { findSession, type SignedIn } from '../../people/session.ts'
import { awaitsCode, enteringOptions, giveCode, signIn } from '../../people/sign-in.ts'
import { endOwnSession } from '../../people/sign-out.ts'
import { Refusal } from '../../platform/refusal.ts'
import type { Values } from '../form-spec.ts'
import { same } from '../form-token.ts'
import { Note } from '../parts.tsx'
import { PasskeyButton } from '../passkey-button.tsx'
import type { Asked, GuestRoute } from '../route.ts'
import { doneTo, type Shown } from '../shown.ts'
import { PARTS } from '../texts.ts'
import { shown } from '../wording.ts'
import { type Door, signInOf } from './door.ts'
import { goOn, thenOf } from './go-on.ts'
import { answerGuestForm, type GuestForm, showGuestForm } from './guest-form.tsx'
import { ENTRY } from './texts.ts'

const LONGEST_PASSWORD = 512

function hiddenThen(door: Door, request: Asked): Values {
  const then = thenOf(door, request)
  return then === null ? {} : { then }
}

const passwordForm = (door: Door, request: Asked): GuestForm => ({
  title: door.title,
  lead:
    request.flash === null ? undefined : (
      <Note tone={request.flash.kind === 'done' ? 'good' : 'warn'}>{shown(request.flash.says)}</Note>
    ),
  address: signInOf(door),
  fields: [
    { name: 'email', label: ENTRY.email.label, kind: 'email', autocomplete: 'username' },
    { name: 'password', label: ENTRY.password.label, kind: 'password', most: LONGEST_PASSWORD },
  ],
  submit: ENTRY.in.submit,
  hidden: hiddenThen(door, request),
  below: door.below,
})

const codeForm = (door: Door, request: Asked, email: string): GuestForm => ({
  title: ENTRY.second.title,
  lead: (
    <>
      <p>{ENTRY.second.of(email)}</p>
      <PasskeyButton
        challenge={`${signInOf(door)}/passkey`}
        says={ENTRY.second.passkey}
        failed={ENTRY.second.failed}
        field="code"
      />
    </>
  ),
  address: signInOf(door),
  fields: [{ name: 'code', label: ENTRY.code.label, hint: ENTRY.code.hint, kind: 'code', most: 20_000 }],
  submit: ENTRY.second.submit,
  hidden: hiddenThen(door, request),
  below: (
    <p>
      <a href={`${signInOf(door)}?other`}>{ENTRY.second.other}</a>
    </p>
  ),
})

const sessionOf = ({ realm, cookies: own }: Door, { gateway, cookies, https }: Asked) =>
  findSession(gateway, realm, cookies.get(own.name(https)) ?? null)

async function show(door: Door, request: Asked): Promise<Shown> {
  const { gateway, query } = request
  const signedIn = await sessionOf(door, request)
  const home = signedIn && (await door.home(signedIn, request))
  if (home !== null) return { kind: 'redirect', to: thenOf(door, request) ?? home }
  const email = query.other === undefined ? await awaitsCode(gateway, door.cookies.visitor(request)) : null
  return {
    ...showGuestForm(email === null ? passwordForm(door, request) : codeForm(door, request, email)),
    scripts: ['passkeys.js'],
  }
}

async function submit(door: Door, request: Asked): Promise<Shown> {
  const { gateway, fields } = request
  const visitor = door.cookies.visitor(request)
  const email = fields.email === undefined ? await awaitsCode(gateway, visitor) : null
  if (email !== null)
    return answerGuestForm(request, codeForm(door, request, email), async ({ code = '' }) => {
      try {
        return await goOn(door, request, await giveCode(gateway, visitor, code))
      } catch (error) {
        // After too many wrong codes the password is asked for again.
        if (error instanceof Refusal && error.status < 500 && (await awaitsCode(gateway, visitor)) === null)
          return { kind: 'redirect', to: signInOf(door), flash: { kind: 'note', says: error.message } }
        throw error
      }
    })
  return answerGuestForm(request, passwordForm(door, request), async ({ email = '', password = '' }) =>
    goOn(door, request, await signIn(gateway, visitor, { email, password, code: fields.code || undefined })),
  )
}

/** Sends the options that the page's script needs to use a passkey instead of the code. */
async function passkey({ cookies }: Door, request: Asked): Promise<Shown> {
  const options = await enteringOptions(request.gateway, cookies.visitor(request))
  if (options === null) throw new Refusal(404, 'not_found', PARTS.errors.notFound)
  return { kind: 'json', value: options }
}

async function signOut(door: Door, request: Asked): Promise<Shown> {
  const signedIn: SignedIn | null = await sessionOf(door, request)
  if (signedIn !== null) {
    if (!same(request.fields.csrf ?? '', signedIn.csrf))
      throw new Refusal(403, 'forbidden', PARTS.errors.session)
    await endOwnSession(request.gateway, door.actorOf(request, signedIn), signedIn.sessionId)
  }
  return { ...doneTo(signInOf(door)), cookies: [door.cookies.noSession(request)] }
}

/** The routes of a surface's sign-in and sign-out. */
export const signInPages = (door: Door): readonly GuestRoute[] => [
  { method: 'GET', path: '/sign-in', handle: (request) => show(door, request) },
  { method: 'POST', path: '/sign-in', handle: (request) => submit(door, request) },
  { method: 'POST', path: '/sign-in/passkey', handle: (request) => passkey(door, request) },
  { method: 'POST', path: '/sign-out', handle: (request) => signOut(door, request) },
]
