import type { PersonCaller } from '../actors/actor.ts'
import { allow } from '../actors/allow.ts'
import { auditRow } from '../actors/audit-row.ts'
import type { Gateway } from '../app.ts'
import type { Call } from '../platform/db/database.ts'
import { Refusal } from '../platform/refusal.ts'
import { merchantOf } from './accounts.ts'
import { beginTry, tryGivenBack } from './begin-try.ts'
import { type Claim, claimsWithBusiness, lockClaim } from './claims.ts'
import { type EmailAddress, readEmail } from './email-address.ts'
import { voidLinks } from './links.ts'
import { missed } from './miss.ts'
import { checkPassword } from './password-pool.ts'
import { sent } from './sign-up.ts'
import type { Visitor } from './visitor.ts'
import { closePerson, moveMemberships, ownerOfAddress } from './write-accounts.ts'
import { endSessionsOf } from './write-sessions.ts'

/**
 * Adds a business that was opened with the person's own proven address, by the password that it was opened with. Such businesses are
 * not listed, because strangers may have opened some. Throws 401, 403 while the address is locked, 429.
 */
export async function addClaimed(
  gateway: Gateway,
  caller: PersonCaller,
  { password, visitor }: { password: string; visitor: Visitor },
): Promise<void> {
  allow(caller, 'account.add-business')
  if (!caller.confirmed) throw unproven()
  const email = readEmail(caller.name)
  const claims = await gateway.directory.query(...sent(claimsWithBusiness(email.key)))
  const claim = await claimWith(gateway, { claims, password, email, visitor })
  const at = gateway.clock.now()
  await gateway.directory.transaction(async (tx) => {
    const [[locked], [owner]] = await tx.send(lockClaim(claim.id), ownerOfAddress(email.key))
    if (locked?.emailKey !== email.key || owner?.id !== caller.personId) throw wrongOne()
    const act = { actor: caller, action: 'account.add-business', at, merchantId: merchantOf(caller) } as const
    const row = auditRow({ ...act, subject: claim.publicId, after: { added_to: owner.id } })
    return { value: null, last: [...addClaim(claim.id, owner.id, at), row] }
  })
}

type Trying = { claims: readonly Claim[]; password: string; email: EmailAddress; visitor: Visitor }

async function claimWith(gateway: Gateway, { claims, password, email, visitor }: Trying): Promise<Claim> {
  const tried = await beginTry(gateway, { emailKey: email.key, visitor, accounts: claims, anybody: true })
  const right = await checkPassword(
    password,
    tried.tested.map((claim) => claim.password ?? ''),
  )
  const claim = tried.tested[right.indexOf(true)]
  if (claim === undefined) {
    await missed(gateway, { tried, email, account: null, visitor })
    throw wrongOne()
  }
  await gateway.directory.queries(...tryGivenBack(tried))
  return claim
}

/** Moves the businesses of a claim to the owner of the address and closes the claim. */
export const addClaim = (claim: number, owner: number, at: Date): Call[] => [
  moveMemberships(claim, owner),
  closePerson(claim, at),
  endSessionsOf([claim]),
  voidLinks(claim, ['confirm', 'reset'], at),
]

const unproven = () =>
  new Refusal(403, 'email_unconfirmed', 'confirm your own e-mail address before you add a business to it')
const wrongOne = () =>
  new Refusal(401, 'wrong_sign_in', 'password is not one that a business was opened with under your address')
