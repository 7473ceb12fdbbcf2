import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { Pool } from 'undici'
import { type Fleet, startFleet } from '../../helpers/service/fleet.ts'
import { eventually } from '../../helpers/service/live-service.ts'
import { made, opened } from '../../helpers/service/opened.ts'
import { sendCharge } from '../../helpers/service/steady-load.ts'
import { startService } from '../../helpers/service/test-service.ts'

// Two processes under one parent, for everybody like one.
const TOKEN = 'look'
const LIMIT = 20
const service = opened(() => startService({}))
const fleet = opened(async (): Promise<Fleet & { close(): Promise<void> }> => {
  const env = { METRICS_TOKEN: TOKEN, RATE_LIMIT_CHARGES: String(LIMIT) }
  const started = await startFleet({ databaseUrl: service.database.url, env })
  return { ...started, close: started.end }
})
const shop = made(() => service.merchant())

const authorization = `Bearer ${TOKEN}`
const scrape = async (url: string) => (await fetch(url, { headers: { authorization } })).text()
const sumOf = (text: string, name: string, labels = '') =>
  text
    .split('\n')
    .filter((line) => line.startsWith(`${name}{`) && line.includes(labels))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0)

/** One request on each of so many connections. */
async function onEach(connections: number, ask: (pool: Pool) => Promise<unknown>): Promise<void> {
  const pools = Array.from({ length: connections }, () => new Pool(fleet.url, { connections: 1 }))
  await Promise.all(pools.map(ask))
  await Promise.all(pools.map((pool) => pool.close()))
}

test('it says once where it is ready, with how many processes', () => {
  assert.equal(fleet.said().match(/^ready on /gm)?.length, 1)
  assert.match(fleet.said(), /^ready on http:\/\/127\.0\.0\.1:\d+ {2}\(documentation: .*\/docs\), 2 processes$/m)
  assert.equal(fleet.children().length, 2)
})

test('connections are dealt out evenly, and each line of the one log is whole and names its process', async () => {
  const before = fleet.lines().length
  await onEach(20, async (pool) => {
    const { body } = await pool.request({
      method: 'GET',
      path: '/v1/balance',
      headers: { authorization: 'Bearer sk_x' },
    })
    await body.dump()
  })
  const asked = () =>
    fleet
      .lines()
      .slice(before)
      .filter(({ route }) => route === '/v1/balance')
  // Refusals that are alike are counted after the fifth of each process.
  await eventually('both have written', () => new Set(asked().map((line) => line.process)).size === 2)
  for (const line of fleet.lines()) assert.match(line.process, /^(?:parent|all-\d+)$/)
  assert.deepEqual(sumOf(await scrape(fleet.metricsUrl), 'http_requests_total', '/v1/balance'), 20)
})

test('the limit of a merchant holds for all processes together', async () => {
  const statuses: (number | null)[] = []
  await onEach(3 * LIMIT, async (pool) => {
    statuses.push((await sendCharge(pool, shop.keys.test, randomUUID())).status)
  })
  const count = (status: number) => statuses.filter((one) => one === status).length
  assert.deepEqual([count(201), count(429)], [LIMIT, 2 * LIMIT], statuses.join(' '))
})

test('one scrape tells of all: sums of what was counted, and once what the database says', async () => {
  await eventually('the charges have ended', async () => {
    const open = await service.rows(`select 1 from charges where status <> 'succeeded'`)
    return open.length === 0
  })
  const text = await scrape(fleet.metricsUrl)
  assert.equal(sumOf(text, 'http_requests_total', 'status="201"'), LIMIT)
  assert.equal(sumOf(text, 'http_requests_total', 'status="429"'), 2 * LIMIT)
  assert.equal(sumOf(text, 'http_request_seconds_count', '/v1/charges'), 3 * LIMIT)
  assert.equal(sumOf(text, 'charges_total', 'status="succeeded"'), LIMIT)
  assert.equal(sumOf(text, 'processes', 'role="all"'), 2)
  for (const name of text.matchAll(/^# TYPE (\S+)/gm)) assert.equal(text.split(`# TYPE ${name[1]} `).length, 2, name[1])
  await eventually('a worker has told of itself', async () =>
    /^worker_heartbeat_age_seconds \d/m.test(await scrape(fleet.metricsUrl)),
  )
  assert.match(text, /^settlement_lag_seconds 0$/m)
})

test('the metrics on the port of the API are those of all too, whoever is asked', async () => {
  const totals: number[] = []
  await onEach(4, async () => {
    totals.push(sumOf(await scrape(`${fleet.url}/metrics`), 'http_requests_total', 'route="/v1/charges"'))
  })
  assert.deepEqual(
    totals,
    totals.map(() => 3 * LIMIT),
  )
  assert.equal((await fetch(`${fleet.url}/metrics`, { headers: { authorization: 'Bearer wrong' } })).status, 401)
})
