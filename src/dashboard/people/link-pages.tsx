import { timeText } from '../../pages/parts.tsx'
import type { Asked, GuestRoute } from '../../pages/route.ts'
import { type Shown, shownPage } from '../../pages/shown.ts'
import { goOn } from '../../pages/sign-in/go-on.ts'
import { answerGuestForm, type GuestForm, showGuestForm } from '../../pages/sign-in/guest-form.tsx'
import { type LinkPage, linkRoutes, NEW_PASSWORD } from '../../pages/sign-in/link-page.tsx'
import { ENTRY } from '../../pages/sign-in/texts.ts'
import { shown } from '../../pages/wording.ts'
import { changeEmail, stopEmailChange } from '../../people/change-email.ts'
import { confirmEmail } from '../../people/confirm-email.ts'
import { findInvitation, joinMerchant, type OpenInvitation } from '../../people/join.ts'
import { findLinkFacts } from '../../people/link-facts.ts'
import { findLink, type LinkPurpose } from '../../people/links.ts'
import { requestReset, resetPassword } from '../../people/reset-password.ts'
import { enterTill } from '../../people/tills.ts'
import { BASE } from '../addresses.ts'
import { COOKIES } from '../session-cookies.ts'
import { SIGN_IN } from '../texts/sign-in.ts'
import { DOOR } from './door.tsx'

const linkWorks = async ({ gateway }: Asked, purpose: LinkPurpose, token: string) =>
  (await findLink(gateway, purpose, token)) !== null

const reset: LinkPage = {
  path: '/reset',
  form: async (asked, token) =>
    (await linkWorks(asked, 'reset', token))
      ? {
          ...{ title: SIGN_IN.reset.title, lead: <p>{SIGN_IN.reset.lead}</p> },
          ...{ fields: [NEW_PASSWORD], submit: SIGN_IN.reset.submit },
        }
      : null,
  use: async (asked, token, { password = '' }) =>
    goOn(DOOR, asked, await resetPassword(asked.gateway, COOKIES.visitor(asked), { token, password })),
}

const toSignIn = (says: string): Shown => ({
  kind: 'redirect',
  to: `${BASE}/sign-in`,
  flash: { kind: 'done', says },
})

const confirm: LinkPage = {
  path: '/confirm',
  async form({ gateway }, token) {
    const facts = await findLinkFacts(gateway, 'confirm', token)
    if (facts === null) return null
    const { confirm } = SIGN_IN
    const says = facts.inUse ? confirm.claimed(shown(facts.business)) : confirm.says(shown(facts.email))
    return { title: confirm.title, lead: <p>{says}</p>, fields: [], submit: confirm.submit }
  },
  async use(asked, token) {
    await confirmEmail(asked.gateway, COOKIES.visitor(asked), token)
    return toSignIn(SIGN_IN.confirm.done)
  },
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
  // The next step is a new password: whoever asked for the change was signed in.
  async use(asked, token) {
    const next = await stopEmailChange(asked.gateway, COOKIES.visitor(asked), token)
    return { kind: 'redirect', to: `${BASE}/reset?link=${next}` }
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
  const own = { name: 'password', label: password.label, kind: 'password' as const, most: 512 }
  return {
    title: join.title(business),
    lead: (
      <>
        <p>{join.says(SIGN_IN.roles[role ?? 'viewer'], shown(email ?? ''))}</p>
        {known && <p>{join.known}</p>}
      </>
    ),
    fields: known
      ? [own]
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
    const says = till.says(shown(link.name ?? ''), shown(facts?.business ?? ''), timeText(link.shiftEnds))
    return { title: till.title, lead: <p>{says}</p>, fields: [], submit: till.submit }
  },
  async use(asked, token) {
    const entered = await enterTill(asked.gateway, COOKIES.visitor(asked), token)
    return { kind: 'redirect', to: `${BASE}/counter`, cookies: [COOKIES.session(entered.token, asked)] }
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
