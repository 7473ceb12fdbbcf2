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

// Index: merchants_expiring, at most twenty of a merchant. One that was switched off, or closes, has none.
const FIND_OVER = statement<Pick<TestAccount, 'id' | 'merchantId'>>(
  'test accounts that are over',
  `select m.public_id as id, m.id as "merchantId" from merchants m join merchants p on p.id = m.parent_id
   where m.expires_at is not null and m.closed_at is null and (m.expires_at <= $1 or not p.active)
   order by m.expires_at limit ${ACCOUNTS_PER_RUN}`,
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

/**
 * Ends the businesses for tests whose day is over, when their keys are refused already, and those of merchants that are not active any more.
 * Returns how many.
 */
export async function endTestAccounts(app: App): Promise<number> {
  allow(ACTOR, 'merchant.close')
  const over = await app.db.query(FIND_OVER, [app.witness.earlier().toISOString()])
  const errors: unknown[] = []
  for (const account of over)
    await endTestAccount(app, ACTOR, { account, at: app.clock.now() }).catch((error) => errors.push(error))
  // One that fails does not stop the others.
  if (errors.length > 0) throw errors[0]
  return over.length
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
