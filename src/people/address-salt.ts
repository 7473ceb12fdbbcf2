import { createHmac } from 'node:crypto'
import type { Gateway } from '../app.ts'
import { statement } from '../platform/db/statement.ts'
import { type Account, accountsOf, type Realm } from './accounts.ts'
import { type EmailAddress, readEmail } from './email-address.ts'
import { hashPassword, hasSalt, saltAmong } from './password-pool.ts'
import { sent } from './sign-up.ts'

// Whoever has an address and all who claim it have one salt, so that a try costs one hash and its time says nothing of who they are
// (reliability.md A71). Who changes the address brings the salt along, and new claims take it over.

/** As many bytes as argon2 wants; from a key of ours, so that nobody can prepare for it. */
const SALT_BYTES = 16

const ADDRESS = statement<{ realm: Realm; email: string }>(
  'address of person',
  'select realm, email from people where id = $1 and email is not null',
)

type Place = { realm: Realm; email: EmailAddress }

/** The salt of an address: what its accounts have, else one that follows from the address, so that two first ones at once agree. */
export function saltOf(gateway: Gateway, { realm, email }: Place, accounts: readonly Account[]): Buffer {
  const derived = () =>
    createHmac('sha256', gateway.vault.derive('password salts')).update(`${realm} ${email.key}`).digest()
  return saltAmong(passwordsOf(accounts)) ?? derived().subarray(0, SALT_BYTES)
}

/** What is stored of a password of whoever has or claims this address. */
export async function hashFor(gateway: Gateway, place: Place, password: string): Promise<string> {
  const accounts = await gateway.directory.query(...sent(accountsOf(place.realm, place.email)))
  return hashPassword(password, saltOf(gateway, place, accounts))
}

/** The same for a person whose address is known here alone. */
export async function hashForPerson(gateway: Gateway, personId: number, password: string): Promise<string> {
  const [own] = await gateway.directory.query(ADDRESS, [personId])
  // A till has no address, and no password either: whoever asks is refused afterwards.
  if (!own) return hashPassword(password)
  return hashFor(gateway, { realm: own.realm, email: readEmail(own.email) }, password)
}

/** Whether it needs a new hash: it was made at less than today's cost, or with another salt than that of its address. */
export const isOutdated = (
  gateway: Gateway,
  { stored, ...place }: Place & { stored: string },
  accounts: readonly Account[],
): boolean => !hasSalt(stored, saltOf(gateway, place, accounts))

export const passwordsOf = (accounts: readonly Account[]): string[] =>
  accounts.flatMap(({ password }) => (password === null ? [] : [password]))
