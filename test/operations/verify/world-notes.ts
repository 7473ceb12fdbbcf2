import type { Caller } from '../../../src/api/access/actor.ts'
import { addEvents } from '../../../src/merchants/webhooks/events.ts'
import { rememberColumns } from '../../../src/payments/payouts/bulk/files/remembered-columns.ts'
import type { App } from '../../../src/program/app.ts'
import { addNextEnd } from '../../../src/rails/next-ends.ts'
import { hearMonthCloses } from '../../../src/reports/notices/month-close-readers.ts'
import { setCustomer } from '../../../src/selling/customers/change-customer.ts'
import { BY_HAND, owner } from '../../helpers/service/actors.ts'
import { TAGS } from './names.ts'
import { write } from './world-charges.ts'

const FURTHER_ADDRESS = 'wha_aaaaaaaaaaaaaaaaaaaaa'

/** Two numbered events of a shop that has tried its receiver, and a further address that has one of them. */
export async function numberEvents(app: App): Promise<void> {
  const at = app.clock.now()
  const ping = { merchantId: 3, tag: TAGS[3], mode: 'live', type: 'test.ping', data: {}, hasWebhookUrl: true } as const
  await write(
    app.db,
    ...addEvents(
      [1, 2].map((nth) => ({ ...ping, subject: `ping_${nth}` })),
      at,
    ),
  )
  await app.db.pool.query(
    `insert into event_seals (merchant_id, mode, sequence, event_id, event, sealed_at)
     select merchant_id, mode, row_number() over (order by subject), id, type, created_at from events where type = 'test.ping'`,
  )
  await app.db.pool.query(
    `insert into webhook_addresses (merchant_id, id, mode, number, url, state_since, secret, secret_since, created_at)
     values (3, $1, 'live', 2, 'https://books.example/hook', $2, 'sealed', $2, $2)`,
    [FURTHER_ADDRESS, at],
  )
  await app.db.pool.query(
    `insert into address_deliveries (merchant_id, address_id, event_id, mode, event, status, attempts, delivered_at, created_at)
     select merchant_id, $1, id, mode, type, 'sent', 1, created_at, created_at from events where subject = 'ping_1'`,
    [FURTHER_ADDRESS],
  )
}

/** What a shop has written down: about a customer, about the columns of its lists, and who gets each month by mail. */
export async function writeDown(app: App): Promise<void> {
  const caller = { ...BY_HAND, merchantId: 1, mode: 'live' } as unknown as Caller
  await setCustomer(app, caller, { phone: '256772000001', name: 'Akello', note: 'Pays on Fridays.' })
  await hearMonthCloses(app, owner({ ...caller, mode: 'live' }), { publicId: 'mer_any' })
  const rows = [{ line: 1, cells: ['Phone', 'Amount'] }]
  await write(
    app.db,
    ...rememberColumns(caller, { rows, firstLine: 2, uses: ['phone', 'amount'], at: app.clock.now() }),
  )
  await askForEnds(app)
}

/** What the tests of a shop have asked for: the end of the next charge of a phone, and one that a charge has taken. */
async function askForEnds(app: App): Promise<void> {
  const end = { outcome: 'timeout', afterSeconds: null } as const
  const next = { merchantId: 1, id: 'next_1', side: 'collect', phone: '256772000001', remaining: 1, ...end } as const
  await write(app.db, addNextEnd(next, app.clock.now()))
  await app.db.pool.query(
    `insert into chosen_ends (merchant_id, subject, outcome, chosen_at) values (1, 'txn_asked', 'timeout', $1)`,
    [app.clock.now()],
  )
}
