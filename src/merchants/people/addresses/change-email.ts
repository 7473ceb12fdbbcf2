import type { PersonCaller } from '../../../api/access/actor.ts'
import { allow } from '../../../api/access/allow.ts'
import { auditRow } from '../../../api/access/audit-row.ts'
import { isUniqueViolation } from '../../../platform/db/unique-violation.ts'
import { domainRefusal, Refusal } from '../../../platform/refusal.ts'
import type { Gateway } from '../../../program/app.ts'
import { accountMailRows, makeDashboardUrl } from '../account-mails.ts'
import { lockAddress, ownAccountRow } from '../accounts.ts'
import {
  findOneTimeLink,
  LINKS_OF_SIGN_IN,
  linkGone,
  makeLink,
  useLink,
  voidInvitationsBy,
  voidLinks,
} from '../links.ts'
import { requirePerson } from '../own-account.ts'
import { countLinkMail } from '../sign-in/reset-password.ts'
import { forgetBrowsers } from '../sign-in/sign-in-counters.ts'
import { takeMailSlot, tooManyMails } from '../sign-in/sign-in-limits.ts'
import { queryArguments } from '../sign-in/sign-up.ts'
import { type Visitor, visitorActor } from '../sign-in/visitor.ts'
import { findOwnerOfAddress, holdMoney, lockPerson, setEmail } from '../write-accounts.ts'
import { endOtherSessions } from '../write-sessions.ts'
import { endOtherClaims } from './claims.ts'
import { parseEmail } from './email-address.ts'

/**
 * Asks for another e-mail address. The new address gets a link that confirms the change, the old one a mail with a link that stops it.
 * Nothing changes before a link is used. For an address in use the answer is the same; its owner gets a mail (reliability.md A71).
 */
export async function requestEmailChange(
  gateway: Gateway,
  caller: PersonCaller,
  { email: typed, visitor }: { email: string; visitor: Visitor },
): Promise<void> {
  allow(caller, 'account.email')
  const email = parseEmail(typed)
  await countLinkMail(gateway, visitor, email.key)
  if (!(await takeMailSlot(gateway, 'email-change', email.key))) throw tooManyMails()
  const at = gateway.clock.now()
  const [owner] = await gateway.directory.query(...queryArguments(findOwnerOfAddress(email.key)))
  await gateway.directory.transaction(async (tx) => {
    const person = requirePerson(
      (await tx.send(lockPerson(caller.personId), voidLinks(caller.personId, ['email', 'email-stop'], at)))[0],
    )
    if (person.emailKey === email.key)
      throw domainRefusal('same_email', 'email is your address already', { field: 'email' })
    const { token, add } = makeLink({ purpose: 'email', personId: person.id, email: email.text, at })
    const stop = makeLink({ purpose: 'email-stop', personId: person.id, email: email.text, at })
    const link = makeDashboardUrl(gateway, `/email?link=${token}`)
    const toNew = owner
      ? accountMailRows(gateway, { to: email.text, template: 'email-in-use', values: {}, at })
      : accountMailRows(gateway, { to: email.text, template: 'email-change', values: { link }, at })
    const toOld = accountMailRows(gateway, {
      to: person.email,
      template: 'email-change-asked',
      values: { email: email.text, link: makeDashboardUrl(gateway, `/email-stop?link=${stop.token}`) },
      at,
    })
    const facts = { at, subject: person.publicId, after: { asked_for: email.text } }
    const row = ownAccountRow(caller, { action: 'account.email', ...facts })
    return { value: null, last: [add, stop.add, ...toNew, ...toOld, row] }
  })
}

/**
 * Uses the link that was sent to the new address: it becomes the person's. Every session and every other claim to the new address ends,
 * and live money out waits a day (reliability.md A74). Throws 410, and 409 where somebody else has proven the address meanwhile.
 */
export async function changeEmail(gateway: Gateway, visitor: Visitor, token: string): Promise<void> {
  allow(visitorActor(visitor), 'account.confirm')
  const at = gateway.clock.now()
  const unused = await findOneTimeLink(gateway, 'email', token)
  if (unused?.personId == null || unused.email === null) throw linkGone()
  const email = parseEmail(unused.email)
  const { personId } = unused
  await gateway.directory
    .transaction(async (tx) => {
      const [, [link], [person]] = await tx.send(
        ...([lockAddress(email), useLink('email', token, at), lockPerson(personId)] as const),
      )
      if (!link || !person) throw linkGone()
      const actor = visitorActor(visitor, person.email)
      const act = { actor, action: 'account.confirm', at, merchantId: person.merchantId } as const
      const change = { before: { email: person.email }, after: { email: email.text } }
      const letters = [person.email, email.text].flatMap((to) =>
        accountMailRows(gateway, { to, template: 'email-changed', values: { email: email.text }, at }),
      )
      const ends = [
        endOtherSessions(person.id, null),
        forgetBrowsers(person.id),
        voidLinks(person.id, [...LINKS_OF_SIGN_IN, 'confirm'], at),
      ]
      const { calls } = await endOtherClaims(tx, { emailKey: email.key, keep: personId, at })
      const row = auditRow({ ...act, subject: person.publicId, ...change })
      const moved = [...calls, setEmail(personId, email, at), holdMoney(personId, at)]
      return { value: null, last: [...moved, ...ends, ...letters, row] }
    })
    .catch((error) => {
      if (isUniqueViolation(error))
        throw new Refusal(409, 'email_in_use', 'this address belongs to another account by now')
      throw error
    })
}

/**
 * Uses the link that was sent to the old address: the change is not made, every browser is signed out, and no other link of the account
 * works any more. Returns the secret of a link to choose a new password, because the person who asked for the change was signed in.
 * Throws 410.
 */
export async function stopEmailChange(gateway: Gateway, visitor: Visitor, token: string): Promise<string> {
  allow(visitorActor(visitor), 'account.stop')
  const at = gateway.clock.now()
  return gateway.directory.transaction(async (tx) => {
    const [[link]] = await tx.send(useLink('email-stop', token, at))
    if (link?.personId == null) throw linkGone()
    const [[person]] = await tx.send(lockPerson(link.personId))
    if (!person) throw linkGone()
    const { id, email, merchantId, publicId } = person
    const next = makeLink({ purpose: 'reset', personId: id, at })
    const act = { actor: visitorActor(visitor, email), action: 'account.stop', at, merchantId } as const
    const row = auditRow({ ...act, subject: publicId, after: { not_changed_to: link.email } })
    const ends = [
      ...[voidLinks(id, LINKS_OF_SIGN_IN, at), voidInvitationsBy([id], at)],
      ...[endOtherSessions(id, null), forgetBrowsers(id)],
    ]
    return { value: next.token, last: [...ends, next.add, row] }
  })
}
