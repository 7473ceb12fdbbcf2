import type { StaffRole } from '../../../api/access/actor.ts'
import { allow } from '../../../api/access/allow.ts'
import { auditRow } from '../../../api/access/audit-row.ts'
import { assert } from '../../../platform/assert.ts'
import type { Call, Tx } from '../../../platform/db/database.ts'
import { firstRow } from '../../../platform/db/first-row.ts'
import { statement } from '../../../platform/db/statement.ts'
import { isUniqueViolation } from '../../../platform/db/unique-violation.ts'
import { domainRefusal, Refusal } from '../../../platform/refusal.ts'
import type { Gateway } from '../../../program/app.ts'
import { accountMailRows } from '../account-mails.ts'
import { addStaff } from '../accounts.ts'
import { hashPasswordFor } from '../addresses/address-salt.ts'
import { parseEmail } from '../addresses/email-address.ts'
import { findCodeStep, makeRecoveryCodes } from '../factors/codes.ts'
import { addConfirmedApp, dropFactors, makeRealmAppUri } from '../factors/factors.ts'
import { judgePassword } from '../factors/password-rules.ts'
import {
  findOneTimeLink,
  LINKS_OF_SIGN_IN,
  type LinkPurpose,
  linkGone,
  type OneTimeLink,
  useLink,
  voidLinks,
} from '../links.ts'
import { parsePersonName } from '../own-account.ts'
import { linkBinding } from '../sealed-columns.ts'
import { accountCounter, clearCounter, forgetBrowsers, rememberBrowser } from '../sign-in/sign-in-counters.ts'
import { signInLimits } from '../sign-in/sign-in-limits.ts'
import { makeNameFromEmail, type SignInCookies } from '../sign-in/sign-up.ts'
import { clientAddressOf, type Visitor, visitorActor } from '../sign-in/visitor.ts'
import { lockPerson, setPassword } from '../write-accounts.ts'
import { endOtherSessions, newToken, startSession } from '../write-sessions.ts'

/** An operator's link as its page shows it: to become an operator, or to set up the sign-in again. */
export type Enrolment = {
  purpose: 'operator' | 'operator-reset'
  email: string
  /** The role of a new operator; null for one who has a role already. */
  role: StaffRole | null
  /** The secret of the authenticator as text, and as a URI in `address`; it stays the same until the link is used. */
  secret: string
  address: string
}

const FIND_ADDRESS = statement<{ email: string }>(
  'address of operator',
  `select email from people where id = $1 and realm = 'operator' and closed_at is null`,
)

type EnrolmentInput = { token: string; password: string; code: string; name?: string | undefined }
type CheckedEnrolment = { input: EnrolmentInput; hash: string; secret: string; step: number; at: Date }
type EnrolmentResult = SignInCookies & { codes: string[] }

/** Finds the enrolment behind a link; null when the link does not work any more. */
export async function findEnrolment(
  gateway: Gateway,
  purpose: Enrolment['purpose'],
  token: string,
): Promise<Enrolment | null> {
  const link = await findOneTimeLink(gateway, purpose, token)
  if (link?.sealed == null) return null
  const email = link.email ?? (await findStaffAddress(gateway, link))
  if (email === null) return null
  const secret = gateway.vault.open(link.sealed, linkBinding(link.id))
  const address = makeRealmAppUri(gateway, { secret, account: email, realm: 'operator' })
  return { purpose, email, role: link.operatorRole, secret, address }
}

/** Finds the address of the operator whose sign-in is set up again; null when the account is closed. */
async function findStaffAddress({ directory }: Gateway, { personId }: OneTimeLink): Promise<string | null> {
  if (personId === null) return null
  return (await firstRow(directory.query(FIND_ADDRESS, [personId])))?.email ?? null
}

/**
 * Uses an operator's link with a password and the first code of the authenticator on its page. The same commit adds the account, or ends
 * every earlier way to sign in to it. Signs in, and returns the recovery codes this once. Throws 410, 400, 409, 429.
 */
export async function enrol(
  gateway: Gateway,
  visitor: Visitor,
  { purpose, ...input }: EnrolmentInput & { purpose: Enrolment['purpose'] },
): Promise<EnrolmentResult> {
  allow(visitorActor(visitor), 'operator.enrol')
  const at = gateway.clock.now()
  await signInLimits(gateway).ofAddress.take(clientAddressOf(visitor), at.getTime())
  const enrolment = await findEnrolment(gateway, purpose, input.token)
  if (enrolment === null) throw linkGone()
  judgePassword(input.password)
  const { secret } = enrolment
  const step = findCodeStep(secret, input.code, at.getTime())
  if (step === null)
    throw domainRefusal('wrong_code', 'code is wrong: take the one that the app shows now', { field: 'code' })
  const email = parseEmail(enrolment.email)
  const hash = await hashPasswordFor(gateway, { realm: 'operator', email }, input.password)
  const ready = { input, hash, secret, step, at }
  return gateway.directory
    .transaction((tx) => commitEnrolment(gateway, tx, { visitor, purpose, ready }))
    .catch((error) => {
      if (isUniqueViolation(error)) throw new Refusal(409, 'operator_exists', 'this address has an account by now')
      throw error
    })
}

type EnrolmentCommit = { visitor: Visitor; purpose: LinkPurpose; ready: CheckedEnrolment }

async function commitEnrolment(gateway: Gateway, tx: Tx, { visitor, purpose, ready }: EnrolmentCommit) {
  const { input, secret, step, at } = ready
  const [[link]] = await tx.send(useLink(purpose, input.token, at))
  if (!link) throw linkGone()
  const { personId, publicId, email, calls, after } =
    link.personId === null
      ? await addEnrolledStaff(tx, link, ready)
      : await renewStaffSignIn(gateway, tx, { link, ready })
  const { codes, calls: codeCalls } = makeRecoveryCodes(personId)
  const session = startSession({ personId, merchantId: null, visitor, at })
  const browser = visitor.browser ?? newToken()
  const actor = visitorActor(visitor, email)
  const act = { actor, action: 'operator.enrol', at, merchantId: null } as const
  const last: Call[] = [
    ...calls,
    addConfirmedApp(gateway, { personId, secret, step, at }),
    ...codeCalls,
    ...session.calls,
    rememberBrowser(browser, personId, at),
    auditRow({ ...act, subject: publicId, after }),
  ]
  return { value: { token: session.token, browser, codes }, last }
}

/** Adds the account of a new operator. */
async function addEnrolledStaff(
  tx: Tx,
  { email: text, operatorRole: role }: OneTimeLink,
  { input, hash, at }: CheckedEnrolment,
) {
  assert(text !== null && role !== null, 'a link for an operator has an address and a role')
  const email = parseEmail(text)
  const name = input.name ? parsePersonName(input.name) : makeNameFromEmail(email)
  const [[row]] = await tx.send(addStaff({ name, email, password: hash, role, at }))
  assert(row, 'an operator that was added has an id')
  return { personId: row.id, publicId: row.publicId, email: text, calls: [], after: { added: true, role } }
}

/** Sets the new password of an operator, and ends every earlier way to sign in. */
async function renewStaffSignIn(
  gateway: Gateway,
  tx: Tx,
  { link, ready }: { link: OneTimeLink; ready: CheckedEnrolment },
) {
  const { hash, at } = ready
  const [[person]] = await tx.send(lockPerson(link.personId ?? 0))
  if (!person) throw linkGone()
  const { id: personId, publicId, email, emailKey } = person
  const calls: Call[] = [
    ...dropFactors(personId),
    setPassword(personId, hash),
    voidLinks(personId, LINKS_OF_SIGN_IN, at),
    endOtherSessions(personId, null),
    forgetBrowsers(personId),
    clearCounter(accountCounter('operator', emailKey), at),
    ...accountMailRows(gateway, { to: email, template: 'operator-reset-done', values: {}, at }),
  ]
  return { personId, publicId, email, calls, after: { set_up_again: true } }
}
