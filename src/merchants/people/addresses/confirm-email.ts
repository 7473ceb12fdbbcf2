import type { PersonCaller } from '../../../api/access/actor.ts'
import { allow } from '../../../api/access/allow.ts'
import { auditRow } from '../../../api/access/audit-row.ts'
import { call } from '../../../platform/db/database.ts'
import { statement } from '../../../platform/db/statement.ts'
import { retryOnUniqueViolation } from '../../../platform/db/unique-violation.ts'
import { domainRefusal } from '../../../platform/refusal.ts'
import type { Gateway } from '../../../program/app.ts'
import { accountMailRows, makeDashboardUrl } from '../account-mails.ts'
import { type Account, findAccounts, lockAddress } from '../accounts.ts'
import { findOneTimeLink, linkGone, makeLink, useLink, voidLinks } from '../links.ts'
import { requirePerson } from '../own-account.ts'
import { countLinkMail } from '../sign-in/reset-password.ts'
import { takeMailSlot, tooManyMails } from '../sign-in/sign-in-limits.ts'
import { queryArguments } from '../sign-in/sign-up.ts'
import { type Visitor, visitorActor } from '../sign-in/visitor.ts'
import { confirmPerson, findOwnerOfAddress, lockPerson } from '../write-accounts.ts'
import { adoptClaim } from './add-claimed-business.ts'
import { endOtherClaims, lockClaim } from './claims.ts'
import { type EmailAddress, parseEmail } from './email-address.ts'
import { findSignedInPersonId, provePassword } from './prove-account.ts'

/** The accounts behind a link that confirms an address. Its page asks for the password of each that is not signed in in this browser. */
export type EmailConfirmation = {
  /** The account that signed up with the address. */
  claim: Omit<Account, 'hasFactor' | 'name'>
  /** The account that has proven the address before; null where there is none. */
  owner: Account | null
  email: EmailAddress
  asksClaim: boolean
  asksOwner: boolean
}

const FIND_CLAIM = statement<EmailConfirmation['claim']>(
  'account that confirms',
  `select p.id, p.public_id as "publicId", p.email, p.password, p.confirmed_at is not null as confirmed,
     (select w.merchant_id from memberships w where w.person_id = p.id order by w.created_at, w.merchant_id limit 1) as "merchantId"
   from people p where p.id = $1 and p.email is not null`,
)

/** Finds what the page of this link asks for; null when the link does not work any more. */
export async function findEmailConfirmation(
  gateway: Gateway,
  visitor: Visitor,
  token: string,
): Promise<EmailConfirmation | null> {
  const link = await findOneTimeLink(gateway, 'confirm', token)
  if (link?.personId == null) return null
  const [claim] = await gateway.directory.query(FIND_CLAIM, [link.personId])
  if (!claim || claim.confirmed) return null
  const email = parseEmail(claim.email)
  const accounts = await gateway.directory.query(...queryArguments(findAccounts('merchant', email)))
  const owner = accounts.find(({ id, confirmed }) => confirmed && id !== claim.id) ?? null
  const seat = await findSignedInPersonId(gateway, visitor)
  return { claim, owner, email, asksClaim: seat !== claim.id, asksOwner: owner !== null && seat !== owner.id }
}

/**
 * Proves an address by the mailed link together with a session or the password of the account that signed up, so that the owner of the
 * mailbox cannot confirm a stranger's account by mistake. All other claims of the address end. Where an account has proven it before, the
 * passwords of both accounts are needed, and the business is added to the older one. Throws 410, 401, 403 while it is locked, 429.
 */
export async function confirmEmail(
  gateway: Gateway,
  visitor: Visitor,
  { token, password, ownerPassword }: { token: string; password: string; ownerPassword: string },
): Promise<void> {
  allow(visitorActor(visitor), 'account.confirm')
  const confirmation = await findEmailConfirmation(gateway, visitor, token)
  if (confirmation === null) throw linkGone()
  const { claim, owner, email } = confirmation
  const tryFacts = { email, visitor }
  if (confirmation.asksClaim)
    await provePassword(gateway, {
      ...tryFacts,
      account: { ...claim, hasFactor: false },
      password,
      wrong: WRONG_CLAIM_PASSWORD,
    })
  if (owner !== null && confirmation.asksOwner)
    await provePassword(gateway, {
      ...tryFacts,
      account: owner,
      password: ownerPassword,
      wrong: WRONG_OWNER_PASSWORD,
    })
  const proven = { email, token, claim: claim.id, owner: owner?.id ?? null }
  return retryOnUniqueViolation(() => commitConfirm(gateway, visitor, proven))
}

const WRONG_CLAIM_PASSWORD = {
  message: 'password is not the one that the business was opened with',
  field: 'password',
}
const WRONG_OWNER_PASSWORD = { message: 'this is not the password of your account', field: 'account' }

type ProvenPasswords = { email: EmailAddress; token: string; claim: number; owner: number | null }

function commitConfirm(gateway: Gateway, visitor: Visitor, proven: ProvenPasswords): Promise<void> {
  const at = gateway.clock.now()
  return gateway.directory.transaction(async (tx) => {
    const [, [link], [claim], [owner]] = await tx.send(
      ...([lockAddress(proven.email), useLink('confirm', proven.token, at)] as const),
      ...([lockClaim(proven.claim), findOwnerOfAddress(proven.email.key)] as const),
    )
    // The passwords were proven for this address and owner: if either has changed meanwhile, the link is void.
    const same = claim?.emailKey === proven.email.key && (owner?.id ?? null) === proven.owner
    if (!link || !claim || !same) throw linkGone()
    const actor = visitorActor(visitor, proven.email.text)
    const act = { actor, action: 'account.confirm', at, subject: claim.publicId } as const
    const [[account]] = await tx.send(call(FIND_CLAIM, claim.id))
    const merchantId = account?.merchantId ?? null
    if (owner) {
      const row = auditRow({ ...act, merchantId, after: { added_to: owner.id } })
      return { value: undefined, last: [...adoptClaim(claim.id, owner.id, at), row] }
    }
    const [[open]] = await tx.send(lockPerson(claim.id))
    if (!open) throw linkGone()
    const { ended, calls } = await endOtherClaims(tx, { emailKey: claim.emailKey, keep: claim.id, at })
    const row = auditRow({ ...act, merchantId, after: { ended_claims: ended } })
    return { value: undefined, last: [confirmPerson(claim.id, at), ...calls, row] }
  })
}

/** Sends a new link that proves the person's address; the older one works no longer. Throws 400 where it is proven already, 429. */
export async function resendConfirmation(
  gateway: Gateway,
  caller: PersonCaller,
  { visitor, business }: { visitor: Visitor; business: string },
): Promise<void> {
  allow(caller, 'account.resend')
  const at = gateway.clock.now()
  await countLinkMail(gateway, visitor, `person ${caller.personId}`)
  // A stranger who signed up with the address may have used up its mails; choosing a new password confirms the address too.
  if (!(await takeMailSlot(gateway, 'confirm', parseEmail(caller.name).key))) throw tooManyMails()
  await gateway.directory.transaction(async (tx) => {
    const [rows] = await tx.send(lockPerson(caller.personId), voidLinks(caller.personId, ['confirm'], at))
    const person = requirePerson(rows)
    if (person.confirmed) throw domainRefusal('confirmed', 'your e-mail address is confirmed already')
    const [[owner]] = await tx.send(findOwnerOfAddress(person.emailKey))
    const { token, add } = makeLink({ purpose: 'confirm', personId: person.id, at })
    const values = { business, link: makeDashboardUrl(gateway, `/confirm?link=${token}`) }
    const template = owner ? 'account-exists' : 'confirm-email'
    return {
      value: null,
      last: [add, ...accountMailRows(gateway, { to: person.email, template, values, at })],
    }
  })
}
