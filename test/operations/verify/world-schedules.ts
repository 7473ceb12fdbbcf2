import { fingerprintRequest } from '../../../src/api/http/bodies/body-content.ts'
import { addKeys } from '../../../src/api/idempotency/keys.ts'
import { changeSchedule } from '../../../src/payments/scheduled-payouts/change-schedule.ts'
import { runCycle } from '../../../src/payments/scheduled-payouts/run-cycle.ts'
import { call } from '../../../src/platform/db/database.ts'
import type { Mode } from '../../../src/platform/mode.ts'
import type { App } from '../../../src/program/app.ts'
import { fullKey } from '../../helpers/service/actors.ts'
import { TAGS } from './names.ts'
import { product, write } from './world-charges.ts'
// Imported so that its statement is registered; `product` finds it by name.
import '../../../src/payments/scheduled-payouts/create-schedule.ts'

type Planned = { id: string; mode: Mode; amount: number; interval?: 'daily' | 'weekly' }

const RECIPIENTS = [
  { phone: '256700000011', name: 'Amina', reference: null },
  { phone: '256700000012', name: null, reference: 'second' },
]

/** A schedule of merchant 3 for two recipients, due at once, with the key that made it. */
export async function addSchedule(app: App, { id, mode, amount, interval = 'daily' }: Planned): Promise<void> {
  const at = app.clock.now().toISOString()
  const recipients = JSON.stringify(RECIPIENTS)
  const facts = [null, amount, 'op1_momo', interval, recipients, null, null, at, at]
  const fingerprint = fingerprintRequest('POST', '/v1/scheduled-payouts', { id })
  const answer = { status: 201, body: JSON.stringify({ id }), objectId: id }
  const key = { merchantId: 3, mode, key: `key-${id}`, fingerprint, answer, objectId: id }
  const added = call(product('add schedule'), 3, id, mode, 'active', ...facts, null)
  await write(app.db, ...addKeys([key], app.clock.now()), added)
}

/** Runs the cycle that is next, due or not. */
export async function runNextCycle(app: App, id: string): Promise<void> {
  const { rows } = await app.db.pool.query(
    'select mode, next_run_at as "dueAt" from schedules where merchant_id = 3 and id = $1',
    [id],
  )
  await runCycle(app, { merchantId: 3, id, ...rows[0] })
}

export async function cancelSchedule(app: App, id: string): Promise<void> {
  const caller = fullKey({ merchantId: 3, tag: TAGS[3], cell: app.cell, mode: 'test' })
  await changeSchedule(app, caller, { id, change: 'cancel' })
}
