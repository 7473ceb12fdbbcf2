import type { PersonCaller } from '../../../api/access/actor.ts'
import { allow } from '../../../api/access/allow.ts'
import type { Call } from '../../../platform/db/database.ts'
import { Refusal } from '../../../platform/refusal.ts'
import type { Gateway } from '../../../program/app.ts'
import { ownAccountRow } from '../accounts.ts'
import { checkPassword } from '../factors/password-pool.ts'
import { voidLinks } from '../links.ts'
import { beginTry, giveBackTry } from '../sign-in/begin-try.ts'
import { recordFailedTry } from '../sign-in/failed-try.ts'
import { queryArguments } from '../sign-in/sign-up.ts'
import type { Visitor } from '../sign-in/visitor.ts'
import { closePerson, findOwnerOfAddress, moveMemberships } from '../write-accounts.ts'
import { endSessionsOfPeople } from '../write-sessions.ts'
import { type EmailClaim, findClaimsWithBusiness, lockClaim } from './claims.ts'
import { type EmailAddress, parseEmail } from './email-address.ts'

/**
 * Adds a business that was opened with the person's own proven address, by the password that it was opened with. Such businesses are
 * not listed, because strangers may have opened some. Throws 401, 403 while the address is locked, 429.
 */
export async function addClaimedBusiness(
  gateway: Gateway,
  caller: PersonCaller,
  { password, visitor }: { password: string; visitor: Visitor },
): Promise<void> {
  allow(caller, 'account.add-business')
  if (!caller.confirmed) throw emailUnproven()
  const email = parseEmail(caller.name)
  const claims = await gateway.directory.query(...queryArguments(findClaimsWithBusiness(email.key)))
  const claim = await proveClaim(gateway, { claims, password, email, visitor })
  const at = gateway.clock.now()
  await gateway.directory.transaction(async (tx) => {
    const [[locked], [owner]] = await tx.send(lockClaim(claim.id), findOwnerOfAddress(email.key))
    if (locked?.emailKey !== email.key || owner?.id !== caller.personId) throw wrongClaimPassword()
    const facts = { at, subject: claim.publicId, after: { added_to: owner.id } }
    const row = ownAccountRow(caller, { action: 'account.add-business', ...facts })
    return { value: null, last: [...adoptClaim(claim.id, owner.id, at), row] }
  })
}

type ClaimPasswordInput = {
  claims: readonly EmailClaim[]
  password: string
  email: EmailAddress
  visitor: Visitor
}

async function proveClaim(
  gateway: Gateway,
  { claims, password, email, visitor }: ClaimPasswordInput,
): Promise<EmailClaim> {
  const tried = await beginTry(gateway, { emailKey: email.key, visitor, accounts: claims, byAddress: true })
  const right = await checkPassword(
    password,
    tried.tested.map((claim) => claim.password ?? ''),
  )
  const claim = tried.tested[right.indexOf(true)]
  if (claim === undefined) {
    await recordFailedTry(gateway, { tried, email, account: null, visitor })
    throw wrongClaimPassword()
  }
  await gateway.directory.queries(...giveBackTry(tried))
  return claim
}

/** Moves the businesses of a claim to the owner of the address and closes the claim. */
export const adoptClaim = (claim: number, owner: number, at: Date): Call[] => [
  moveMemberships(claim, owner),
  closePerson(claim, at),
  endSessionsOfPeople([claim]),
  voidLinks(claim, ['confirm', 'reset'], at),
]

const emailUnproven = () =>
  new Refusal(403, 'email_unconfirmed', 'confirm your own e-mail address before you add a business to it')
const wrongClaimPassword = () =>
  new Refusal(401, 'wrong_sign_in', 'password is not one that a business was opened with under your address', {
    field: 'password',
  })
