import { createHmac } from 'node:crypto'
import { statement } from '../../../platform/db/statement.ts'
import type { Gateway } from '../../../program/app.ts'
import { type Account, findAccounts, type Realm } from '../accounts.ts'
import { findCurrentSalt, hashPassword, hasSalt } from '../factors/password-pool.ts'
import { queryArguments } from '../sign-in/sign-up.ts'
import { type EmailAddress, parseEmail } from './email-address.ts'

// All accounts of one address, proven or claiming, share a salt, so that a try costs one hash and its time tells nothing about them
// (reliability.md A71). A person who changes to the address brings its own salt, and new claims take it over.

/** As many bytes as argon2 needs. They are derived from a key of ours, so that no table can be prepared for them. */
const SALT_BYTES = 16

const FIND_ADDRESS = statement<{ realm: Realm; email: string }>(
  'address of person',
  'select realm, email from people where id = $1 and email is not null',
)

type RealmAddress = { realm: Realm; email: EmailAddress }

/** Chooses the salt of an address: the one its accounts have, else one derived from the address, so that two first sign-ups at once agree. */
export function chooseSalt(gateway: Gateway, { realm, email }: RealmAddress, accounts: readonly Account[]): Buffer {
  const derived = () =>
    createHmac('sha256', gateway.vault.derive('password salts')).update(`${realm} ${email.key}`).digest()
  return findCurrentSalt(passwordsOf(accounts)) ?? derived().subarray(0, SALT_BYTES)
}

/** Hashes a password for storing, with the salt of its address. */
export async function hashPasswordFor(gateway: Gateway, address: RealmAddress, password: string): Promise<string> {
  const accounts = await gateway.directory.query(...queryArguments(findAccounts(address.realm, address.email)))
  return hashPassword(password, chooseSalt(gateway, address, accounts))
}

/** Hashes a password for storing, with the salt of this person's address. */
export async function hashPasswordForPerson(gateway: Gateway, personId: number, password: string): Promise<string> {
  const [person] = await gateway.directory.query(FIND_ADDRESS, [personId])
  // A till has neither an address nor a password: the caller is refused later.
  if (!person) return hashPassword(password)
  return hashPasswordFor(gateway, { realm: person.realm, email: parseEmail(person.email) }, password)
}

/** Whether a stored hash must be renewed: it was made at less than today's cost, or with another salt than its address has. */
export const isHashOutdated = (
  gateway: Gateway,
  { stored, ...address }: RealmAddress & { stored: string },
  accounts: readonly Account[],
): boolean => !hasSalt(stored, chooseSalt(gateway, address, accounts))

export const passwordsOf = (accounts: readonly Account[]): string[] =>
  accounts.flatMap(({ password }) => (password === null ? [] : [password]))
