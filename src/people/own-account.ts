import type { PersonCaller, SignedInActor } from '../actors/actor.ts'
import { allow } from '../actors/allow.ts'
import { auditRow } from '../actors/audit-row.ts'
import type { Gateway } from '../app.ts'
import { isTaken } from '../platform/db/taken.ts'
import { domainRefusal, invalidRequest, Refusal } from '../platform/refusal.ts'
import { hasForbiddenControl } from '../platform/text.ts'
import { lockAddress, merchantOf } from './accounts.ts'
import { hashForPerson } from './address-salt.ts'
import { readEmail } from './email-address.ts'
import { linkGone, makeLink, useLink, voidLinks } from './links.ts'
import { judgePassword } from './password-rules.ts'
import { takeLinkMail } from './reset-password.ts'
import { sent } from './sign-up.ts'
import { addressOfPage, tell } from './tell.ts'
import { forgetBrowsers, rememberBrowser } from './tries.ts'
import { type Visitor, visitorActor } from './visitor.ts'
import {
  holdMoney,
  type KnownPerson,
  lockPerson,
  ownerOfAddress,
  setEmail,
  setPassword,
  setPersonName,
} from './write-accounts.ts'
import { endOtherSessions } from './write-sessions.ts'

/** A new password for the person itself; every other session ends (reliability.md A68). Throws 400. */
export async function changePassword(
  gateway: Gateway,
  caller: SignedInActor,
  { password, visitor }: { password: string; visitor: Visitor },
): Promise<void> {
  allow(caller, 'account.password')
  judgePassword(password)
  const hash = await hashForPerson(gateway, caller.personId, password)
  const at = gateway.clock.now()
  await gateway.directory.transaction(async (tx) => {
    const person = locked((await tx.send(lockPerson(caller.personId)))[0])
    const act = {
      actor: caller,
      action: 'account.password',
      at,
      merchantId: merchantOf(caller),
    } as const
    const own = visitor.browser === null ? [] : [rememberBrowser(visitor.browser, person.id, at)]
    const last = [
      setPassword(person.id, hash),
      endOtherSessions(person.id, caller.sessionId),
      forgetBrowsers(person.id),
      ...own,
    ]
    const letter = tell(gateway, { to: person.email, template: 'password-changed', values: {}, at })
    return {
      value: null,
      last: [
        ...last,
        voidLinks(person.id, ['reset', 'operator-reset'], at),
        ...letter,
        auditRow({ ...act, subject: person.publicId }),
      ],
    }
  })
}

/** What colleagues and the audit call this person. */
export async function changeName(gateway: Gateway, caller: SignedInActor, typed: string): Promise<void> {
  allow(caller, 'account.name')
  const name = readName(typed)
  const at = gateway.clock.now()
  await gateway.directory.transaction(async (tx) => {
    const person = locked((await tx.send(lockPerson(caller.personId)))[0])
    const act = { actor: caller, action: 'account.name', at, merchantId: merchantOf(caller) } as const
    const row = auditRow({ ...act, subject: person.publicId })
    return { value: null, last: [setPersonName(person.id, name), row] }
  })
}

const LONGEST_NAME = 100

export function readName(typed: string): string {
  const name = typed.trim()
  if (name === '' || [...name].length > LONGEST_NAME)
    throw invalidRequest(`name must be 1 to ${LONGEST_NAME} characters`)
  if (hasForbiddenControl(name, false)) throw invalidRequest('name contains control characters')
  return name
}

/**
 * Asks for another e-mail address: the link goes to the new one, word of it to the old one. Nothing changes before the link is
 * used. An address that is in use answers the same; its owner is told (reliability.md A71).
 */
export async function requestEmailChange(
  gateway: Gateway,
  caller: PersonCaller,
  { email: typed, visitor }: { email: string; visitor: Visitor },
): Promise<void> {
  allow(caller, 'account.email')
  const email = readEmail(typed)
  await takeLinkMail(gateway, visitor, email.key)
  const at = gateway.clock.now()
  const [owner] = await gateway.directory.query(...sent(ownerOfAddress(email.key)))
  await gateway.directory.transaction(async (tx) => {
    const person = locked(
      (await tx.send(lockPerson(caller.personId), voidLinks(caller.personId, ['email'], at)))[0],
    )
    if (person.emailKey === email.key) throw domainRefusal('same_email', 'email is your address already')
    const { token, add } = makeLink({ purpose: 'email', personId: person.id, email: email.text, at })
    const link = addressOfPage(gateway, `/email?link=${token}`)
    const toNew = owner
      ? tell(gateway, { to: email.text, template: 'email-in-use', values: {}, at })
      : tell(gateway, { to: email.text, template: 'email-change', values: { link }, at })
    const asked = tell(gateway, {
      to: person.email,
      template: 'email-change-asked',
      values: { email: email.text },
      at,
    })
    const act = { actor: caller, action: 'account.email', at, merchantId: merchantOf(caller) } as const
    const row = auditRow({ ...act, subject: person.publicId, after: { asked_for: email.text } })
    return { value: null, last: [add, ...toNew, ...asked, row] }
  })
}

/**
 * Uses the link that was sent to the new address: from now on it is the person's. Every session ends, and live money out waits a
 * day (reliability.md A74). Throws 410, and 409 where somebody else has proven the address meanwhile.
 */
export async function changeEmail(gateway: Gateway, visitor: Visitor, token: string): Promise<void> {
  allow(visitorActor(visitor), 'account.confirm')
  const at = gateway.clock.now()
  await gateway.directory
    .transaction(async (tx) => {
      const [[link]] = await tx.send(useLink('email', token, at))
      if (link?.personId == null || link.email === null) throw linkGone()
      const [[person]] = await tx.send(lockPerson(link.personId))
      if (!person) throw linkGone()
      const email = readEmail(link.email)
      await tx.send(lockAddress(email))
      const actor = visitorActor(visitor, person.email)
      const act = { actor, action: 'account.confirm', at, merchantId: person.merchantId } as const
      const change = { before: { email: person.email }, after: { email: email.text } }
      const letters = [person.email, email.text].flatMap((to) =>
        tell(gateway, { to, template: 'email-changed', values: { email: email.text }, at }),
      )
      const ends = [
        endOtherSessions(person.id, null),
        forgetBrowsers(person.id),
        voidLinks(person.id, ['reset', 'confirm'], at),
      ]
      const row = auditRow({ ...act, subject: person.publicId, ...change })
      return {
        value: null,
        last: [setEmail(person.id, email, at), holdMoney(person.id, at), ...ends, ...letters, row],
      }
    })
    .catch((error) => {
      if (isTaken(error))
        throw new Refusal(409, 'email_in_use', 'this address belongs to another account by now')
      throw error
    })
}

/** The row of the person who acts. Tills have no sign-in that could change. */
export function locked([person]: readonly KnownPerson[]): KnownPerson {
  if (!person) throw new Refusal(403, 'forbidden', 'a till cannot do this')
  return person
}
