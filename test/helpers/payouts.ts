import assert from 'node:assert/strict'
import { chargeFee } from '../../src/ledger/fees.ts'
import {
  type LiveService,
  newPayer,
  passUntil,
  type Shop,
  startLiveService,
  succeed,
} from './live-service.ts'
import type { Client, Reply, TestService, TestServiceOptions } from './test-service.ts'

/** A payout that is right: 5000 to one person, which costs 5200 with the fee. */
export const PAYOUT = { amount: 5000, recipient: { phone: '0700000000' } }
export const COST = 5200
export const AMBIGUOUS = 'ambiguous_network_error_pending_reconciliation'
const UNLIMITED = { LIVE_HOLD_HOURS: '0', RATE_LIMIT_PAYOUTS: '0', RATE_LIMIT_REFUNDS: '0' }

/** POST of a payout that differs from the right one in what is given. */
export const pay = (api: Client, difference: object = {}, headers: Record<string, string | undefined> = {}) =>
  api.post('/v1/payouts', { ...PAYOUT, ...difference }, headers)

/** A payout to somebody whom no other payment of this process knows. */
export const payNew = (api: Client, difference: object = {}, headers: Record<string, string> = {}) =>
  pay(api, { recipient: { phone: newPayer() }, ...difference }, headers)

export const payoutOf = async (api: Client, id: string): Promise<Reply['body']> =>
  (await api.get(`/v1/payouts/${id}`)).body

/** A service with a live rail that pays and collects, live money without a hold, and no limits. */
export const startPayingService = (options: TestServiceOptions = {}): Promise<LiveService> =>
  startLiveService({ ...options, env: { ...UNLIMITED, ...options.env } })

/** A verified merchant with so much live money available. */
export async function richShop(service: LiveService, funds = 500_000): Promise<Shop> {
  const shop = await service.shop()
  await fundLive(service, shop, funds)
  return shop
}

/** Live money comes from a paid charge only; the hold is 0 here. */
async function fundLive(service: LiveService, { live }: Shop, funds: number): Promise<void> {
  let fee = 200
  while (chargeFee(funds + fee) !== fee) fee += 1
  const { body } = await live.charge({ amount: funds + fee, customer: { phone: newPayer() } })
  await succeed(service, body.id)
}

/** Moves the clock to each time this payout is due until the operator's answer has ended it. */
export async function sendUntilEnded(service: TestService, payoutId: string): Promise<void> {
  for (let look = 0; look < 20; look += 1) {
    const dueAt = await dueOf(service, payoutId)
    if (dueAt === null) return
    passUntil(service, dueAt)
    await service.run('send-payouts')
  }
  assert.fail(`${payoutId} was not ended by twenty looks`)
}

/** The operator has paid it, and says so when asked. */
export async function settle(service: LiveService, payoutId: string): Promise<void> {
  service.operator.pays(payoutId)
  await sendUntilEnded(service, payoutId)
}

/** Moves the clock to the moment at which the payout is due, and runs the sweep once. */
export async function lookOnce(service: TestService, payoutId: string): Promise<void> {
  const dueAt = await dueOf(service, payoutId)
  assert.ok(dueAt, `${payoutId} is open`)
  passUntil(service, dueAt)
  await service.run('send-payouts')
}

async function dueOf(service: TestService, payoutId: string): Promise<Date | null> {
  const [row] = await service.rows<{ follow_at: Date | null }>(
    'select follow_at from payouts where id = $1',
    [payoutId],
  )
  return row?.follow_at ?? null
}

export async function attemptOf(service: TestService, payoutId: string): Promise<string | undefined> {
  const [row] = await service.rows<{ state: string }>('select state from rail_attempts where subject = $1', [
    payoutId,
  ])
  return row?.state
}

/** The transfers of a payout in their order, as kind and amount. */
export const postingsOf = async (service: TestService, subject: string): Promise<[string, number][]> =>
  (
    await service.rows<{ kind: string; amount: string }>(
      'select kind, amount from transfers where subject = $1 order by seq',
      [subject],
    )
  ).map(({ kind, amount }) => [kind, Number(amount)])

/** What leaves at acceptance and what becomes of it. */
export const RESERVED: [string, number][] = [['payout_reserve', COST]]
export const PAID: [string, number][] = [...RESERVED, ['payout_sent', 5000], ['payout_fee', 200]]
export const RETURNED: [string, number][] = [...RESERVED, ['payout_return', COST]]

/** Submits and questions about one reference that the operator heard. */
export const heardOf = (service: LiveService, what: 'submit' | 'question', reference: string) =>
  service.operator.journal.filter((one) => one.what === what && one.reference === reference)

/** A live bulk of items of 5000; answers the ids of its payouts, which wait in the queue. */
export async function queueBulk(
  { live }: Pick<Shop, 'live'>,
  phones: string[] = [newPayer()],
): Promise<string[]> {
  const payouts = phones.map((phone) => ({ amount: 5000, phone, reference: `for ${phone}` }))
  const { status, body } = await live.post('/v1/payouts/bulk', { payouts })
  assert.deepEqual([status, body.accepted], [200, phones.length], JSON.stringify(body))
  return body.results.map(({ id }: { id: string }) => id)
}

/** A live refund of 5000; answers the id of its payout, which waits in the queue. */
export async function queueRefund(service: LiveService, { live }: Shop): Promise<string> {
  const charge = (await live.charge({ customer: { phone: newPayer() } })).body.id
  await succeed(service, charge)
  const { status, body } = await live.post(`/v1/charges/${charge}/refund`)
  assert.equal(status, 202, JSON.stringify(body))
  return body.refund.id
}

async function referenceOf(service: TestService, payoutId: string): Promise<string> {
  const [row] = await service.rows<{ reference: string }>(
    'select rail_reference as reference from payouts where id = $1',
    [payoutId],
  )
  return row?.reference ?? ''
}

/** How often the operator was asked to pay it, and how often it did. */
export const submitsOf = async (service: LiveService, payoutId: string): Promise<number> =>
  heardOf(service, 'submit', await referenceOf(service, payoutId)).length
export const movementsOf = async (service: LiveService, payoutId: string): Promise<number> =>
  service.operator.movements().get(await referenceOf(service, payoutId)) ?? 0

/** The names of the tables in which two digests differ. */
export function changedTables(before: string, after: string): string[] {
  const tables = JSON.parse(after) as [{ name: string }][]
  return tables.flatMap(([table], index) =>
    JSON.stringify([table]) === JSON.stringify(JSON.parse(before)[index]) ? [] : table.name,
  )
}

const OWN = ['payouts', 'transfers', 'ledger_heads', 'events', 'deliveries', 'rail_attempts', 'exceptions']
/** One text over all that a payout writes beside its key, table by table: the same before and after means zero writes. */
export const payoutDigest = async (service: TestService): Promise<string> =>
  JSON.stringify(
    await Promise.all(
      OWN.map((table) =>
        service.rows(
          `select '${table}' as name, count(*)::int as rows,
             md5(coalesce(string_agg(t::text, '|' order by t::text), '')) as md5 from ${table} t`,
        ),
      ),
    ),
  )

/** Runs it, and looks meanwhile for two connections that wait for each other: the first such pair, by their statements. */
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

/** What a bulk call leaves behind although nothing was paid: the batch and what became of each item. */
export const BULK_RECORDS = ['bulk_batches', 'bulk_items']
