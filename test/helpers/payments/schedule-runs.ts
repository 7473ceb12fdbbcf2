import assert from 'node:assert/strict'
import { advanceTestClock } from '../../../src/merchants/account/test-clock.ts'
import { BY_HAND } from '../service/actors.ts'
import type { TestService } from '../service/test-service.ts'
import type { Payer } from './schedules.ts'

const MINUTE = 60_000

export type PayoutRow = {
  id: string
  item_index: number
  status: string
  amount: number
  fee: number
  recipient_phone: string
  recipient_name: string | null
  reference: string
  cycle_at: Date
  created_at: Date
}

/** Moves the merchant's test clock to this moment or at most a minute past it. */
export async function testClockTo(service: TestService, { merchantId }: Payer, moment: string | Date) {
  const [row] = await service.rows<{ offset: string }>(
    'select test_clock_offset_ms as offset from cell_0.merchants where id = $1',
    [merchantId],
  )
  const wait = new Date(moment).getTime() - service.clock.nowMs() - Number(row?.offset)
  const moved = await advanceTestClock(service.app, BY_HAND, {
    merchantId,
    advance: `${Math.ceil(wait / MINUTE)}m`,
  })
  assert.ok(moved, `the test clock reaches ${moment}`)
}

/** The payouts of a schedule, by cycle and then in the order of its recipients. */
export const payoutsOf = (service: TestService, scheduleId: string) =>
  service.rows<PayoutRow>(
    `select id, item_index, status, amount::int, fee::int, recipient_phone, recipient_name, reference, cycle_at, created_at
     from payouts where schedule_id = $1 order by cycle_at, item_index`,
    [scheduleId],
  )

/** Ends every schedule, as if its merchant had cancelled it, with the row of the audit. */
export const cancelAll = (service: TestService) =>
  service.rows(
    `with ended as (
       update schedules set status = 'cancelled', next_run_at = null, failure_reason = null, cancelled_at = created_at
       where status <> 'cancelled' returning merchant_id, mode, id, cancelled_at)
     insert into audit (at, actor_kind, actor, origin, action, merchant_id, mode, subject, after)
     select cancelled_at, 'key', 'test', '', 'schedule.change', merchant_id, mode, id, '{"status": "cancelled"}' from ended`,
  )
