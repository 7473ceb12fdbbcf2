import assert from 'node:assert/strict'
import { addTestFunds } from '../../src/ledger/test-funds.ts'
import type { CreatedMerchant } from '../../src/merchants/create-merchant.ts'
import { findMerchant } from '../../src/merchants/set-merchant.ts'
import { advanceTestClock } from '../../src/merchants/test-clock.ts'
import { BY_HAND } from './actors.ts'
import type { Client, Reply, TestService } from './test-service.ts'

/** A merchant that pays others, with its test key. */
export type Payer = { merchant: CreatedMerchant; merchantId: number; tag: string; api: Client }

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

export const SCHEDULES = '/v1/scheduled-payouts'
/** A schedule that is right: 5000 to one person, which costs 5200 with the fee. */
export const SCHEDULE = { amount: 5000, interval: 'monthly', recipients: [{ phone: '0700000000' }] }
const MINUTE = 60_000

export async function payer(service: TestService, funds = 0): Promise<Payer> {
  const merchant = await service.merchant({ verified: true })
  const { merchant: row } = await findMerchant(service.gateway, merchant.id)
  const found = {
    merchant,
    merchantId: row.id,
    tag: row.tag,
    api: service.client(merchant.keys.test),
  }
  if (funds > 0) await fund(service, found, funds)
  return found
}

export const fund = (service: TestService, { merchantId, tag }: Payer, amount: number) =>
  addTestFunds(service.app, BY_HAND, { holder: { merchantId, tag }, amount, key: undefined })

/** POST of a schedule that differs from the right one in what is given. */
export const plan = (api: Client, difference: object = {}, headers: Record<string, string> = {}) =>
  api.post(SCHEDULES, { ...SCHEDULE, ...difference }, headers)

/** The schedule that was made. */
export async function planned(api: Client, difference: object = {}): Promise<Reply['body']> {
  const { status, body } = await plan(api, difference)
  assert.equal(status, 201, JSON.stringify(body))
  return body
}

export const change = (api: Client, id: string, what: 'pause' | 'resume' | 'cancel') =>
  api.post(`${SCHEDULES}/${id}/${what}`)

export const scheduleOf = async (api: Client, id: string): Promise<Reply['body']> =>
  (await api.get(`${SCHEDULES}/${id}`)).body

/** Moves the merchant's test clock to this moment, at most a minute past it. */
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

/** The payouts of a schedule, cycle after cycle in the order of its recipients. */
export const payoutsOf = (service: TestService, scheduleId: string) =>
  service.rows<PayoutRow>(
    `select id, item_index, status, amount::int, fee::int, recipient_phone, recipient_name, reference, cycle_at, created_at
     from payouts where schedule_id = $1 order by cycle_at, item_index`,
    [scheduleId],
  )

export const availableOf = async (api: Client): Promise<number> =>
  (await api.get('/v1/balance')).body.balances[0].available

/** Runs what sends payouts and asks about them until nothing is due. */
export async function sendAll(service: TestService): Promise<void> {
  while ((await service.run('send-payouts')) > 0);
  service.pass(2000)
  while ((await service.run('send-payouts')) > 0);
}

/** Ends every schedule, as if each merchant had cancelled its own. */
export const cancelAll = (service: TestService) =>
  service.rows(
    `update schedules set status = 'cancelled', next_run_at = null, failure_reason = null, cancelled_at = created_at
     where status <> 'cancelled'`,
  )
