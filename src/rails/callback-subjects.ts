import { callForRows, unnestColumns } from '../platform/db/columns.ts'
import type { Tx } from '../platform/db/database.ts'
import { statement } from '../platform/db/statement.ts'
import { groupBy } from '../platform/group-by.ts'
import { isSameDigest } from './callback-token.ts'

/** The address at which an operator called: its merchant, the movement and the digest of the token. */
export type CallbackAddress = {
  merchantId: number
  /** Null in an address that an earlier release gave: then only the token says which movement. */
  subject: string | null
  digest: Buffer
}
/** The attempt of a movement, with the digest of its token. */
type CalledAttempt = { merchantId: number; subject: string; digest: Buffer | null }

const FIND_CALLED = statement<CalledAttempt>(
  'attempts called back about',
  `select a.merchant_id as "merchantId", a.subject, coalesce(a.callback_digest, a.callback_token_sha256) as digest
   from ${unnestColumns('bigint', 'text')} as n (merchant_id, subject)
   join rail_attempts a on a.merchant_id = n.merchant_id and a.subject = n.subject`,
)
// Addresses of releases that named no movement in them: their attempts are found by the token alone (index: rail_attempts_of_callback).
const FIND_BY_TOKEN = statement<CalledAttempt>(
  'attempts of callback tokens',
  `select a.merchant_id as "merchantId", a.subject, a.callback_token_sha256 as digest
   from ${unnestColumns('bigint', 'bytea')} as n (merchant_id, digest)
   join rail_attempts a on a.merchant_id = n.merchant_id and a.callback_token_sha256 = n.digest`,
)

/** Finds the movement of each callback whose token is that of its attempt. Nothing is locked before that is known. */
export async function findSubjects<Callback extends CallbackAddress>(
  tx: Tx,
  callbacks: readonly Callback[],
): Promise<ReadonlyMap<Callback, string>> {
  const named = groupBy(
    callbacks.filter(({ subject }) => subject !== null),
    movementName,
  )
  const nameless = groupBy(
    callbacks.filter(({ subject }) => subject === null),
    tokenName,
  )
  const found = await tx.send(
    ...callForRows(FIND_CALLED, firstOfEach(named), (each) => [
      ...each.numbers('merchantId'),
      ...each.texts('subject'),
    ]),
    ...callForRows(FIND_BY_TOKEN, firstOfEach(nameless), (each) => [
      ...each.numbers('merchantId'),
      ...each.values('digest'),
    ]),
  )
  const subjects = new Map<Callback, string>()
  for (const { merchantId, subject, digest } of found.flat()) {
    if (digest === null) continue
    const about = [
      ...(named.get(movementName({ merchantId, subject })) ?? []),
      ...(nameless.get(tokenName({ merchantId, digest })) ?? []),
    ]
    for (const callback of about) if (isSameDigest(callback.digest, digest)) subjects.set(callback, subject)
  }
  return subjects
}

const movementName = ({ merchantId, subject }: Pick<CallbackAddress, 'merchantId' | 'subject'>) =>
  `${merchantId} ${subject}`
const tokenName = ({ merchantId, digest }: Pick<CallbackAddress, 'merchantId' | 'digest'>) =>
  `${merchantId} ${digest.toString('hex')}`
const firstOfEach = (groups: ReadonlyMap<string, readonly CallbackAddress[]>): CallbackAddress[] =>
  [...groups.values()].flatMap(([first]) => first ?? [])
