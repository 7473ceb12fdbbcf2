import { serviceActor } from '../../../api/access/actor.ts'
import { allow } from '../../../api/access/allow.ts'
import { auditRow } from '../../../api/access/audit-row.ts'
import { assert } from '../../../platform/assert.ts'
import { type Call, call } from '../../../platform/db/database.ts'
import { firstRow } from '../../../platform/db/first-row.ts'
import { statement } from '../../../platform/db/statement.ts'
import { invalidRequest, Refusal } from '../../../platform/refusal.ts'
import { oneLine } from '../../../platform/text/text.ts'
import type { Gateway } from '../../../program/app.ts'
import { createMerchant, isRepeatedCreation } from '../../account/create-merchant.ts'
import { accountMailRows, makeDashboardUrl } from '../account-mails.ts'
import {
  addMember,
  addPerson,
  closeNewestClaims,
  findAccounts,
  lockAddress,
  lockMembers,
  MAX_CLAIMS_PER_ADDRESS,
} from '../accounts.ts'
import { chooseSalt } from '../addresses/address-salt.ts'
import { type EmailAddress, parseEmail } from '../addresses/email-address.ts'
import { checkPassword, hashPassword } from '../factors/password-pool.ts'
import { judgePassword } from '../factors/password-rules.ts'
import { makeLink } from '../links.ts'
import { newToken, startSession } from '../write-sessions.ts'
import { rememberBrowser } from './sign-in-counters.ts'
import { signInLimits, takeMailSlot } from './sign-in-limits.ts'
import { clientAddressOf, type Visitor, visitorActor } from './visitor.ts'

type SignUpInput = {
  business: string
  email: string
  password: string
  handle?: string | undefined
  /** Key of the form: sent again with the same key, it leads to the same account. */
  formKey?: string | undefined
}

/** The two cookies of a browser that is signed in from now on. */
export type SignInCookies = { token: string; browser: string }

const FIND_MERCHANT_ID = statement<{ merchantId: number }>(
  'merchant of sign-up',
  'select id as "merchantId" from merchants where public_id = $1',
)
const FIND_FIRST_OWNER = statement<{ personId: number; password: string | null }>(
  'first owner',
  `select p.id as "personId", p.password from memberships w join people p on p.id = w.person_id
   where w.merchant_id = $1 and w.role = 'owner' order by w.created_at, p.id limit 1`,
)

/**
 * Makes a business with its keys, its owner and a session. For an address that has an account the same happens: the new account claims
 * the address, works in test mode like every unproven one, and the mail informs the owner of the address. So neither the answer nor a
 * later sign-in reveals whether an address is in use (reliability.md A71). The same form sent again with its password leads to the same
 * account; after a crash it finishes what was begun. Throws 400, 429.
 */
export async function signUp(gateway: Gateway, visitor: Visitor, input: SignUpInput): Promise<SignInCookies> {
  const actor = visitorActor(visitor)
  allow(actor, 'account.create')
  const business = parseBusinessName(input.business)
  const email = parseEmail(input.email)
  judgePassword(input.password)
  await signInLimits(gateway).signUps.take(clientAddressOf(visitor), gateway.clock.nowMs())
  const opening = {
    name: business,
    email: email.text,
    ...(input.handle ? { handle: input.handle.trim().toLowerCase() } : {}),
    ...(input.formKey === undefined ? {} : { commandKey: `sign-up ${input.formKey}` }),
  }
  await judgeClaims(gateway, email, opening)
  const signingUp = { ...serviceActor('sign-up'), origin: visitor.origin, requestId: visitor.requestId }
  const merchant = await createMerchant(gateway, signingUp, opening)
  const row = await firstRow(gateway.directory.query(FIND_MERCHANT_ID, [merchant.id]))
  assert(row, 'a merchant that was made is in the directory')
  const opened = { ...row, publicId: merchant.id, business }
  return addOwner(gateway, visitor, { business: opened, email, typed: input.password })
}

/** Refuses one more claim of an address at the limit, because it would push out an older one. The same form sent again is no new claim. */
async function judgeClaims(
  gateway: Gateway,
  email: EmailAddress,
  opening: Parameters<typeof isRepeatedCreation>[1],
): Promise<void> {
  const accounts = await gateway.directory.query(...queryArguments(findAccounts('merchant', email)))
  const claims = accounts.filter(({ confirmed }) => !confirmed).length
  if (claims >= MAX_CLAIMS_PER_ADDRESS && !(await isRepeatedCreation(gateway, opening))) throw tooManyClaims()
}

type OwnerInput = {
  business: Pick<NewOwner, 'merchantId' | 'publicId' | 'business'>
  email: EmailAddress
  typed: string
}

/** The salt of the address changed meanwhile: an account with another salt has taken the address. */
class SaltChanged extends Error {}
const MAX_OWNER_ATTEMPTS = 3

async function addOwner(
  gateway: Gateway,
  visitor: Visitor,
  { business, email, typed }: OwnerInput,
  triesLeft = MAX_OWNER_ATTEMPTS - 1,
): Promise<SignInCookies> {
  const accounts = await gateway.directory.query(...queryArguments(findAccounts('merchant', email)))
  const salt = chooseSalt(gateway, { realm: 'merchant', email }, accounts)
  const inUse = accounts.some(({ confirmed }) => confirmed)
  const owner = { ...business, email, password: await hashPassword(typed, salt), salt, inUse }
  return startFirstSession(gateway, visitor, { owner, typed }).catch((error) => {
    if (!(error instanceof SaltChanged) || triesLeft === 0) throw error
    return addOwner(gateway, visitor, { business, email, typed }, triesLeft - 1)
  })
}

type NewOwner = {
  merchantId: number
  publicId: string
  email: EmailAddress
  password: string
  /** The salt with which the password was hashed. */
  salt: Buffer
  business: string
  /** Another account has proven the address. */
  inUse: boolean
}

async function startFirstSession(
  gateway: Gateway,
  visitor: Visitor,
  { owner, typed }: { owner: NewOwner; typed: string },
): Promise<SignInCookies> {
  const at = gateway.clock.now()
  const browser = visitor.browser ?? newToken()
  const { merchantId, email } = owner
  const enter = (personId: number) => {
    const session = startSession({ personId, merchantId, visitor, at, signedUp: true })
    return { token: session.token, last: [...session.calls, rememberBrowser(browser, personId, at)] }
  }
  const earlier = await firstRow(gateway.directory.query(FIND_FIRST_OWNER, [merchantId]))
  const isRepeat = earlier !== null && (await checkPassword(typed, [earlier.password ?? '']))[0] === true
  if (earlier !== null && !isRepeat) throw formUsed()
  // Without the mail the account is the same: its page Security can send the link again.
  const sendsMail = earlier === null && (await takeMailSlot(gateway, 'confirm', email.key))
  const token = await gateway.directory.transaction(async (tx) => {
    const [, , [first], accounts] = await tx.send(
      ...([lockAddress(email), lockMembers(merchantId)] as const),
      ...([call(FIND_FIRST_OWNER, merchantId), findAccounts('merchant', email)] as const),
    )
    if (first) {
      // The form came twice at once: the second request has not proven the password of the first.
      if (first.personId !== earlier?.personId) throw formUsed()
      const { token, last } = enter(first.personId)
      return { value: token, last }
    }
    if (!chooseSalt(gateway, { realm: 'merchant', email }, accounts).equals(owner.salt)) throw new SaltChanged()
    const person = { name: makeNameFromEmail(email), email, password: owner.password, confirmed: false, at }
    const [[added]] = await tx.send(addPerson(person))
    assert(added, 'a person that was added has an id')
    const { token, last } = enter(added.id)
    const signedUp = { actor: visitorActor(visitor, email.text), action: 'account.create', at } as const
    const after = { role: 'owner', person: added.publicId }
    const row = auditRow({ ...signedUp, merchantId, subject: owner.publicId, after })
    const letter = sendsMail ? makeConfirmLetter(gateway, { owner, personId: added.id, at }) : []
    const more = [closeNewestClaims(email, at), ...letter, row]
    return {
      value: token,
      last: [addMember({ personId: added.id, merchantId }, 'owner', { at }), ...last, ...more],
    }
  })
  return { token, browser }
}

/** Makes the mail that proves the address. To an address in use it says so, and asks whether the new business belongs to its account. */
function makeConfirmLetter(
  gateway: Gateway,
  { owner, personId, at }: { owner: NewOwner; personId: number; at: Date },
): Call[] {
  const { token, add } = makeLink({ purpose: 'confirm', personId, at })
  const values = { business: owner.business, link: makeDashboardUrl(gateway, `/confirm?link=${token}`) }
  const template = owner.inUse ? 'account-exists' : 'confirm-email'
  return [add, ...accountMailRows(gateway, { to: owner.email.text, template, values, at })]
}

const tooManyClaims = () =>
  new Refusal(
    429,
    'too_many_accounts',
    'many accounts were opened with this address that nobody has confirmed: choose a new password by mail, which ends all of them but yours',
  )
const formUsed = () => new Refusal(409, 'form_used', 'this form was sent already: sign in, or open the form again')

/** Makes the first name of an account from its address: the part before the @. */
export const makeNameFromEmail = ({ text }: EmailAddress): string => text.split('@', 1)[0] || text

/** Splits a call into the arguments of `query`. */
export const queryArguments = <Row>({ statement, values }: Call<Row>) => [statement, values] as const

const MAX_NAME_CHARACTERS = 200
// A name stands in our mails and on our pages before it is verified, so it must not lead its readers to another address.
const ADDRESS_IN_NAME =
  /:\/\/|\bwww\.|@|\p{L}\.(?:com|net|org|info|biz|co|ug|ke|tz|rw|io|me|ly|link|app|dev|xyz|shop|site|online|top|live|club)\b/iu
// The shortest number that can be dialled here: one of this country without its first 0. "Studio 2000000" is a name.
const MIN_PHONE_DIGITS = 9

/** Parses the name of a business at sign-up. Throws 400. */
function parseBusinessName(typed: string): string {
  const name = oneLine(typed.normalize('NFC')).replace(/\s+/g, ' ')
  if (name === '' || [...name].length > MAX_NAME_CHARACTERS)
    throw invalidRequest(`business must be 1 to ${MAX_NAME_CHARACTERS} characters`, 'business')
  if (ADDRESS_IN_NAME.test(name))
    throw invalidRequest('business must be a name, without a web or e-mail address', 'business')
  if (countLongestDigitRun(name) >= MIN_PHONE_DIGITS)
    throw invalidRequest(
      `business must be a name, without a phone number: at most ${MIN_PHONE_DIGITS - 1} digits in a row`,
      'business',
    )
  return name
}

/** Counts the longest run of digits; blanks, dashes, dots and the like may stand between them. */
const countLongestDigitRun = (name: string): number =>
  Math.max(0, ...(name.match(/\p{Nd}[\p{Nd}\s().+\-/_]*/gu) ?? []).map((run) => run.match(/\p{Nd}/gu)?.length ?? 0))
