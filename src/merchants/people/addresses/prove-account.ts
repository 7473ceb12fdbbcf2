import type { Call } from '../../../platform/db/database.ts'
import { Refusal } from '../../../platform/refusal.ts'
import type { Gateway } from '../../../program/app.ts'
import type { Account } from '../accounts.ts'
import { checkPassword } from '../factors/password-pool.ts'
import { findSession } from '../session.ts'
import { beginTry, giveBackTry, settleRightTry } from '../sign-in/begin-try.ts'
import { recordFailedTry } from '../sign-in/failed-try.ts'
import type { Visitor } from '../sign-in/visitor.ts'
import type { EmailAddress } from './email-address.ts'

type PasswordProofInput = {
  account: Pick<Account, 'id' | 'publicId' | 'password' | 'confirmed' | 'hasFactor' | 'merchantId'>
  email: EmailAddress
  visitor: Visitor
  password: string
  /** The text of the refusal of a wrong password, and the field that has it. */
  wrong: { message: string; field: string }
}

/** Finds the person who is signed in in this browser; null where none is. */
export const findSignedInPersonId = async (gateway: Gateway, { token }: Visitor): Promise<number | null> =>
  (await findSession(gateway, 'merchant', token))?.person.id ?? null

/**
 * Checks the password of this account outside of a sign-in. A try counts like one at sign-in. Throws 401, 403 while the account is
 * locked, 429.
 */
export async function provePassword(
  gateway: Gateway,
  { account, email, visitor, password, wrong }: PasswordProofInput,
): Promise<void> {
  const { directory, clock } = gateway
  const tried = await beginTry(gateway, { emailKey: email.key, visitor, accounts: [account] })
  const [right] = await checkPassword(password, account.password === null ? [] : [account.password])
  if (!right) {
    await recordFailedTry(gateway, { tried, email, account, visitor })
    throw new Refusal(401, 'wrong_sign_in', wrong.message, { field: wrong.field })
  }
  // With a second factor the misses are cleared after its code.
  const counted: Call[] = account.hasFactor ? giveBackTry(tried) : settleRightTry(tried, account, clock.now())
  await directory.queries(...counted)
}
