import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { Pool } from 'undici'
import { type Fleet, isThere, startFleet } from '../../helpers/service/fleet.ts'
import { assertVerified, eventually } from '../../helpers/service/live-service.ts'
import { made, opened } from '../../helpers/service/opened.ts'
import { type Sent, sendCharge, startSteadyLoad } from '../../helpers/service/steady-load.ts'
import { startService } from '../../helpers/service/test-service.ts'

const ENOUGH = 60
const service = opened(() => startService({}))
const fleet = opened(async (): Promise<Fleet & { close(): Promise<void> }> => {
  const started = await startFleet({ databaseUrl: service.database.url })
  return { ...started, close: started.end }
})
const shop = made(() => service.merchant())

const figure = async (series: string) => {
  const line = (await (await fetch(fleet.metricsUrl)).text()).split('\n').find((one) => one.startsWith(`${series} `))
  return line === undefined ? null : Number(line.slice(series.length + 1))
}
const saying = (text: string) => fleet.lines().filter(({ msg }) => msg === text)
const CREATED = 'http_requests_total{route="/v1/charges",status="201"}'

test('SIGHUP under load replaces every process, and no request is refused or cut', async () => {
  const before = fleet.children()
  const load = startSteadyLoad(fleet.url, shop.keys.test)
  await eventually('payments are made', () => load.sent.length > ENOUGH)
  fleet.signal('SIGHUP')
  await eventually('every process was replaced', () => saying('every process was replaced').length === 1)
  const replaced = load.sent.length
  await eventually('payments are made by the new ones', () => load.sent.length > replaced + ENOUGH)
  const sent = await load.stop()
  assert.deepEqual(
    sent.filter(({ status }) => status !== 201),
    [],
  )
  assert.deepEqual(before.filter(isThere), [])
  assert.equal(fleet.children().length, 2)
  assert.equal(await figure(CREATED), sent.length, 'what those of before had counted is still in the sum')
})

test('a process that is killed under load is started again, and a repeated request makes no second payment', async () => {
  const countBefore = await figure(CREATED)
  const load = startSteadyLoad(fleet.url, shop.keys.test)
  await eventually('payments are made', () => load.sent.length > ENOUGH)
  const [victim] = fleet.children() as [number]
  process.kill(victim, 'SIGKILL')
  await eventually('another one works', async () => (await figure('processes{role="all"}')) === 2)
  const sent = await load.stop()
  const lost = sent.filter(({ status }) => status !== 201)
  assert.deepEqual(
    lost.filter(({ error }) => error === null),
    [],
    'nobody is told a failure',
  )
  assert.ok(lost.length <= 8, `${lost.length} of 8 connections`)
  const pool = new Pool(fleet.url, { connections: 4 })
  for (const { key } of [...lost, ...sent.slice(0, 20)]) {
    const again = await sendCharge(pool, shop.keys.test, key)
    assert.equal(again.status, 201)
    assert.equal((await sendCharge(pool, shop.keys.test, key)).id, again.id)
  }
  await pool.close()
  const [{ charges, keys }] = (await service.rows(
    `select count(*)::int as charges, count(distinct id)::int as keys from charges`,
  )) as [{ charges: number; keys: number }]
  assert.equal(charges, keys)
  const ids = new Set(sent.map(({ id }) => id).filter(Boolean))
  assert.equal(ids.size, sent.length - lost.length, 'each key has a charge of its own')
  assert.equal(await figure('process_deaths_total{role="all"}'), 1)
  const [told] = saying('a process has ended by itself')
  assert.deepEqual([told?.child_pid, told?.signal, told?.ready], [victim, 'SIGKILL', 1])
  assert.ok(((await figure(CREATED)) ?? 0) >= (countBefore ?? 0), 'a sum never becomes smaller')
})

test('a connection that was on its way to a process as it is killed is closed, and its client asks again', async () => {
  const [victim] = fleet.children() as [number]
  // It takes no connection any more, and is dealt one in its turn.
  process.kill(victim, 'SIGSTOP')
  const ended: Sent[] = []
  const asked = Array.from({ length: 4 }, async () => {
    const pool = new Pool(fleet.url, { connections: 1 })
    ended.push(await sendCharge(pool, shop.keys.test, randomUUID()))
    await pool.destroy()
  })
  await eventually('the other process answers all but one', () => ended.length === 3)
  process.kill(victim, 'SIGKILL')
  await eventually('the last client hears that its connection is gone', () => ended.length === 4)
  await Promise.all(asked)
  const lost = ended.filter(({ status }) => status !== 201)
  assert.deepEqual(lost, ended.slice(3))
  assert.notEqual(lost[0]?.error, null)
  await eventually('another one works', async () => (await figure('processes{role="all"}')) === 2)
})

test('afterwards every invariant holds', async () => {
  await eventually(
    'nothing is open',
    async () => (await service.rows(`select 1 from charges where status <> 'succeeded'`)).length === 0,
  )
  await assertVerified(service)
})
