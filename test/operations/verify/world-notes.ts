import type { Caller } from '../../../src/api/access/actor.ts'
import { rememberColumns } from '../../../src/payments/payouts/bulk/files/remembered-columns.ts'
import type { App } from '../../../src/program/app.ts'
import { setCustomer } from '../../../src/selling/customers/change-customer.ts'
import { BY_HAND } from '../../helpers/service/actors.ts'
import { write } from './world-charges.ts'

/** What a shop has written down: about a customer, and about the columns of its lists. */
export async function writeDown(app: App): Promise<void> {
  const caller = { ...BY_HAND, merchantId: 1, mode: 'live' } as unknown as Caller
  await setCustomer(app, caller, { phone: '256772000001', name: 'Akello', note: 'Pays on Fridays.' })
  const rows = [{ line: 1, cells: ['Phone', 'Amount'] }]
  await write(
    app.db,
    ...rememberColumns(caller, { rows, firstLine: 2, uses: ['phone', 'amount'], at: app.clock.now() }),
  )
}
