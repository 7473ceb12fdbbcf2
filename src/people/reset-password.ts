import { allow } from '../actors/allow.ts'
import { auditRow } from '../actors/audit-row.ts'
import type { Gateway } from '../app.ts'
import { againWhenTaken } from '../platform/db/taken.ts'
import { accountsOf } from './accounts.ts'
import { hashForPerson } from './address-salt.ts'
import { readEmail } from './email-address.ts'
import { findLink, LINKS_OF_SIGN_IN, type Link, linkGone, makeLink, useLink, voidLinks } from './links.ts'
import { judgePassword } from './password-rules.ts'
import type { SignInStep } from './sign-in.ts'
import { signInLimits } from './sign-in-limits.ts'
import { sent } from './sign-up.ts'
import { addressOfPage, tell } from './tell.ts'
import { accountCounter, clearCounter, forgetBrowsers, rememberBrowser } from './tries.ts'
import { addressOf, type Visitor, visitorActor } from './visitor.ts'
import { confirmPerson, lockPerson, ownerOfAddress, setPassword } from './write-accounts.ts'
import { endOtherSessions, newToken, startSession } from './write-sessions.ts'

/** Nobody has an id of zero: the same statements are sent for an address without an account. */
const NOBODY = 0

/**
 * Sends a link to choose a new password. To an address without an account goes a mail that says so: answer and work are the
 * same (reliability.md A71). Throws 429.
 */
export async function requestReset(gateway: Gateway, visitor: Visitor, typed: string): Promise<void> {
  const actor = visitorActor(visitor)
  allow(actor, 'account.reset')
  const email = readEmail(typed)
  await takeLinkMail(gateway, visitor, email.key)
  const at = gateway.clock.now()
  const [account] = await gateway.directory.query(...sent(accountsOf('merchant', email)))
  await gateway.directory.transaction(async (tx) => {
    await tx.send(voidLinks(account?.id ?? NOBODY, ['reset'], at))
    if (!account)
      return { value: null, last: tell(gateway, { to: email.text, template: 'no-account', values: {}, at }) }
    const { token, add } = makeLink({ purpose: 'reset', personId: account.id, at })
    const values = { link: addressOfPage(gateway, `/reset?link=${token}`) }
    return {
      value: null,
      last: [add, ...tell(gateway, { to: account.email, template: 'reset-password', values, at })],
    }
  })
}

/** One more mail that a stranger may cause. Throws 429. */
export async function takeLinkMail(gateway: Gateway, visitor: Visitor, emailKey: string): Promise<void> {
  const { links } = signInLimits(gateway)
  const nowMs = gateway.clock.nowMs()
  await links.take(addressOf(visitor), nowMs)
  await links.take(`to ${emailKey}`, nowMs)
}

/**
 * Sets the password by a mailed link, which proves the address too, and signs this browser in; where a second factor is on, its
 * code is asked first. Every other session ends. Throws 410 where the link does not work any more.
 */
export async function resetPassword(
  gateway: Gateway,
  visitor: Visitor,
  { token, password }: { token: string; password: string },
): Promise<SignInStep> {
  allow(visitorActor(visitor), 'account.reset')
  judgePassword(password)
  const link = await findLink(gateway, 'reset', token)
  if (link?.personId == null) throw linkGone()
  const hash = await hashForPerson(gateway, personOf(link), password)
  return againWhenTaken(() => commitReset(gateway, visitor, { token, hash, personId: personOf(link) }))
}

const personOf = ({ personId }: Link): number => personId ?? NOBODY

function commitReset(
  gateway: Gateway,
  visitor: Visitor,
  { token, hash, personId }: { token: string; hash: string; personId: number },
): Promise<SignInStep> {
  const at = gateway.clock.now()
  const browser = visitor.browser ?? newToken()
  return gateway.directory.transaction(async (tx) => {
    const [[used], [person]] = await tx.send(useLink('reset', token, at), lockPerson(personId))
    if (!used || !person) throw linkGone()
    const [owner] = await tx.send(ownerOfAddress(person.emailKey))
    const { merchantId, hasFactor, email } = person
    const session = startSession({ personId, merchantId, visitor, at, stage: hasFactor ? 'code' : 'in' })
    const act = { actor: visitorActor(visitor, email), action: 'account.reset', at, merchantId } as const
    const last = [
      setPassword(personId, hash),
      ...(owner.length === 0 ? [confirmPerson(personId, at)] : []),
      voidLinks(personId, [...LINKS_OF_SIGN_IN, 'confirm'], at),
      endOtherSessions(personId, null),
      forgetBrowsers(personId),
      clearCounter(accountCounter('merchant', person.emailKey), at),
      ...session.calls,
      ...(hasFactor ? [] : [rememberBrowser(browser, personId, at)]),
      ...tell(gateway, { to: email, template: 'password-changed', values: {}, at }),
      auditRow({ ...act, subject: person.publicId }),
    ]
    const step: SignInStep = hasFactor
      ? { kind: 'code', token: session.token }
      : { kind: 'in', token: session.token, browser }
    return { value: step, last }
  })
}
