import { changeEmail, stopEmailChange } from '../../../merchants/people/addresses/change-email.ts'
import {
  confirmEmail,
  type EmailConfirmation,
  findEmailConfirmation,
} from '../../../merchants/people/addresses/confirm-email.ts'
import { findLinkFacts } from '../../../merchants/people/link-facts.ts'
import { findOneTimeLink } from '../../../merchants/people/links.ts'
import { findInvitation, joinMerchant, type OpenInvitation } from '../../../merchants/people/sign-in/join.ts'
import {
  findReset,
  type OpenReset,
  requestReset,
  resetPassword,
} from '../../../merchants/people/sign-in/reset-password.ts'
import { enterTill } from '../../../merchants/people/sign-in/tills.ts'
import { isolateDirection, oneLine } from '../../../platform/text/text.ts'
import type { FormField } from '../../parts/forms/form-spec.ts'
import { formatPageTime } from '../../parts/parts.tsx'
import type { GuestRoute, PageRequest } from '../../parts/routes/route.ts'
import { pageReply, type SurfaceReply } from '../../parts/routes/surface-reply.ts'
import { continueSignIn } from '../../parts/sign-in/continue-sign-in.ts'
import { answerGuestForm, type GuestForm, showGuestForm } from '../../parts/sign-in/guest-form.tsx'
import { type LinkPage, linkRoutes, NEW_PASSWORD } from '../../parts/sign-in/link-page.tsx'
import { ENTRY } from '../../parts/sign-in/texts.ts'
import { DASHBOARD_BASE } from '../addresses.ts'
import { DASHBOARD_COOKIES } from '../session-cookies.ts'
import { SIGN_IN } from '../texts/sign-in.ts'
import { DASHBOARD_DOOR } from './door.tsx'

const RESET_PAGE: LinkPage = {
  path: '/reset',
  async form({ gateway }, token) {
    const openReset = await findReset(gateway, token)
    return openReset === null ? null : resetForm(openReset)
  },
  use: async (asked, token, { password = '', business }) =>
    continueSignIn(
      DASHBOARD_DOOR,
      asked,
      await resetPassword(asked.gateway, DASHBOARD_COOKIES.visitor(asked), { token, password, business }),
    ),
}

/** Before an address is confirmed, anybody may have opened a business with it: the page names the business, or asks for the person's own. */
function resetForm({ opened }: OpenReset): Awaited<ReturnType<LinkPage['form']>> {
  const { reset } = SIGN_IN
  const [only, ...more] = opened
  // No choice is preselected: the first business may be a stranger's.
  const businessField: FormField = {
    ...{ name: 'business', label: reset.which, hint: reset.whichHint, kind: 'radio' as const },
    choices: opened.map(({ publicId, business, at }) => ({
      value: publicId,
      label: reset.opened(oneLine(business), formatPageTime(at)),
    })),
  }
  return {
    title: reset.title,
    lead: (
      <>
        {only !== undefined && more.length === 0 && (
          <p>{reset.only(isolateDirection(oneLine(only.business)), formatPageTime(only.at))}</p>
        )}
        <p>{reset.lead}</p>
      </>
    ),
    fields: more.length === 0 ? [NEW_PASSWORD] : [businessField, NEW_PASSWORD],
    submit: reset.submit,
  }
}

const redirectToSignIn = (message: string): SurfaceReply => ({
  kind: 'redirect',
  to: `${DASHBOARD_BASE}/sign-in`,
  flash: { kind: 'done', says: message },
})

const CONFIRM_PAGE: LinkPage = {
  path: '/confirm',
  async form(asked, token) {
    const { gateway } = asked
    const confirming = await findEmailConfirmation(gateway, DASHBOARD_COOKIES.visitor(asked), token)
    const facts = confirming && (await findLinkFacts(gateway, 'confirm', token))
    return confirming && facts && confirmForm(confirming, oneLine(facts.business))
  },
  async use(asked, token, { password = '', account = '' }) {
    const passwords = { password, ownerPassword: account }
    await confirmEmail(asked.gateway, DASHBOARD_COOKIES.visitor(asked), { token, ...passwords })
    return redirectToSignIn(SIGN_IN.confirm.done)
  },
}

function confirmForm(
  { email, owner, asksClaim, asksOwner }: EmailConfirmation,
  business: string,
): Awaited<ReturnType<LinkPage['form']>> {
  const { confirm } = SIGN_IN
  const typed = { kind: 'password', maxLength: 512 } as const satisfies Partial<FormField>
  const ofAccount = { name: 'account', label: confirm.account, ...typed }
  const ofBusiness = { name: 'password', label: confirm.opened(business), ...typed }
  return {
    title: confirm.title,
    lead: (
      <>
        <p>{owner === null ? confirm.says(oneLine(email.text), business) : confirm.claimed(business)}</p>
        <p>{confirm.notYou}</p>
      </>
    ),
    fields: [...(asksClaim ? [ofBusiness] : []), ...(asksOwner ? [ofAccount] : [])],
    submit: confirm.submit,
  }
}

const EMAIL_PAGE: LinkPage = {
  path: '/email',
  async form({ gateway }, token) {
    const link = await findOneTimeLink(gateway, 'email', token)
    if (link?.email == null) return null
    const { change } = SIGN_IN
    const lead = <p>{change.says(oneLine(link.email))}</p>
    return { title: change.title, lead, fields: [], submit: change.submit }
  },
  async use(asked, token) {
    await changeEmail(asked.gateway, DASHBOARD_COOKIES.visitor(asked), token)
    return redirectToSignIn(SIGN_IN.change.done)
  },
}

const STOP_EMAIL_PAGE: LinkPage = {
  path: '/email-stop',
  async form({ gateway }, token) {
    const link = await findOneTimeLink(gateway, 'email-stop', token)
    if (link?.email == null) return null
    const { stop } = SIGN_IN
    const lead = <p>{stop.says(oneLine(link.email))}</p>
    return { title: stop.title, lead, fields: [], submit: stop.submit }
  },
  // The next step is a new password, because the person who asked for the change was signed in.
  async use(asked, token) {
    const resetToken = await stopEmailChange(asked.gateway, DASHBOARD_COOKIES.visitor(asked), token)
    return { kind: 'redirect', to: `${DASHBOARD_BASE}/reset?link=${resetToken}` }
  },
}

const JOIN_PAGE: LinkPage = {
  path: '/join',
  async form({ gateway }, token) {
    const invitation = await findInvitation(gateway, token)
    if (invitation === null) return null
    const facts = await findLinkFacts(gateway, 'join', token)
    return joinForm(invitation, oneLine(facts?.business ?? ''))
  },
  use: async (asked, token, { password = '', name }) =>
    continueSignIn(
      DASHBOARD_DOOR,
      asked,
      await joinMerchant(asked.gateway, DASHBOARD_COOKIES.visitor(asked), { token, password, name }),
    ),
}

function joinForm({ role, email, known }: OpenInvitation, business: string): Awaited<ReturnType<LinkPage['form']>> {
  const { join } = SIGN_IN
  const { name, password } = ENTRY
  const ownPassword: FormField = { name: 'password', label: password.label, kind: 'password', maxLength: 512 }
  return {
    title: join.title(business),
    lead: (
      <>
        <p>{join.says(SIGN_IN.roles[role ?? 'viewer'], oneLine(email ?? ''))}</p>
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
            maxLength: 100,
            optional: true,
            autocomplete: 'name',
          },
          NEW_PASSWORD,
        ],
    submit: join.submit,
  }
}

const TILL_PAGE: LinkPage = {
  path: '/till',
  async form({ gateway }, token) {
    const link = await findOneTimeLink(gateway, 'till', token)
    if (link?.shiftEnds == null) return null
    const facts = await findLinkFacts(gateway, 'till', token)
    const { till } = SIGN_IN
    const message = till.says(
      isolateDirection(oneLine(link.name ?? '')),
      isolateDirection(oneLine(facts?.business ?? '')),
      formatPageTime(link.shiftEnds),
    )
    return { title: till.title, lead: <p>{message}</p>, fields: [], submit: till.submit }
  },
  async use(asked, token) {
    const session = await enterTill(asked.gateway, DASHBOARD_COOKIES.visitor(asked), token)
    return {
      kind: 'redirect',
      to: `${DASHBOARD_BASE}/counter`,
      cookies: [DASHBOARD_COOKIES.session(session.token, asked)],
    }
  },
}

const FORGOT_FORM: GuestForm = {
  title: SIGN_IN.forgot.title,
  lead: <p>{SIGN_IN.forgot.lead}</p>,
  address: `${DASHBOARD_BASE}/forgot`,
  fields: [{ name: 'email', label: ENTRY.email.label, kind: 'email', autocomplete: 'username' }],
  submit: SIGN_IN.forgot.submit,
}

async function submitForgot(asked: PageRequest): Promise<SurfaceReply> {
  return answerGuestForm(asked, FORGOT_FORM, async ({ email = '' }) => {
    await requestReset(asked.gateway, DASHBOARD_COOKIES.visitor(asked), email)
    return { kind: 'redirect', to: `${DASHBOARD_BASE}/forgot?sent=yes` }
  })
}

const showForgot = async ({ query }: PageRequest): Promise<SurfaceReply> => {
  if (query.sent === undefined) return showGuestForm(FORGOT_FORM)
  const { sentTitle, sent, back } = SIGN_IN.forgot
  return pageReply(
    sentTitle,
    <div class="entry">
      <h1>{sentTitle}</h1>
      <p>{sent}</p>
      <p>
        <a href={`${DASHBOARD_BASE}/sign-in`}>{back}</a>
      </p>
    </div>,
  )
}

export const LINK_GUESTS: readonly GuestRoute[] = [
  { method: 'GET', path: '/forgot', handle: showForgot },
  { method: 'POST', path: '/forgot', handle: submitForgot },
  ...[RESET_PAGE, CONFIRM_PAGE, EMAIL_PAGE, STOP_EMAIL_PAGE, JOIN_PAGE, TILL_PAGE].flatMap((page) =>
    linkRoutes(DASHBOARD_BASE, page),
  ),
]
