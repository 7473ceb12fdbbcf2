import { allow } from '../../../api/access/allow.ts'
import { auditRow } from '../../../api/access/audit-row.ts'
import { type Call, call } from '../../../platform/db/database.ts'
import { statement } from '../../../platform/db/statement.ts'
import { retryOnUniqueViolation } from '../../../platform/db/unique-violation.ts'
import { invalidRequest } from '../../../platform/refusal.ts'
import type { Gateway } from '../../../program/app.ts'
import { accountMailRows, makeDashboardUrl } from '../account-mails.ts'
import { findAccounts, lockAddress } from '../accounts.ts'
import { hashPasswordFor } from '../addresses/address-salt.ts'
import { endOtherClaims, type OpenedBusiness, readOpenedBusinesses } from '../addresses/claims.ts'
import { type EmailAddress, parseEmail } from '../addresses/email-address.ts'
import { judgePassword } from '../factors/password-rules.ts'
import {
  findOneTimeLink,
  LINKS_OF_SIGN_IN,
  linkGone,
  makeLink,
  useLink,
  voidInvitationsBy,
  voidLinks,
} from '../links.ts'
import { confirmPerson, findOwnerOfAddress, lockPerson, setPassword } from '../write-accounts.ts'
import { endOtherSessions, newToken, startSession } from '../write-sessions.ts'
import type { SignInStep } from './sign-in.ts'
import { accountCounter, clearCounter, forgetBrowsers, rememberBrowser } from './sign-in-counters.ts'
import { signInLimits, takeMailSlot, tooManyMails } from './sign-in-limits.ts'
import { clientAddressOf, type Visitor, visitorActor } from './visitor.ts'

/**
 * Sends a link to choose a new password; earlier ones still work until one is used. An address without an account gets a mail that says
 * so: answer and work are the same for both (reliability.md A71). Throws 429.
 */
export async function requestReset(gateway: Gateway, visitor: Visitor, typed: string): Promise<void> {
  const actor = visitorActor(visitor)
  allow(actor, 'account.reset')
  const email = parseEmail(typed)
  await countLinkMail(gateway, visitor, email.key)
  if (!(await takeMailSlot(gateway, 'reset', email.key))) throw tooManyMails()
  const at = gateway.clock.now()
  await gateway.directory.transaction(async (tx) => {
    const [[account]] = await tx.send(findAccounts('merchant', email))
    if (!account)
      return {
        value: null,
        last: accountMailRows(gateway, { to: email.text, template: 'no-account', values: {}, at }),
      }
    const { token, add } = makeLink({ purpose: 'reset', personId: account.id, at })
    const values = { link: makeDashboardUrl(gateway, `/reset?link=${token}`) }
    return {
      value: null,
      last: [add, ...accountMailRows(gateway, { to: account.email, template: 'reset-password', values, at })],
    }
  })
}

/** Counts a mail with a link that a stranger causes, by client address and recipient. Throws 429. */
export async function countLinkMail(gateway: Gateway, visitor: Visitor, emailKey: string): Promise<void> {
  const { links } = signInLimits(gateway)
  const nowMs = gateway.clock.nowMs()
  await links.take(clientAddressOf(visitor), nowMs)
  await links.take(`to ${emailKey}`, nowMs)
}

/** An unused link to choose a new password, as its page shows it. */
export type OpenReset = {
  personId: number
  email: EmailAddress
  /** The businesses opened with the address while it is unproven: the proof is for one of them. Empty once it is proven. */
  opened: readonly OpenedBusiness[]
}

/** Finds the link to choose a new password; null when it does not work any more. */
export async function findReset(gateway: Gateway, token: string): Promise<OpenReset | null> {
  const link = await findOneTimeLink(gateway, 'reset', token)
  if (link?.personId == null) return null
  const [person] = await gateway.directory.query(FIND_PERSON, [link.personId])
  if (!person) return null
  const email = parseEmail(person.email)
  const opened = person.confirmed ? [] : await readOpenedBusinesses(gateway, email.key)
  return { personId: link.personId, email, opened }
}

/**
 * Sets the password by a mailed link, which proves the address too, and signs this browser in; where a second factor is on, its code is
 * asked first. Every other session and every other claim of the address ends. `business` chooses one where several were opened with the
 * unproven address. Throws 410 where the link does not work any more, 400.
 */
export async function resetPassword(
  gateway: Gateway,
  visitor: Visitor,
  { token, password, business }: { token: string; password: string; business?: string | undefined },
): Promise<SignInStep> {
  allow(visitorActor(visitor), 'account.reset')
  judgePassword(password)
  const reset = await findReset(gateway, token)
  if (reset === null) throw linkGone()
  const { email, opened } = reset
  const chosen = opened.length > 1 ? opened.find(({ publicId }) => publicId === business) : undefined
  if (opened.length > 1 && chosen === undefined)
    throw invalidRequest('business must be one of those listed', 'business')
  const hash = await hashPasswordFor(gateway, { realm: 'merchant', email }, password)
  return retryOnUniqueViolation(() =>
    commitReset(gateway, visitor, { token, hash, email, claim: chosen?.publicId ?? null }),
  )
}

const FIND_PERSON = statement<{ email: string; confirmed: boolean }>(
  'whose password is chosen',
  `select email, confirmed_at is not null as confirmed from people
   where id = $1 and realm = 'merchant' and email is not null and closed_at is null`,
)
const FIND_CHOSEN_CLAIM = statement<{ id: number }>(
  'chosen claim',
  'select id from people where public_id = $1 and email_key = $2 and confirmed_at is null and closed_at is null',
)

type ResetCommit = { token: string; hash: string; email: EmailAddress; claim: string | null }

function commitReset(
  gateway: Gateway,
  visitor: Visitor,
  { token, hash, email, claim }: ResetCommit,
): Promise<SignInStep> {
  const at = gateway.clock.now()
  const browser = visitor.browser ?? newToken()
  return gateway.directory.transaction(async (tx) => {
    const [, [used], [owner], [chosen]] = await tx.send(
      ...([lockAddress(email), useLink('reset', token, at)] as const),
      ...([findOwnerOfAddress(email.key), call(FIND_CHOSEN_CLAIM, claim ?? '', email.key)] as const),
    )
    const personId = claim === null ? used?.personId : chosen?.id
    if (!used || personId == null) throw linkGone()
    const [[person]] = await tx.send(lockPerson(personId))
    // If another account has proven the address meanwhile, this one is an ended claim.
    if (person?.emailKey !== email.key || (owner && owner.id !== personId)) throw linkGone()
    const { merchantId, hasFactor } = person
    const session = startSession({ personId, merchantId, visitor, at, stage: hasFactor ? 'code' : 'in' })
    const { ended, calls } = await endOtherClaims(tx, { emailKey: email.key, keep: personId, at })
    const actor = visitorActor(visitor, person.email)
    const act = { actor, action: 'account.reset', at, merchantId } as const
    const last = [
      ...(owner ? [] : [confirmPerson(personId, at)]),
      ...calls,
      ...replacePassword(personId, hash, at),
      clearCounter(accountCounter('merchant', email.key), at),
      ...session.calls,
      ...(hasFactor ? [] : [rememberBrowser(browser, personId, at)]),
      ...accountMailRows(gateway, { to: person.email, template: 'password-changed', values: {}, at }),
      auditRow({
        ...act,
        subject: person.publicId,
        ...(ended > 0 ? { after: { ended_claims: ended } } : {}),
      }),
    ]
    const step: SignInStep = hasFactor
      ? { kind: 'code', token: session.token }
      : { kind: 'in', token: session.token, browser }
    return { value: step, last }
  })
}

/** Sets a new password, and ends the sessions, links and invitations of the time before. */
const replacePassword = (personId: number, hash: string, at: Date): Call[] => [
  setPassword(personId, hash),
  voidLinks(personId, [...LINKS_OF_SIGN_IN, 'confirm'], at),
  voidInvitationsBy([personId], at),
  endOtherSessions(personId, null),
  forgetBrowsers(personId),
]
