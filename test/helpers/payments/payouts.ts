import assert from 'node:assert/strict'
import { chargeFee } from '../../../src/ledger/fees.ts'
import { type LiveService, newPayer, type Shop, startLiveService } from '../service/live-service.ts'
import {
  type Client,
  digestOf,
  type Reply,
  type TestService,
  type TestServiceOptions,
} from '../service/test-service.ts'
import { succeed } from './following-charges.ts'

/** A valid payout: 5000 to one person, which costs 5200 with the fee. */
export const PAYOUT = { amount: 5000, recipient: { phone: '0700000000' } }
const UNLIMITED = { LIVE_HOLD_HOURS: '0', RATE_LIMIT_PAYOUTS: '0', RATE_LIMIT_REFUNDS: '0' }

/** The fields that are the same right after acceptance in every payout not made by a refund, bulk call or schedule. */
export const ACCEPTED = {
  ...{ status: 'authorized', currency: 'UGX', channel: 'op1_momo', failure_reason: null },
  ...{ rail_transaction_id: null, completed_at: null },
  ...{ kind: 'payout', charge_id: null, batch_id: null, scheduled_payout_id: null, metadata: {} },
}

/** Posts the valid payout with these differences. */
export const pay = (api: Client, difference: object = {}, headers: Record<string, string | undefined> = {}) =>
  api.post('/v1/payouts', { ...PAYOUT, ...difference }, headers)

/** A payout to a phone that no other payment of this process uses. */
export const payNew = (api: Client, difference: object = {}, headers: Record<string, string> = {}) =>
  pay(api, { recipient: { phone: newPayer() }, ...difference }, headers)

export const payoutOf = async (api: Client, id: string): Promise<Reply['body']> =>
  (await api.get(`/v1/payouts/${id}`)).body

/** A service with a live rail for payouts and charges, live money without a hold, and no limits. */
export const startPayingService = (options: TestServiceOptions = {}): Promise<LiveService> =>
  startLiveService({ ...options, env: { ...UNLIMITED, ...options.env } })

/** A verified merchant with this much live money available. */
export async function richShop(service: LiveService, funds = 500_000): Promise<Shop> {
  const shop = await service.shop()
  await fundLive(service, shop, funds)
  return shop
}

/** Live money only comes from a paid charge; the hold is 0 here. */
async function fundLive(service: LiveService, { live }: Shop, funds: number): Promise<void> {
  let fee = 200
  while (chargeFee(funds + fee) !== fee) fee += 1
  const { status, body } = await live.charge({ amount: funds + fee, customer: { phone: newPayer() } })
  assert.equal(status, 201, JSON.stringify(body))
  await succeed(service, body.id)
}

/** A live bulk of items of 5000; returns the ids of its payouts, which wait in the queue. */
export async function queueBulk({ live }: Pick<Shop, 'live'>, phones: string[] = [newPayer()]): Promise<string[]> {
  const payouts = phones.map((phone) => ({ amount: 5000, phone, reference: `for ${phone}` }))
  const { status, body } = await live.post('/v1/payouts/bulk', { payouts })
  assert.deepEqual([status, body.accepted], [200, phones.length], JSON.stringify(body))
  return body.results.map(({ id }: { id: string }) => id)
}

/** A live refund of 5000; returns the id of its payout, which waits in the queue. */
export async function queueRefund(service: LiveService, { live }: Shop): Promise<string> {
  const charge = (await live.charge({ customer: { phone: newPayer() } })).body.id
  await succeed(service, charge)
  const { status, body } = await live.post(`/v1/charges/${charge}/refund`)
  assert.equal(status, 202, JSON.stringify(body))
  return body.refund.id
}

/** The names of the tables in which two digests differ. */
export function changedTables(before: string, after: string): string[] {
  const was: unknown[] = JSON.parse(before)
  const tables: { name: string }[] = JSON.parse(after)
  return tables.filter((table, nth) => JSON.stringify(table) !== JSON.stringify(was[nth])).map(({ name }) => name)
}

const OWN = ['payouts', 'transfers', 'ledger_heads', 'events', 'deliveries', 'rail_attempts', 'exceptions']
/** Every table a payout writes, except its key, as one text: the same before and after means nothing was written. */
export const payoutDigest = (service: TestService): Promise<string> => digestOf(service.rows, OWN)

/** Runs it while watching for two connections that wait for each other; returns the first such pair, by their statements. */
export async function watchingLocks<T>(
  service: TestService,
  act: () => Promise<T>,
): Promise<{ value: T; rings: unknown[] }> {
  const rings: unknown[] = []
  let over = false
  const acting = act().finally(() => {
    over = true
  })
  while (!over) {
    const found = await service.rows(
      `select left(a.query, 60) as one, left(b.query, 60) as other from pg_stat_activity a
       join pg_stat_activity b on b.pid = any(pg_blocking_pids(a.pid))
       where a.pid < b.pid and a.pid = any(pg_blocking_pids(b.pid)) and a.datname = current_database()`,
    )
    rings.push(...found)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return { value: await acting, rings: rings.slice(0, 1) }
}

/** The tables a bulk call writes even if nothing was paid: the batch and the result of each item. */
export const BULK_RECORDS = ['bulk_batches', 'bulk_items']
