import type { Field } from '../../pages/form-spec.ts'
import { timeText } from '../../pages/parts.tsx'
import type { Asked, GuestRoute } from '../../pages/route.ts'
import { type Shown, shownPage } from '../../pages/shown.ts'
import { goOn } from '../../pages/sign-in/go-on.ts'
import { answerGuestForm, type GuestForm, showGuestForm } from '../../pages/sign-in/guest-form.tsx'
import { type LinkPage, linkRoutes, NEW_PASSWORD } from '../../pages/sign-in/link-page.tsx'
import { ENTRY } from '../../pages/sign-in/texts.ts'
import { shown } from '../../pages/wording.ts'
import { changeEmail, stopEmailChange } from '../../people/change-email.ts'
import { type Confirming, confirmEmail, findConfirming } from '../../people/confirm-email.ts'
import { findInvitation, joinMerchant, type OpenInvitation } from '../../people/join.ts'
import { findLinkFacts } from '../../people/link-facts.ts'
import { findLink } from '../../people/links.ts'
import { findReset, type OpenReset, requestReset, resetPassword } from '../../people/reset-password.ts'
import { enterTill } from '../../people/tills.ts'
import { inSentence } from '../../platform/text.ts'
import { BASE } from '../addresses.ts'
import { COOKIES } from '../session-cookies.ts'
import { SIGN_IN } from '../texts/sign-in.ts'
import { DOOR } from './door.tsx'

const reset: LinkPage = {
  path: '/reset',
  async form({ gateway }, token) {
    const openReset = await findReset(gateway, token)
    return openReset === null ? null : resetForm(openReset)
  },
  use: async (asked, token, { password = '', business }) =>
    goOn(
      DOOR,
      asked,
      await resetPassword(asked.gateway, COOKIES.visitor(asked), { token, password, business }),
    ),
}

/** Before an address is confirmed, anybody may have opened a business with it: the page names the business, or asks for the person's own. */
function resetForm({ opened }: OpenReset): Awaited<ReturnType<LinkPage['form']>> {
  const { reset } = SIGN_IN
  const [only, ...more] = opened
  // No choice is preselected: the first business may be a stranger's.
  const businessField: Field = {
    ...{ name: 'business', label: reset.which, hint: reset.whichHint, kind: 'radio' as const },
    choices: opened.map(({ publicId, business, at }) => ({
      value: publicId,
      label: reset.opened(shown(business), timeText(at)),
    })),
  }
  return {
    title: reset.title,
    lead: (
      <>
        {only !== undefined && more.length === 0 && (
          <p>{reset.only(inSentence(shown(only.business)), timeText(only.at))}</p>
        )}
        <p>{reset.lead}</p>
      </>
    ),
    fields: more.length === 0 ? [NEW_PASSWORD] : [businessField, NEW_PASSWORD],
    submit: reset.submit,
  }
}

const toSignIn = (message: string): Shown => ({
  kind: 'redirect',
  to: `${BASE}/sign-in`,
  flash: { kind: 'done', says: message },
})

const confirm: LinkPage = {
  path: '/confirm',
  async form(asked, token) {
    const { gateway } = asked
    const confirming = await findConfirming(gateway, COOKIES.visitor(asked), token)
    const facts = confirming && (await findLinkFacts(gateway, 'confirm', token))
    return confirming && facts && confirmForm(confirming, shown(facts.business))
  },
  async use(asked, token, { password = '', account = '' }) {
    const passwords = { password, ownerPassword: account }
    await confirmEmail(asked.gateway, COOKIES.visitor(asked), { token, ...passwords })
    return toSignIn(SIGN_IN.confirm.done)
  },
}

function confirmForm(
  { email, owner, asksClaim, asksOwner }: Confirming,
  business: string,
): Awaited<ReturnType<LinkPage['form']>> {
  const { confirm } = SIGN_IN
  const typed = { kind: 'password' as const, most: 512 }
  const ofAccount = { name: 'account', label: confirm.account, refused: /of your account/, ...typed }
  const ofBusiness = { name: 'password', label: confirm.opened(business), ...typed }
  return {
    title: confirm.title,
    lead: (
      <>
        <p>{owner === null ? confirm.says(shown(email.text), business) : confirm.claimed(business)}</p>
        <p>{confirm.notYou}</p>
      </>
    ),
    fields: [...(asksClaim ? [ofBusiness] : []), ...(asksOwner ? [ofAccount] : [])],
    submit: confirm.submit,
  }
}

const email: LinkPage = {
  path: '/email',
  async form({ gateway }, token) {
    const link = await findLink(gateway, 'email', token)
    if (link?.email == null) return null
    const { change } = SIGN_IN
    const lead = <p>{change.says(shown(link.email))}</p>
    return { title: change.title, lead, fields: [], submit: change.submit }
  },
  async use(asked, token) {
    await changeEmail(asked.gateway, COOKIES.visitor(asked), token)
    return toSignIn(SIGN_IN.change.done)
  },
}

const stopEmail: LinkPage = {
  path: '/email-stop',
  async form({ gateway }, token) {
    const link = await findLink(gateway, 'email-stop', token)
    if (link?.email == null) return null
    const { stop } = SIGN_IN
    const lead = <p>{stop.says(shown(link.email))}</p>
    return { title: stop.title, lead, fields: [], submit: stop.submit }
  },
  // The next step is a new password, because the person who asked for the change was signed in.
  async use(asked, token) {
    const resetToken = await stopEmailChange(asked.gateway, COOKIES.visitor(asked), token)
    return { kind: 'redirect', to: `${BASE}/reset?link=${resetToken}` }
  },
}

const join: LinkPage = {
  path: '/join',
  async form({ gateway }, token) {
    const invitation = await findInvitation(gateway, token)
    if (invitation === null) return null
    const facts = await findLinkFacts(gateway, 'join', token)
    return joinForm(invitation, shown(facts?.business ?? ''))
  },
  use: async (asked, token, { password = '', name }) =>
    goOn(DOOR, asked, await joinMerchant(asked.gateway, COOKIES.visitor(asked), { token, password, name })),
}

function joinForm(
  { role, email, known }: OpenInvitation,
  business: string,
): Awaited<ReturnType<LinkPage['form']>> {
  const { join } = SIGN_IN
  const { name, password } = ENTRY
  const ownPassword = { name: 'password', label: password.label, kind: 'password' as const, most: 512 }
  return {
    title: join.title(business),
    lead: (
      <>
        <p>{join.says(SIGN_IN.roles[role ?? 'viewer'], shown(email ?? ''))}</p>
        {known && <p>{join.known}</p>}
      </>
    ),
    fields: known
      ? [ownPassword]
      : [
          {
            name: 'name',
            label: name.label,
            hint: name.hint,
            most: 100,
            optional: true,
            autocomplete: 'name',
          },
          NEW_PASSWORD,
        ],
    submit: join.submit,
  }
}

const till: LinkPage = {
  path: '/till',
  async form({ gateway }, token) {
    const link = await findLink(gateway, 'till', token)
    if (link?.shiftEnds == null) return null
    const facts = await findLinkFacts(gateway, 'till', token)
    const { till } = SIGN_IN
    const message = till.says(
      inSentence(shown(link.name ?? '')),
      inSentence(shown(facts?.business ?? '')),
      timeText(link.shiftEnds),
    )
    return { title: till.title, lead: <p>{message}</p>, fields: [], submit: till.submit }
  },
  async use(asked, token) {
    const session = await enterTill(asked.gateway, COOKIES.visitor(asked), token)
    return { kind: 'redirect', to: `${BASE}/counter`, cookies: [COOKIES.session(session.token, asked)] }
  },
}

const FORGOT: GuestForm = {
  title: SIGN_IN.forgot.title,
  lead: <p>{SIGN_IN.forgot.lead}</p>,
  address: `${BASE}/forgot`,
  fields: [{ name: 'email', label: ENTRY.email.label, kind: 'email', autocomplete: 'username' }],
  submit: SIGN_IN.forgot.submit,
}

async function askReset(asked: Asked): Promise<Shown> {
  return answerGuestForm(asked, FORGOT, async ({ email = '' }) => {
    await requestReset(asked.gateway, COOKIES.visitor(asked), email)
    return { kind: 'redirect', to: `${BASE}/forgot?sent=yes` }
  })
}

const showForgot = async ({ query }: Asked): Promise<Shown> => {
  if (query.sent === undefined) return showGuestForm(FORGOT)
  const { sentTitle, sent, back } = SIGN_IN.forgot
  return shownPage(
    sentTitle,
    <div class="entry">
      <h1>{sentTitle}</h1>
      <p>{sent}</p>
      <p>
        <a href={`${BASE}/sign-in`}>{back}</a>
      </p>
    </div>,
  )
}

export const LINK_GUESTS: readonly GuestRoute[] = [
  { method: 'GET', path: '/forgot', handle: showForgot },
  { method: 'POST', path: '/forgot', handle: askReset },
  ...[reset, confirm, email, stopEmail, join, till].flatMap((page) => linkRoutes(BASE, page)),
]
