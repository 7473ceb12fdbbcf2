import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { stillClock } from '../api/rate-limits/still-clock.ts'
import { openWire } from '../helpers/database/cut-wire.ts'
import { eventually } from '../helpers/service/live-service.ts'
import { startService, type TestService } from '../helpers/service/test-service.ts'

// What an operator reads at three at night, and what a night without a database may cost in disk.
let wire: Awaited<ReturnType<typeof openWire>>
let service: TestService
const lines: string[] = []
before(async () => {
  wire = await openWire()
  service = await startService({ database: wire.behind, lines, clock: stillClock() })
})
after(async () => {
  await service.close()
  await wire.close()
})

type Line = Record<string, any>
const written = (): Line[] => lines.map((line) => JSON.parse(line))
const saying = (text: string) => written().filter(({ msg }) => msg === text)
const statusOf = async (path: string) => (await fetch(`${service.url}${path}`)).status

test('the line of a request says where its time went, from where it came and how much it carried', async () => {
  const { keys } = await service.merchant()
  const { charge, get } = service.client(keys.test)
  const { body, text } = await charge()
  await get(`/v1/charges/${body.id}`)
  await eventually('both are written', async () => saying('request').length === 2)
  const [made, read] = saying('request')
  assert.equal(made?.status, 201)
  assert.equal(made?.batch, 1)
  assert.equal(made?.bytes_out, Buffer.byteLength(text))
  for (const line of [made, read]) {
    assert.ok(line?.db_ms > 0 && line?.queue_ms >= 0, JSON.stringify(line))
    assert.equal(line?.client_ip, '127.0.0.0/24')
    assert.match(line?.version, /^\d+\.\d+\.\d+/)
  }
  assert.ok(made?.bytes_in > 50)
  assert.equal(read?.rail_class, undefined)
})

test('looks of machines are written at debug only', async () => {
  lines.length = 0
  for (const path of ['/livez', '/healthz', '/readyz']) assert.equal(await statusOf(path), 200)
  await eventually('all are written', async () => saying('request').length === 3)
  for (const { level } of saying('request')) assert.equal(level, 20)
})

test('lines of one kind are five at once and one a second; the others are counted', async () => {
  lines.length = 0
  const stranger = service.client('sk_test_nobody')
  for (let nth = 0; nth < 20; nth += 1) assert.equal((await stranger.get('/v1/balance')).status, 401)
  service.pass(3000)
  assert.equal((await stranger.get('/v1/balance')).status, 401)
  await eventually('the last is written', async () => saying('request').length === 6)
  service.pass(60_000)
  service.tell()
  const [told] = saying('lines were left out')
  assert.deepEqual(Object.values(told?.left_out), [15])
  assert.match(Object.keys(told?.left_out).join(), /^request .*401 unauthorized$/)
})

test('while the database is away there is one line, one a minute with counts, and one when it is back', async () => {
  const { keys } = await service.merchant()
  const { charge } = service.client(keys.test)
  assert.equal((await charge()).status, 201)
  lines.length = 0
  await wire.proxy.close()
  for (let nth = 0; nth < 10; nth += 1) assert.equal((await charge()).status, 503)
  for (const sweep of ['settle-charges', 'send-deliveries'])
    await assert.rejects(service.run(sweep), /the database is away/)
  // What was done within the last second counts as proof.
  await eventually('it is not ready', async () => (await statusOf('/readyz')) === 503)
  assert.equal(saying('the database is away').length, 1)
  service.pass(60_000)
  assert.equal((await charge()).status, 503)
  service.tell()
  const [still] = saying('the database is still away')
  const counted = Object.entries(still?.left_out as Record<string, number>)
  const requests = counted.filter(([kind]) => kind.startsWith('request /v1/charges 503'))
  assert.ok(
    requests.some(([, count]) => count >= 10),
    JSON.stringify(still),
  )
  assert.ok(
    counted.some(([kind]) => kind.includes('/readyz 503')),
    JSON.stringify(still),
  )

  // Looks of machines are lines for developers only, and here they come as fast as the machine is.
  const kinds = written()
    .filter(({ level }) => level >= 30)
    .map(({ msg, status }) => `${msg} ${status ?? ''}`)
  assert.ok(kinds.length < 12, kinds.join('\n'))

  await wire.proxy.open()
  await eventually('it is ready again', async () => (await statusOf('/readyz')) === 200)
  service.pass(21_000)
  service.tell()
  assert.equal(saying('the database is back').length, 1)
  assert.equal((await charge()).status, 201)
  await eventually('requests are written again', async () => saying('request').some(({ status }) => status === 201))
})
