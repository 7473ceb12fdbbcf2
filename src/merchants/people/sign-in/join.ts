import { allow } from '../../../api/access/allow.ts'
import { auditRow } from '../../../api/access/audit-row.ts'
import { assert } from '../../../platform/assert.ts'
import type { Call } from '../../../platform/db/database.ts'
import { retryOnUniqueViolation } from '../../../platform/db/unique-violation.ts'
import { Refusal } from '../../../platform/refusal.ts'
import type { Gateway } from '../../../program/app.ts'
import { type Account, addMember, addPerson, findAccounts, lockAddress, lockMembers } from '../accounts.ts'
import { hashPasswordFor, passwordsOf } from '../addresses/address-salt.ts'
import { endOtherClaims } from '../addresses/claims.ts'
import { type EmailAddress, parseEmail } from '../addresses/email-address.ts'
import { checkPassword } from '../factors/password-pool.ts'
import { judgePassword } from '../factors/password-rules.ts'
import { findOneTimeLink, linkGone, type OneTimeLink, useLink } from '../links.ts'
import { parsePersonName } from '../own-account.ts'
import { confirmPerson, lockPerson, setPassword } from '../write-accounts.ts'
import { newToken, startSession } from '../write-sessions.ts'
import { beginTry, giveBackTry, settleRightTry } from './begin-try.ts'
import { recordFailedTry } from './failed-try.ts'
import type { SignInStep } from './sign-in.ts'
import { rememberBrowser } from './sign-in-counters.ts'
import { makeNameFromEmail, queryArguments } from './sign-up.ts'
import { type Visitor, visitorActor } from './visitor.ts'

/** An invitation as its page shows it. `known`: the address has a proven account, whose password is asked for. */
export type OpenInvitation = OneTimeLink & { merchantId: number; known: boolean }

type JoinInput = { token: string; password: string; name?: string | undefined }
type JoinCommit = {
  token: string
  merchantId: number
  email: EmailAddress
  /** The account that the invitation is accepted with; null: a new one with this password and name. */
  account: Account | null
  made: { password: string; name: string } | null
}

/** Finds the invitation behind a link; null when the link does not work any more. */
export async function findInvitation(gateway: Gateway, token: string): Promise<OpenInvitation | null> {
  const link = await findOneTimeLink(gateway, 'join', token)
  if (link?.merchantId == null || link.email === null) return null
  const accounts = await gateway.directory.query(...queryArguments(findAccounts('merchant', parseEmail(link.email))))
  return { ...link, merchantId: link.merchantId, known: accounts.some(({ confirmed }) => confirmed) }
}

/**
 * Accepts an invitation: with the password of the account that has proven the address, else with a new account, which the link
 * proves. Signs in; where a second factor is on, its code is asked first. Throws 410, 400, 401, 403 while the account is locked.
 */
export async function joinMerchant(gateway: Gateway, visitor: Visitor, input: JoinInput): Promise<SignInStep> {
  allow(visitorActor(visitor), 'people.join')
  const invitation = await findInvitation(gateway, input.token)
  if (invitation?.email == null) throw linkGone()
  const email = parseEmail(invitation.email)
  const accounts = await gateway.directory.query(...queryArguments(findAccounts('merchant', email)))
  const account = await findJoiningAccount(gateway, { accounts, email, visitor, input })
  // An account that has never had a password gets this one: the link has proven its address.
  const made = account?.password == null ? await makeNewAccount(gateway, input, email) : null
  const { merchantId } = invitation
  return retryOnUniqueViolation(() =>
    commitJoin(gateway, visitor, { token: input.token, merchantId, email, account, made }),
  )
}

type JoinTry = { accounts: readonly Account[]; email: EmailAddress; visitor: Visitor; input: JoinInput }

async function findJoiningAccount(
  gateway: Gateway,
  { accounts, email, visitor, input }: JoinTry,
): Promise<Account | null> {
  const owner = accounts.find(({ confirmed }) => confirmed)
  const proven = owner?.password == null ? null : owner
  // Without a proven account a claim may be meant: the link proves the address now. Without any account there is no password to guess.
  const tested = proven === null ? accounts.filter(({ password }) => password !== null) : [proven]
  if (tested.length === 0) return owner ?? null
  const tried = await beginTry(gateway, { emailKey: email.key, visitor, accounts: tested })
  const right = await checkPassword(input.password, passwordsOf(tried.tested))
  const account = tried.tested[right.indexOf(true)]
  if (account === undefined) {
    await recordFailedTry(gateway, { tried, email, account: proven, visitor })
    if (proven === null) return owner ?? null
    throw new Refusal(401, 'wrong_sign_in', 'password is not the one of this account', { field: 'password' })
  }
  // With a second factor the misses are cleared after its code.
  const { clock, directory } = gateway
  await directory.queries(...(account.hasFactor ? giveBackTry(tried) : settleRightTry(tried, account, clock.now())))
  return account
}

async function makeNewAccount(gateway: Gateway, { password, name }: JoinInput, email: EmailAddress) {
  judgePassword(password)
  return {
    password: await hashPasswordFor(gateway, { realm: 'merchant', email }, password),
    name: name ? parsePersonName(name) : makeNameFromEmail(email),
  }
}

function commitJoin(gateway: Gateway, visitor: Visitor, joining: JoinCommit): Promise<SignInStep> {
  const { token, merchantId, email, account, made } = joining
  const at = gateway.clock.now()
  const browser = visitor.browser ?? newToken()
  return gateway.directory.transaction(async (tx) => {
    const [, , [link]] = await tx.send(
      ...([lockAddress(email), lockMembers(merchantId), useLink('join', token, at)] as const),
    )
    if (link?.role == null) throw linkGone()
    // The claim may have ended since its password was checked: another account may have proven the address.
    if (account !== null && (await tx.send(lockPerson(account.id)))[0].length === 0) throw linkGone()
    const { id: personId, publicId: person } = account ?? (await added(made))
    async function added(person: typeof made) {
      assert(person, 'somebody without an account brings a password')
      const [[row]] = await tx.send(addPerson({ ...person, email, confirmed: true, at }))
      assert(row, 'a person that was added has an id')
      return row
    }
    // The link has proven the address for this account, so all other claims end.
    const { calls } = await endOtherClaims(tx, { emailKey: email.key, keep: personId, at })
    const asks = account?.hasFactor === true
    const session = startSession({ personId, merchantId, visitor, at, stage: asks ? 'code' : 'in' })
    const act = { actor: visitorActor(visitor, email.text), action: 'people.join', at, merchantId } as const
    const last: Call[] = [
      ...calls,
      addMember({ personId, merchantId }, link.role, { at, givenBy: link.madeBy }),
      ...(account?.confirmed === false ? [confirmPerson(personId, at)] : []),
      ...(account !== null && made !== null ? [setPassword(personId, made.password)] : []),
      ...session.calls,
      ...(asks ? [] : [rememberBrowser(browser, personId, at)]),
      auditRow({ ...act, subject: link.id, after: { role: link.role, person } }),
    ]
    const step: SignInStep = asks
      ? { kind: 'code', token: session.token }
      : { kind: 'in', token: session.token, browser }
    return { value: step, last }
  })
}
