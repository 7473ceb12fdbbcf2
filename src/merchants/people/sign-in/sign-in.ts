import { allow } from '../../../api/access/allow.ts'
import { auditRow } from '../../../api/access/audit-row.ts'
import { firstRow } from '../../../platform/db/first-row.ts'
import { statement } from '../../../platform/db/statement.ts'
import { Refusal } from '../../../platform/refusal.ts'
import type { Gateway } from '../../../program/app.ts'
import { type Account, findAccounts } from '../accounts.ts'
import { chooseSalt, isHashOutdated } from '../addresses/address-salt.ts'
import { type EmailAddress, parseEmail } from '../addresses/email-address.ts'
import { takeCode } from '../factors/codes.ts'
import { isPasskeyAnswer, makeConfirmOptions, takePasskey } from '../factors/passkeys.ts'
import { checkPassword, hashPassword } from '../factors/password-pool.ts'
import { hashToken } from '../session.ts'
import { lockPerson } from '../write-accounts.ts'
import { endSession, newToken, startSession } from '../write-sessions.ts'
import { beginTry, giveBackTry, type SignInTry, settleRightTry } from './begin-try.ts'
import { recordFailedTry } from './failed-try.ts'
import { rememberBrowser } from './sign-in-counters.ts'
import { signInLimits } from './sign-in-limits.ts'
import { queryArguments, type SignInCookies } from './sign-up.ts'
import { clientAddressOf, type Visitor, visitorActor } from './visitor.ts'

/** `in`: signed in. `code`: the password was right, and the code of the second factor is awaited under this cookie. */
export type SignInStep = ({ kind: 'in' } & SignInCookies) | { kind: 'code'; token: string }

const FIND_HALF_SESSION = statement<{
  sessionId: string
  personId: number
  publicId: string
  merchantId: number | null
  email: string
  emailKey: string
  confirmed: boolean
}>(
  'session that awaits a code',
  `select s.id as "sessionId", s.person_id as "personId", p.public_id as "publicId", s.merchant_id as "merchantId", p.email, p.email_key as "emailKey",
     p.confirmed_at is not null as confirmed
   from sessions s join people p on p.id = s.person_id
   where s.hash = $1 and s.stage = 'code' and s.ends_at > $2 and p.realm = $3 and p.closed_at is null`,
)
const WRONG_CODE = statement<{ wrongCodes: number }>(
  'wrong code',
  'update sessions set wrong_codes = wrong_codes + 1 where id = $1 returning wrong_codes as "wrongCodes"',
)
const END_HALF_SESSION = statement('end session that awaits a code', 'delete from sessions where id = $1')
const REHASH = statement('renew hash of password', 'update people set password = $2 where id = $1 and password = $3')

const MAX_WRONG_CODES = 5

/**
 * Signs in by e-mail address and password, and by the code where a second factor is on and the code came along. A wrong try takes the
 * same time and gets the same answer whether the account exists or not. Throws 401, 403 while it is locked, 429, 503.
 */
export async function signIn(
  gateway: Gateway,
  visitor: Visitor,
  input: { email: string; password: string; code?: string | undefined },
): Promise<SignInStep> {
  allow(visitorActor(visitor), 'account.sign-in')
  const email = parseEmail(input.email)
  await signInLimits(gateway).ofAddress.take(clientAddressOf(visitor), gateway.clock.nowMs())
  const accounts = await gateway.directory.query(...queryArguments(findAccounts(visitor.realm, email)))
  const tried = await beginTry(gateway, { emailKey: email.key, visitor, accounts, byAddress: true })
  const account = await findAccountByPassword(input.password, tried.tested)
  if (account === null) {
    await recordFailedTry(gateway, { tried, email, account: null, visitor })
    throw wrongSignIn()
  }
  await renewHash(gateway, { account, email, accounts, realm: visitor.realm, typed: input.password })
  if (!account.hasFactor) {
    if (visitor.realm === 'operator') throw noFactor()
    return completeSignIn(gateway, visitor, { account, tried })
  }
  await gateway.directory.queries(...giveBackTry(tried))
  const half = await startHalfSession(gateway, visitor, account)
  if (!input.code) return { kind: 'code', token: half }
  return submitCode(gateway, { ...visitor, token: half }, input.code)
}

/** Completes a sign-in with the code of the second factor, or a recovery code. Throws 401; after five wrong ones the password is asked again. */
export async function submitCode(gateway: Gateway, visitor: Visitor, code: string): Promise<SignInStep> {
  allow(visitorActor(visitor), 'account.sign-in')
  const now = gateway.clock.now()
  const half = await findHalfSession(gateway, visitor)
  if (half === null) throw tookTooLong()
  const { personId, publicId, email, emailKey, merchantId, confirmed } = half
  const account = { id: personId, publicId, email, merchantId, confirmed }
  const tried = await beginTry(gateway, { emailKey, visitor, accounts: [account] })
  if (!(await isCodeRight(gateway, half, code))) {
    const [wrong] = await gateway.directory.query(WRONG_CODE, [half.sessionId])
    if ((wrong?.wrongCodes ?? MAX_WRONG_CODES) >= MAX_WRONG_CODES)
      await gateway.directory.query(END_HALF_SESSION, [half.sessionId])
    await recordFailedTry(gateway, { tried, email: { text: email, key: emailKey }, account, visitor })
    throw new Refusal(401, 'wrong_code', 'this code is wrong, or was used already')
  }
  return completeSignIn(gateway, visitor, { account, tried, at: now, half: half.sessionId })
}

const tookTooLong = () => new Refusal(401, 'sign_in_again', 'it took too long: sign in again')

/** The act that a passkey confirms at sign-in; its challenge belongs to the session that awaits the code. */
const SIGN_IN_ACT = 'sign in'

async function isCodeRight(
  gateway: Gateway,
  { personId, sessionId }: { personId: number; sessionId: string },
  code: string,
): Promise<boolean> {
  if (isPasskeyAnswer(code)) return takePasskey(gateway, personId, { sessionId, act: SIGN_IN_ACT, response: code })
  return (await takeCode(gateway, personId, code)) !== null
}

/** Makes the options with which the browser gives a passkey instead of the code; null without passkeys, or where no code is awaited. */
export async function makeSignInOptions(gateway: Gateway, visitor: Visitor): Promise<object | null> {
  const half = await findHalfSession(gateway, visitor)
  if (half === null) return null
  return makeConfirmOptions(gateway, half.personId, { sessionId: half.sessionId, act: SIGN_IN_ACT })
}

/** Finds the e-mail address whose password was given in this browser and whose code is awaited; null where none is. */
export const findEmailAwaitingCode = async (gateway: Gateway, visitor: Visitor): Promise<string | null> =>
  (await findHalfSession(gateway, visitor))?.email ?? null

async function findHalfSession({ directory, clock }: Gateway, { token, realm }: Visitor) {
  if (token === null) return null
  return firstRow(directory.query(FIND_HALF_SESSION, [hashToken(token), clock.now().toISOString(), realm]))
}

async function findAccountByPassword(password: string, accounts: readonly Account[]): Promise<Account | null> {
  const own = accounts.filter((account) => account.password !== null)
  const right = await checkPassword(
    password,
    own.map((account) => account.password ?? ''),
  )
  return own[right.indexOf(true)] ?? null
}

type RenewHashInput = {
  account: Account
  realm: Visitor['realm']
  email: EmailAddress
  accounts: readonly Account[]
  typed: string
}

/** Renews a stored hash of a lesser cost or with another salt than its address has, while the password is at hand. */
async function renewHash(gateway: Gateway, { account, accounts, typed, ...address }: RenewHashInput): Promise<void> {
  const { id, password: stored } = account
  if (stored === null || !isHashOutdated(gateway, { ...address, stored }, accounts)) return
  const renewed = await hashPassword(typed, chooseSalt(gateway, address, accounts))
  await gateway.directory.query(REHASH, [id, renewed, stored])
}

type CompleteInput = {
  account: Pick<Account, 'id' | 'publicId' | 'email' | 'merchantId' | 'confirmed'>
  tried: SignInTry
  at?: Date
  /** The session that awaited the code; null where no code was asked. */
  half?: string | null
}

async function completeSignIn(
  gateway: Gateway,
  visitor: Visitor,
  { account, tried, at = gateway.clock.now(), half = null }: CompleteInput,
): Promise<SignInStep> {
  const browser = visitor.browser ?? newToken()
  const { id: personId, publicId, email, merchantId } = account
  const session = startSession({ personId, merchantId, visitor, at })
  const row = auditRow({
    ...{ actor: visitorActor(visitor, email), action: 'account.sign-in', at, merchantId },
    subject: publicId,
  })
  await gateway.directory.transaction(async (tx) => {
    const [[person]] = await tx.send(lockPerson(personId))
    // Setting up the sign-in again, or ending all sessions, ends the awaiting session too: its code, right before, signs nobody in after.
    const ended = half === null ? [] : (await tx.send(endSession(personId, half)))[0]
    if (!person || (half !== null && ended.length === 0)) throw tookTooLong()
    const counted = settleRightTry(tried, account, at)
    const last = [...counted, ...session.calls, rememberBrowser(browser, personId, at), row]
    return { value: null, last }
  })
  return { kind: 'in', token: session.token, browser }
}

async function startHalfSession(gateway: Gateway, visitor: Visitor, account: Account): Promise<string> {
  const at = gateway.clock.now()
  const { id: personId, merchantId } = account
  const { token, calls } = startSession({ personId, merchantId, visitor, at, stage: 'code' })
  // `last` is sent together with the commit, so the first statement is sent before.
  const [first, ...last] = calls
  await gateway.directory.transaction(async (tx) => {
    if (first) await tx.send(first)
    return { value: null, last }
  })
  return token
}

/** 403 for an operator without a second factor (reliability.md A72). It cannot be added at sign-in, where the password alone would be enough. */
const noFactor = () =>
  new Refusal(
    403,
    'no_factor',
    'this account has no second factor: an admin, or whoever runs the machine, sends a link that adds one',
  )

/** 401 with one text for a wrong password and for an address without an account. */
const wrongSignIn = () => new Refusal(401, 'wrong_sign_in', 'this e-mail address and password do not belong together')
