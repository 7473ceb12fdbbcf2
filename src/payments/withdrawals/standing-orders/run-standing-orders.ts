import { readMailOwners } from '../../../merchants/account/mail-owners.ts'
import { addMail } from '../../../merchants/mails/mail.ts'
import { classifyDatabaseError, DatabaseAway } from '../../../platform/db/errors.ts'
import { statement } from '../../../platform/db/statement.ts'
import type { App } from '../../../program/app.ts'
import { type DueOrder, runStandingOrder } from './run-standing-order.ts'

const ORDERS_PER_READ = 500
const STANDSTILLS_PER_READ = 100

const DUE = statement<DueOrder>(
  'due standing orders',
  `select merchant_id as "merchantId", id, due_at as "dueAt" from standing_orders
   where try_at <= $1 and (merchant_id, id) > ($2::bigint, $3::text) order by merchant_id, id limit $4`,
)
type Standstill = { merchantId: number; id: string; code: string; says: string; since: Date }
const UNTOLD = statement<Standstill>(
  'standing orders whose owners are not told',
  `select merchant_id as "merchantId", id, still_code as code, still_says as says, still_since as since from standing_orders
   where not still_told order by merchant_id, id limit $1`,
)
const TOLD = statement(
  'owners are told of standing order',
  'update standing_orders set still_told = true where merchant_id = $1 and id = $2 and still_code = $3',
)

/**
 * Runs every standing order that is due, one after the other, and mails the owners of those that stand still. An error of one order does
 * not stop the others. Returns how many ran or were found to stand still.
 */
export async function runStandingOrders(app: App): Promise<number> {
  const at = app.witness.earlier().toISOString()
  let handled = 0
  let after: Pick<DueOrder, 'merchantId' | 'id'> = { merchantId: 0, id: '' }
  for (;;) {
    const due = await app.db.query(DUE, [at, after.merchantId, after.id, ORDERS_PER_READ])
    const last = due.at(-1)
    if (!last) break
    for (const order of due)
      handled += await logFailure(app, order, async () => isHandled(await runStandingOrder(app, order)))
    after = last
  }
  for (const order of await app.db.query(UNTOLD, [STANDSTILLS_PER_READ]))
    await logFailure(app, order, () => mailOwners(app, order))
  return handled
}

const isHandled = (outcome: string): number => (outcome === 'left' ? 0 : 1)

async function logFailure(
  app: App,
  { merchantId, id }: Pick<DueOrder, 'merchantId' | 'id'>,
  work: () => Promise<number>,
) {
  try {
    return await work()
  } catch (error) {
    // The database is away, which is no error of this order: the whole sweep stops and runs again.
    if (classifyDatabaseError(error) instanceof DatabaseAway) throw error
    app.log.error({ err: error, merchant: merchantId, object_id: id }, 'a standing order did not run; it stays due')
    return 0
  }
}

/** Writes the mails and records it. After a crash in between they are written again as the same mails. */
async function mailOwners(app: App, { merchantId, id, code, says, since }: Standstill): Promise<number> {
  const link = `${app.baseUrl}/dashboard/wallet/withdrawals`
  const mails = (await readMailOwners(app, merchantId)).map(({ email, handle: business }) =>
    addMail(app, {
      ...{ to: email, template: 'order-stands-still', at: app.clock.now(), values: { business, says, link } },
      once: `${id} stands still since ${since.toISOString()} ${email}`,
    }),
  )
  if (mails.length > 0) await app.directory.queries(...mails)
  await app.db.query(TOLD, [merchantId, id, code])
  return 0
}
