import assert from 'node:assert/strict'
import test from 'node:test'
import { payer } from '../../../test/helpers/payments/schedules.ts'
import { made, opened } from '../../../test/helpers/service/opened.ts'
import { startService } from '../../../test/helpers/service/test-service.ts'
import { mayMove } from '../../platform/moves.ts'
import { CHARGE_MOVES, CHARGE_STATUSES, type ChargeStatus } from './charge.ts'

const service = opened(() => startService())
const owner = made(() => payer(service))

const TIME = '2026-01-01T00:00:00Z'
const NOTHING = {
  failure_reason: null,
  completed_at: null,
  refunded_at: null,
  refund_id: null,
  follow_at: null,
  hold_until: null,
}
// Columns that satisfy every other constraint for this status, so that only the move itself is tested.
const FACTS: Record<ChargeStatus, Record<keyof typeof NOTHING, string | null>> = {
  pending: { ...NOTHING, follow_at: TIME },
  authorized: { ...NOTHING, follow_at: TIME },
  succeeded: { ...NOTHING, completed_at: TIME, hold_until: TIME },
  failed: { ...NOTHING, completed_at: TIME, failure_reason: 'timeout' },
  refunded: { ...NOTHING, completed_at: TIME, hold_until: TIME, refunded_at: TIME, refund_id: 'pout_1' },
}
const COLUMNS = Object.keys(NOTHING) as (keyof typeof NOTHING)[]

async function insertCharge(id: string, status: ChargeStatus): Promise<void> {
  const values = COLUMNS.map((_, index) => `$${index + 4}`)
  await service.rows(
    `insert into charges (merchant_id, id, mode, status, amount, fee, channel, created_at, ${COLUMNS.join(', ')})
     values ($1, $2, 'live', $3, 5000, 200, 'op1_momo', '${TIME}', ${values.join(', ')})`,
    [owner.merchantId, id, status, ...COLUMNS.map((name) => FACTS[status][name])],
  )
}

async function moveTo(id: string, status: ChargeStatus): Promise<void> {
  await service.rows(
    `update charges set status = $2, ${COLUMNS.map((name, index) => `${name} = $${index + 3}`).join(', ')} where id = $1`,
    [id, status, ...COLUMNS.map((name) => FACTS[status][name])],
  )
}

for (const from of CHARGE_STATUSES)
  for (const to of CHARGE_STATUSES) {
    const allowed = mayMove(CHARGE_MOVES, from, to)
    test(`${from} -> ${to} is ${from === to ? 'no move' : allowed ? 'allowed' : 'refused by the database'}`, async () => {
      const id = `txn_${from}_${to}`
      await insertCharge(id, from)
      if (from === to || allowed) await moveTo(id, to)
      else await assert.rejects(moveTo(id, to), new RegExp(`may not move from ${from} to ${to}`))
      const [row] = await service.rows<{ status: string }>('select status from charges where id = $1', [id])
      assert.equal(row?.status, from === to || allowed ? to : from)
    })
  }

test('the allowed moves are those of the spec, and final states have none', () => {
  assert.deepEqual(CHARGE_MOVES, {
    pending: { authorized: null, succeeded: 'charge.succeeded', failed: 'charge.failed' },
    authorized: { succeeded: 'charge.succeeded', failed: 'charge.failed' },
    succeeded: { refunded: 'charge.refunded' },
    failed: {},
    refunded: {},
  })
})
