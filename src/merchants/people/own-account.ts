import type { SignedInActor } from '../../api/access/actor.ts'
import { allow } from '../../api/access/allow.ts'
import { invalidRequest, Refusal } from '../../platform/refusal.ts'
import { hasForbiddenControl } from '../../platform/text/text.ts'
import type { Gateway } from '../../program/app.ts'
import { accountMailRows } from './account-mails.ts'
import { ownAccountRow } from './accounts.ts'
import { hashPasswordForPerson } from './addresses/address-salt.ts'
import { judgePassword } from './factors/password-rules.ts'
import { LINKS_OF_SIGN_IN, voidInvitationsBy, voidLinks } from './links.ts'
import { forgetBrowsers, rememberBrowser } from './sign-in/sign-in-counters.ts'
import type { Visitor } from './sign-in/visitor.ts'
import { type KnownPerson, lockPerson, setPassword, setPersonName } from './write-accounts.ts'
import { endOtherSessions } from './write-sessions.ts'

/** Changes the password of the caller; every other session ends (reliability.md A68). Throws 400. */
export async function changePassword(
  gateway: Gateway,
  caller: SignedInActor,
  { password, visitor }: { password: string; visitor: Visitor },
): Promise<void> {
  allow(caller, 'account.password')
  judgePassword(password)
  const hash = await hashPasswordForPerson(gateway, caller.personId, password)
  const at = gateway.clock.now()
  await gateway.directory.transaction(async (tx) => {
    const person = requirePerson((await tx.send(lockPerson(caller.personId)))[0])
    const own = visitor.browser === null ? [] : [rememberBrowser(visitor.browser, person.id, at)]
    const last = [
      setPassword(person.id, hash),
      endOtherSessions(person.id, caller.sessionId),
      forgetBrowsers(person.id),
      ...own,
    ]
    const letter = accountMailRows(gateway, {
      to: person.email,
      template: 'password-changed',
      values: {},
      at,
    })
    return {
      value: null,
      last: [
        ...last,
        voidLinks(person.id, LINKS_OF_SIGN_IN, at),
        voidInvitationsBy([person.id], at),
        ...letter,
        ownAccountRow(caller, { action: 'account.password', at, subject: person.publicId }),
      ],
    }
  })
}

/** Changes the name under which colleagues and the audit know the caller. Throws 400. */
export async function changeName(gateway: Gateway, caller: SignedInActor, typed: string): Promise<void> {
  allow(caller, 'account.name')
  const name = parsePersonName(typed)
  const at = gateway.clock.now()
  await gateway.directory.transaction(async (tx) => {
    const person = requirePerson((await tx.send(lockPerson(caller.personId)))[0])
    const row = ownAccountRow(caller, { action: 'account.name', at, subject: person.publicId })
    return { value: null, last: [setPersonName(person.id, name), row] }
  })
}

const MAX_NAME_CHARACTERS = 100

export function parsePersonName(typed: string): string {
  const name = typed.trim()
  if (name === '' || [...name].length > MAX_NAME_CHARACTERS)
    throw invalidRequest(`name must be 1 to ${MAX_NAME_CHARACTERS} characters`, 'name')
  if (hasForbiddenControl(name, false)) throw invalidRequest('name contains control characters', 'name')
  return name
}

/** Returns the locked row of the caller. Throws 403 for a till, which has no sign-in that could change. */
export function requirePerson([person]: readonly KnownPerson[]): KnownPerson {
  if (!person) throw new Refusal(403, 'forbidden', 'a till cannot do this')
  return person
}
