import type { Static } from 'typebox'
import type { Caller } from '../../api/access/actor.ts'
import { allow } from '../../api/access/allow.ts'
import { auditRow } from '../../api/access/audit-row.ts'
import type { Answer } from '../../api/http/answer.ts'
import { createUnderOptionalKey } from '../../api/idempotency/under-key.ts'
import { ACCOUNT_STATE, type AccountState } from '../../merchants/account/account-state.ts'
import { merchantInactive } from '../../merchants/account/merchant.ts'
import { type MerchantFacts, storeDraft } from '../../merchants/account/merchant-draft.ts'
import { admitTestKeys, forgetTestMerchant, registerTestMerchant } from '../../merchants/account/test-merchants.ts'
import { assert } from '../../platform/assert.ts'
import { call, type Tx } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import { domainRefusal, Refusal } from '../../platform/refusal.ts'
import { writeExactJson } from '../../platform/text/exact-json.ts'
import { addMs } from '../../platform/time/clock.ts'
import type { App } from '../../program/app.ts'
import type { TestRequest } from './in-test-mode.ts'
import {
  getTestAccount,
  MAX_OPEN_TEST_ACCOUNTS,
  MAX_TEST_ACCOUNTS_A_DAY,
  presentTestAccount,
  type TestAccount,
  type TestAccountCreateShape,
} from './test-account.ts'

const LIVES_MS = 86_400_000

const LOCK_PARENT = statement<{ active: boolean; account: AccountState; forTests: boolean }>(
  'lock parent of test accounts',
  `select active, ${ACCOUNT_STATE} as account, parent_id is not null as "forTests" from merchants where id = $1 for no key update`,
)
// Whatever is open was made within the time that it lives. At most as many rows as may be made in that time.
const MADE_LATELY = statement<Pick<TestAccount, 'createdAt' | 'expiresAt' | 'closedAt'>>(
  'test accounts made lately',
  `select created_at as "createdAt", expires_at as "expiresAt", closed_at as "closedAt" from merchants
   where parent_id = $1 and created_at > $2 order by created_at`,
)

/** Thrown where everything allows another one, so that nothing is written or locked while it is registered in the directory. */
class NotRegisteredError extends Error {}

/**
 * Makes a business for the tests of the caller, with keys and books of its own, in the cell of the caller; it lives for 24 hours. The answer
 * that is stored under the Idempotency-Key has no keys: a repeat opens their sealed copies. Throws Refusal.
 */
export async function makeTestAccount(
  app: App,
  request: TestRequest<Static<typeof TestAccountCreateShape>>,
): Promise<Answer> {
  const { caller, given } = request
  allow(caller, 'sandbox.account')
  const { name = 'Test business' } = given
  const answer = (await findAnswer(app, request)) ?? (await registerAndStore(app, request, name))
  return answer.status === 201 ? addKeys(app, caller, answer) : answer
}

/** Finds the answer under the key of the request, or why there may be no other one now. Null where one is to be made. */
async function findAnswer(app: App, request: TestRequest<object>): Promise<Answer | null> {
  try {
    return await createUnderOptionalKey(app, request, async (tx, at) => {
      await judgeParent(tx, request.caller.merchantId, at)
      throw new NotRegisteredError()
    })
  } catch (error) {
    if (error instanceof NotRegisteredError) return null
    throw error
  }
}

/** Registers the business, then judges once more and stores it. What others have made meanwhile may leave no room: then it is forgotten. */
async function registerAndStore(app: App, request: TestRequest<object>, name: string): Promise<Answer> {
  const actor = request.caller
  const { merchantId: parentId } = actor
  const createdAt = app.clock.now()
  const expiresAt = addMs(createdAt, LIVES_MS)
  const facts: MerchantFacts = { name, email: '', kycStatus: 'pending', vending: false, test: { parentId, expiresAt } }
  const merchant = await registerTestMerchant(app, actor, { facts, at: createdAt })
  const answer = await createUnderOptionalKey(app, request, async (tx, at) => {
    await judgeParent(tx, parentId, at)
    const account = { id: merchant.publicId, name, createdAt, expiresAt, closedAt: null }
    const writes = await storeDraft(app, tx, { actor, at: createdAt, merchant, facts })
    const act = { actor, action: 'sandbox.account', at, merchantId: parentId, mode: 'test' } as const
    const row = auditRow({ ...act, subject: account.id, after: { name, expires_at: expiresAt.toISOString() } })
    return { id: account.id, view: presentTestAccount(account, app), writes: [...writes, row] }
  }).catch(async (error) => {
    // Refused means rolled back. After a fault it may be stored, so its registration stays.
    if (error instanceof Refusal && error.status < 500) await forgetTestMerchant(app, merchant.id)
    throw error
  })
  if (answer.objectId !== merchant.publicId) await forgetTestMerchant(app, merchant.id)
  return answer
}

/** Locks the row of the merchant who asks, so that requests at once count one after the other, and refuses what is too much. */
async function judgeParent(tx: Tx, parentId: number, at: Date): Promise<void> {
  const [[parent]] = await tx.send(call(LOCK_PARENT, parentId))
  assert(parent, 'a merchant with a key has a row')
  if (parent.forTests) throw new Refusal(403, 'forbidden', 'this business was made for tests: it makes no others')
  if (!parent.active) throw merchantInactive(parent)
  const [made] = await tx.send(call(MADE_LATELY, parentId, addMs(at, -LIVES_MS).toISOString()))
  const open = made.filter(({ closedAt, expiresAt }) => closedAt === null && expiresAt > at)
  if (open.length >= MAX_OPEN_TEST_ACCOUNTS)
    throw domainRefusal(
      'bad_request',
      `you have ${MAX_OPEN_TEST_ACCOUNTS} test accounts: remove one, or wait until ${open[0]?.expiresAt.toISOString()}, when the oldest ends`,
    )
  if (made.length >= MAX_TEST_ACCOUNTS_A_DAY)
    throw domainRefusal(
      'bad_request',
      `you have made ${MAX_TEST_ACCOUNTS_A_DAY} test accounts in 24 hours: the next one can be made at ${made[0] && addMs(made[0].createdAt, LIVES_MS).toISOString()}`,
    )
}

/** Puts the keys into an answer, the first one and each repeat. */
async function addKeys(app: App, caller: Caller, answer: Answer): Promise<Answer> {
  const account = await getTestAccount(app, caller, answer.objectId ?? '')
  const keys = await admitTestKeys(app, account.merchantId)
  const shown = { full: keys.test, collections: keys.test_collections }
  return { ...answer, body: writeExactJson({ ...JSON.parse(answer.body), keys: shown }) }
}
