import assert from 'node:assert/strict'
import { ENDPOINTS } from '../../../src/program/api.ts'
import { pay } from '../../helpers/payments/payouts.ts'
import { change, payer, planned, SCHEDULE, SCHEDULES } from '../../helpers/payments/schedules.ts'
import { opened } from '../../helpers/service/opened.ts'
import { longTest, test } from '../../helpers/service/parts.ts'
import { type Client, type Reply, startService } from '../../helpers/service/test-service.ts'
import { SECRET_PATH } from '../../helpers/vending/callbacks.ts'
import { stillClock } from './still-clock.ts'

const MINUTE = 60_000
const LIMIT = 6
// Above what is counted instant by instant.
const LARGE = 350
const clock = stillClock()
const names = ['PAYMENT_LINKS', 'SCHEDULES', 'RESOLVE_ACCOUNT', 'SUBACCOUNTS', 'DISPENSE_SECRET', 'PAYOUTS']
const env = {
  ...Object.fromEntries(names.map((name) => [`RATE_LIMIT_${name}`, String(LIMIT)])),
  RATE_LIMIT_CHARGES: String(LARGE),
}
const service = opened(() => startService({ clock, env }))
const other = opened(() => startService({ clock, env, database: service.database }))

type Asking = (api: Client, nth: number) => Promise<Reply>
const LINK = { title: 'Socks', amount: 5000 }
const KINDS: Record<string, Asking> = {
  'payment links': (api) => api.post('/v1/payment-links', LINK),
  schedules: (api) => api.post(SCHEDULES, SCHEDULE),
  'wallet look-ups': (api) => api.get('/v1/resolve-account?phone=0700000000'),
  subaccounts: (api, nth) => api.post('/v1/subaccounts', { name: `Branch ${nth} ${clock.nowMs()}` }),
  'dispense secrets': (api) => api.post(SECRET_PATH),
  payouts: (api) => pay(api),
}

for (const [kind, ask] of Object.entries(KINDS))
  test(`C19: two processes together accept no more ${kind} in a minute than one may`, async () => {
    const clients = await clientsOfBoth()
    for (let minute = 0; minute < 2; minute += 1) {
      const asked = Array.from({ length: 4 * LIMIT }, (_, nth) => ask(clients[nth % 2] as Client, nth))
      const statuses = (await Promise.all(asked)).map(({ status }) => status)
      const accepted = statuses.filter((status) => status < 300).length
      assert.deepEqual([accepted, statuses.length - accepted], [LIMIT, 3 * LIMIT], String(statuses))
      assert.ok(statuses.every((status) => status < 300 || status === 429))
      clock.advance(MINUTE)
    }
  })

test('C19: pausing and resuming counts over both processes, each for itself', async () => {
  const [here, there] = await clientsOfBoth()
  const { id } = await planned(here)
  const both = Array.from({ length: 2 * LIMIT }, (_, nth) => change(nth % 2 === 0 ? here : there, id, 'pause'))
  const paused = await Promise.all(both)
  assert.ok(paused.filter(({ status }) => status === 200).length <= LIMIT)
  assert.equal((await change(here, id, 'resume')).status, 200)
})

test('C19: what is refused gives its place back in every process', async () => {
  const [here, there] = await clientsOfBoth()
  const statuses: number[] = []
  for (let nth = 0; nth < 2 * LIMIT; nth += 1)
    statuses.push((await (nth % 2 === 0 ? here : there).post('/v1/payment-links', { title: '' })).status)
  assert.deepEqual(statuses, Array(2 * LIMIT).fill(400))
  for (let nth = 0; nth < LIMIT; nth += 1)
    assert.equal((await (nth % 2 === 0 ? here : there).post('/v1/payment-links', LINK)).status, 201)
  assert.equal((await here.post('/v1/payment-links', LINK)).status, 429)
  assert.equal((await there.post('/v1/payment-links', LINK)).status, 429)
})

test('C19: every limit but those of plain reads is counted by all processes together', () => {
  const counted = Object.keys(service.app.exactWindows)
  const others = new Set(ENDPOINTS.map(({ rate }) => rate).filter((rate) => !counted.includes(rate)))
  assert.deepEqual([...others], ['reads'])
})

longTest('S6: a large limit holds over two processes in any 60 s, raced', async () => {
  const clients = await clientsOfBoth()
  let accepted = 0
  for (let second = 0; second < 4; second += 1) {
    const sent = Array.from({ length: 150 }, (_, nth) => (clients[nth % 2] as Client).charge())
    accepted += (await Promise.all(sent)).filter(({ status }) => status === 201).length
    clock.advance(700)
  }
  assert.equal(accepted, LARGE)
  const [most] = await service.rows<{ count: number }>(
    `select max(count)::int as count from (select count(*) over (partition by merchant_id, mode order by created_at
       range between current row and interval '59.999 s' following) as count from charges) as windows`,
  )
  assert.equal(most?.count, LARGE)
  clock.advance(MINUTE + 1000)
  assert.equal((await clients[1].charge()).status, 201, 'a minute and a slot later there is room')
})

test('S6: a window of a large limit is as short after many requests as after some', async () => {
  const [here] = await clientsOfBoth()
  await Promise.all(Array.from({ length: 100 }, () => here.charge()))
  const before = await sizeOfWindow()
  await Promise.all(Array.from({ length: 200 }, () => here.charge()))
  assert.ok((await sizeOfWindow()) <= before + 1, `${before} and then ${await sizeOfWindow()} characters`)
})

async function sizeOfWindow(): Promise<number> {
  const [row] = await service.rows<{ size: number }>(
    `select (length(row_to_json(w)::text))::int as size from rate_windows w where what = 'charges' order by merchant_id desc limit 1`,
  )
  return row?.size ?? 0
}

async function clientsOfBoth(): Promise<[Client, Client]> {
  const { merchant } = await payer(service, 1_000_000)
  return [service.client(merchant.keys.test), other.client(merchant.keys.test)]
}
