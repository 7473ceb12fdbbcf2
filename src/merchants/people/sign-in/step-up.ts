import type { SignedInActor } from '../../../api/access/actor.ts'
import { allow } from '../../../api/access/allow.ts'
import { firstRow } from '../../../platform/db/first-row.ts'
import { statement } from '../../../platform/db/statement.ts'
import { Refusal } from '../../../platform/refusal.ts'
import type { Gateway } from '../../../program/app.ts'
import { auditMerchantOf } from '../accounts.ts'
import { takeCode } from '../factors/codes.ts'
import { isPasskeyAnswer, takePasskey } from '../factors/passkeys.ts'
import { checkPassword } from '../factors/password-pool.ts'
import { clearWrongConfirmations, countWrongConfirmation, endAfterFifthWrong, renewSession } from '../write-sessions.ts'
import { beginTry, settleRightTry } from './begin-try.ts'
import { recordFailedTry } from './failed-try.ts'
import type { Visitor } from './visitor.ts'

/** The sign-in facts of a person who confirms an act. */
type ConfirmingPerson = {
  publicId: string
  password: string | null
  email: string | null
  emailKey: string | null
  confirmed: boolean
  hasFactor: boolean
}

const FIND_CONFIRMING = statement<ConfirmingPerson>(
  'who confirms',
  `select p.public_id as "publicId", p.password, p.email, p.email_key as "emailKey",
     p.confirmed_at is not null as confirmed,
     exists (select 1 from factors f where f.person_id = p.id and f.confirmed_at is not null) as "hasFactor"
   from people p where p.id = $1`,
)

/** The result of a step-up: `token` is the new cookie of the session, or null where a passkey confirmed this one act alone. */
type StepUpResult = { token: string | null }

/**
 * Confirms by the second factor, or by the password where there is none, that the person itself is at the browser (reliability.md A73).
 * Wrong tries count like those at sign-in; the fifth ends the session. Throws 403.
 */
export async function stepUp(
  gateway: Gateway,
  caller: SignedInActor,
  { confirm, visitor, act }: { confirm: string; visitor: Visitor; act: unknown },
): Promise<StepUpResult> {
  allow(caller, 'account.step-up')
  const { personId, sessionId } = caller
  const own = await firstRow(gateway.directory.query(FIND_CONFIRMING, [personId]))
  if (!own?.email || own.emailKey === null)
    throw new Refusal(403, 'till', 'a till cannot do this: it has neither a password nor a second factor')
  const account = { id: personId, confirmed: own.confirmed }
  const tried = await beginTry(gateway, { emailKey: own.emailKey, visitor, accounts: [account] })
  const passkey = isPasskeyAnswer(confirm)
  const right = passkey
    ? await takePasskey(gateway, personId, { sessionId, act, response: confirm })
    : await isConfirmationRight(gateway, own, { personId, confirm })
  if (!right) {
    await recordFailedTry(gateway, {
      ...{ tried, visitor, email: { text: own.email, key: own.emailKey } },
      account: { publicId: own.publicId, merchantId: auditMerchantOf(caller) },
    })
    // Also counted on the session itself, so that the fifth ends it whatever happens to the counters of sign-in.
    await gateway.directory.transaction(async (tx) => {
      await tx.send(countWrongConfirmation(sessionId))
      return { value: null, last: [endAfterFifthWrong(sessionId)] }
    })
    throw new Refusal(
      403,
      'wrong_confirm',
      passkey
        ? 'this passkey did not confirm this act'
        : own.hasFactor
          ? 'this code is wrong, or was used already'
          : 'this is not your password',
    )
  }
  const at = gateway.clock.now()
  await gateway.directory.queries(...settleRightTry(tried, account, at), clearWrongConfirmations(sessionId))
  if (passkey) return { token: null }
  const { token, renew } = renewSession(sessionId, at)
  const [renewed] = await gateway.directory.query(renew.statement, renew.values)
  if (!renewed) throw new Refusal(403, 'signed_out', 'you were signed out: sign in again')
  return { token }
}

async function isConfirmationRight(
  gateway: Gateway,
  { hasFactor, password }: ConfirmingPerson,
  { personId, confirm }: { personId: number; confirm: string },
): Promise<boolean> {
  if (hasFactor) return (await takeCode(gateway, personId, confirm)) !== null
  return password !== null && (await checkPassword(confirm, [password]))[0] === true
}
