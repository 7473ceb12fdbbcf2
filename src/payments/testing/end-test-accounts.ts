import { type Actor, type Caller, serviceActor } from '../../api/access/actor.ts'
import { allow } from '../../api/access/allow.ts'
import { auditRow } from '../../api/access/audit-row.ts'
import { closeTestMerchant, endTestKeys } from '../../merchants/account/test-merchants.ts'
import { removeAllAddresses } from '../../merchants/webhooks/addresses/change-addresses.ts'
import { type Call, call } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import type { App } from '../../program/app.ts'
import { getTestAccount, type TestAccount } from './test-account.ts'

const ACCOUNTS_PER_RUN = 100
const ACTOR = serviceActor('end-test-accounts')

const FIND_EXPIRED = statement<Pick<TestAccount, 'id' | 'merchantId'>>(
  'test accounts whose day is over',
  `select public_id as id, id as "merchantId" from merchants where expires_at <= $1 and closed_at is null
   order by expires_at limit ${ACCOUNTS_PER_RUN}`,
)
const LOCK_OPEN = statement<{ id: number }>(
  'lock open test account',
  'select id from merchants where id = $1 and closed_at is null for no key update',
)

/** Removes a business that the caller has made for its tests, before its day is over. Removed already: unchanged. Throws 403, 404. */
export async function removeTestAccount(app: App, caller: Caller, id: string): Promise<TestAccount> {
  allow(caller, 'sandbox.account')
  const account = await getTestAccount(app, caller, id)
  const at = app.clock.now()
  const { merchantId, mode } = caller
  const act = { actor: caller, action: 'sandbox.account', at, merchantId, mode, subject: id } as const
  await endTestAccount(app, caller, { account, at, others: [auditRow({ ...act, after: { removed: true } })] })
  return getTestAccount(app, caller, id)
}

/** Ends the businesses for tests whose day is over. Their keys are refused since then anyway. Returns how many. */
export async function endTestAccounts(app: App): Promise<number> {
  allow(ACTOR, 'merchant.close')
  const expired = await app.db.query(FIND_EXPIRED, [app.witness.earlier().toISOString()])
  const errors: unknown[] = []
  for (const account of expired)
    await endTestAccount(app, ACTOR, { account, at: app.clock.now() }).catch((error) => errors.push(error))
  // One that fails does not stop the others.
  if (errors.length > 0) throw errors[0]
  return expired.length
}

type Ending = { account: Pick<TestAccount, 'id' | 'merchantId'>; at: Date; others?: readonly Call[] }

/** Ends the keys first: after a crash in between this runs again and finds none to end. */
async function endTestAccount(app: App, actor: Actor, { account, at, others = [] }: Ending): Promise<void> {
  const merchant = { id: account.merchantId, publicId: account.id, at }
  await endTestKeys(app, actor, merchant)
  await app.db.transaction(async (tx) => {
    const [[open]] = await tx.send(call(LOCK_OPEN, merchant.id))
    const closing = () => [...closeTestMerchant(actor, merchant), removeAllAddresses(merchant.id, at), ...others]
    return { value: null, last: open === undefined ? [] : closing() }
  })
}
