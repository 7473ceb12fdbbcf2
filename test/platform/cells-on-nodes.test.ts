import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { CreatedMerchant } from '../../src/merchants/account/create-merchant.ts'
import {
  skipWithoutCitus,
  type WiredCluster,
  type WiredWorker,
  wiredCluster,
} from '../helpers/database/wired-cluster.ts'
import { type Ran, runInside } from '../helpers/service/command-line.ts'
import { eventually } from '../helpers/service/live-service.ts'
import { payOn } from '../helpers/service/pay-on.ts'
import { type Client, startService, type TestService } from '../helpers/service/test-service.ts'

const skip = skipWithoutCitus
const MASTER_KEY = Buffer.alloc(32, 7).toString('base64')
type Tenant = { cell: string; merchant: CreatedMerchant; api: Client }

let cluster: WiredCluster
let service: TestService
let here: WiredWorker
let there: WiredWorker
let tenants: readonly [Tenant, Tenant]

const run = (...words: string[]) => runInside(words, { DATABASE_URL: cluster.url, MASTER_KEY })
const done = (ran: Ran) => assert.equal(ran.code, 0, ran.stderr)

/** The directory and the first cell lie on the one worker, the second cell on the other. */
before(async () => {
  if (skip) return
  cluster = await wiredCluster()
  ;[here, there] = cluster.workers as [WiredWorker, WiredWorker]
  done(await run('migrate'))
  // The service works as this role, and nodes speak to each other as the role of whoever asks.
  await cluster.ask(cluster.coordinator, 'alter role gateway_app login')
  for (const schema of ['directory', 'cell_0']) done(await run('cells', 'place', schema, '--node', here.node))
  done(await run('cells', 'create', '--node', there.node))
  service = await startService({ database: cluster })
  tenants = (await Promise.all(
    ['cell_0', 'cell_1'].map(async (cell) => {
      const merchant = await service.merchant({ cell })
      return { cell, merchant, api: service.client(merchant.keys.test) }
    }),
  )) as [Tenant, Tenant]
})
after(async () => {
  await service?.close()
  await cluster?.drop()
})

const readyz = async () => {
  const answer = await fetch(`${service.url}/readyz`)
  return { status: answer.status, body: (await answer.json()) as any }
}
/** How many connections of this service a server has. */
const connectionsAt = async (port: number) =>
  (
    await cluster.ask(
      port,
      `select count(*)::int as count from pg_stat_activity where datname = current_database() and application_name = 'gateway'`,
    )
  )[0].count

test('connections go to the node that holds the cell, and none to the coordinator', { skip }, async () => {
  for (const { api } of tenants) assert.equal((await api.charge()).status, 201)
  assert.equal(await connectionsAt(cluster.coordinator), 0)
  for (const worker of [here, there]) assert.ok((await connectionsAt(worker.own)) > 0)
  const listed = await run('cells', 'list', '--json')
  assert.deepEqual(
    JSON.parse(listed.stdout).map(({ cell, node }: any) => [cell, node]),
    [
      ['cell_0', here.node],
      ['cell_1', there.node],
    ],
  )
  assert.deepEqual(await readyz(), { status: 200, body: { ready: true } })
})

test('connections stay while nothing moves', { skip }, async () => {
  const open = async () =>
    (
      await cluster.ask(
        here.own,
        `select pid from pg_stat_activity where application_name = 'gateway' and datname = current_database()`,
      )
    ).map(({ pid }) => pid)
  const before = await open()
  assert.ok(before.length > 0)
  for (let nth = 0; nth < 3; nth += 1) await service.gateway.nodes?.look()
  for (const { api } of tenants) assert.equal((await api.charge()).status, 201)
  const after = await open()
  assert.deepEqual(
    before.filter((pid) => !after.includes(pid)),
    [],
  )
})

test('a cell moves while payments run: none is lost or doubled, and its connections follow', { skip }, async (t) => {
  const flows = tenants.map(({ api }) => payOn(api, 'while it moves'))
  const moved = await run('cells', 'move', 'cell_1', '--to', here.node)
  done(moved)
  t.diagnostic(moved.stdout.trim())
  await eventually('nothing leads to the old node', async () => (await connectionsAt(there.own)) === 0)
  const paid = await Promise.all(flows.map((flow) => flow.stop()))
  for (const [nth, { acknowledged, wrong, longestMs }] of paid.entries()) {
    assert.deepEqual(wrong, [])
    assert.ok(acknowledged.size > 0)
    t.diagnostic(
      `${tenants[nth]?.cell}: ${acknowledged.size} payments, at most ${Math.round(longestMs)} ms between two`,
    )
    const rows = await cluster.ask(
      cluster.coordinator,
      `select id from ${tenants[nth]?.cell}.charges where reference = 'while it moves'`,
    )
    assert.deepEqual(new Set(rows.map(({ id }) => id)), acknowledged)
  }
  done(await run('cells', 'move', 'cell_1', '--to', there.node))
  await eventually('its connections are back', async () => {
    await tenants[1].api.charge()
    return (await connectionsAt(there.own)) > 0
  })
})

test('a dead worker stops only its own cells, and readyz and an alert name cell and node', { skip }, async () => {
  const [one, other] = tenants
  await there.wire.close()
  await eventually('its cell is refused', async () => (await other.api.charge()).status === 503)
  const refused = await other.api.charge()
  assert.ok(Number(refused.headers.get('retry-after')) > 0)
  assert.equal((await one.api.charge()).status, 201)
  await eventually('it is named', async () => (await readyz()).body.away?.length === 1)
  assert.deepEqual(await readyz(), {
    status: 200,
    body: { ready: true, away: [`cell_1 does not answer (node ${there.node})`] },
  })
  service.pass(61_000)
  await service.run('raise-alerts')
  const alerts = () =>
    service.rows(
      `select says, closed_at as "closedAt" from directory.alerts where kind = 'cell_away' and subject = 'cell_1'`,
    )
  const [alert] = await alerts()
  assert.match(String(alert?.says), new RegExp(`^cell_1 does not answer \\(node ${there.node}\\) since `))
  await there.wire.open()
  await eventually('it is served again', async () => (await other.api.charge()).status === 201)
  await eventually('nothing is named', async () => (await readyz()).body.away === undefined)
  await service.run('raise-alerts')
  assert.notEqual((await alerts())[0]?.closedAt, null)
})

test('a freeze of the platform reaches the cell that lives at once, and the other when its node is back', {
  skip,
}, async () => {
  const stops = (at: WiredWorker, cell: string) =>
    cluster.ask(at.own, `select frozen_for as reason from ${cell}.payout_stops`)
  await there.wire.close()
  const freezes = run('payouts', 'freeze', '--reason', 'a node died')
  try {
    await eventually('the cell that lives is frozen', async () => (await stops(here, 'cell_0'))[0]?.reason !== null)
    const ran = await freezes
    assert.equal(ran.code, 1)
    assert.match(ran.stderr, /cell_1/)
    assert.deepEqual(await stops(there, 'cell_1'), [{ reason: null }])
  } finally {
    await there.wire.open()
  }
  await eventually('the other is frozen', async () => {
    await run('sweep', 'follow-freeze')
    return (await stops(there, 'cell_1'))[0]?.reason === 'a node died'
  })
  done(await run('payouts', 'unfreeze'))
  assert.deepEqual(
    [await stops(here, 'cell_0'), await stops(there, 'cell_1')],
    [[{ reason: null }], [{ reason: null }]],
  )
})

test('without the coordinator payments go on, and a node says where cells lie', { skip }, async () => {
  await cluster.wire.close()
  try {
    for (const { api } of tenants) assert.equal((await api.charge()).status, 201)
    await service.gateway.nodes?.look()
    for (const { api } of tenants) assert.equal((await api.charge()).status, 201)
    assert.deepEqual(await readyz(), { status: 200, body: { ready: true } })
  } finally {
    await cluster.wire.open()
  }
})

test('a worker that stands still stops only its own cells', { skip }, async () => {
  const [one, other] = tenants
  assert.equal((await other.api.charge()).status, 201)
  const frozen = there.wire.freeze()
  const slow = other.api.charge()
  for (let nth = 0; nth < 20; nth += 1) assert.equal((await one.api.charge()).status, 201)
  const { status } = await slow
  assert.ok(status === 201 || status === 503)
  frozen.letThrough()
  await eventually('it is served', async () => (await other.api.charge()).status === 201)
})

test('a process that starts while a worker is dead serves the others, and takes up the cell when it is there', {
  skip,
}, async () => {
  await there.wire.close()
  const second = await startService({ database: cluster, clock: service.clock })
  try {
    const [one, other] = tenants.map(({ merchant }) => second.client(merchant.keys.test))
    assert.equal((await one?.charge())?.status, 201)
    assert.equal((await other?.charge())?.status, 503)
  } finally {
    await there.wire.open()
  }
  try {
    const other = second.client(tenants[1].merchant.keys.test)
    await eventually('it is taken up', async () => (await other.charge()).status === 201)
  } finally {
    await second.close()
  }
})

test('any node serves, and no start changes the schema at a worker', { skip }, async () => {
  const atWorker = cluster.url.replace(`:${cluster.wire.port}/`, `:${here.own}/`)
  const ran = await runInside(['merchants', 'list', '--json'], { DATABASE_URL: atWorker, MASTER_KEY })
  done(ran)
  assert.equal(JSON.parse(ran.stdout).length, 2)
  const [{ name }] = await cluster.ask(cluster.coordinator, 'select max(name) as name from cell_1.migration_checksums')
  await cluster.ask(cluster.coordinator, `delete from cell_1.migration_checksums where name = '${name}'`)
  const refused = await runInside(['migrate'], { DATABASE_URL: atWorker, MASTER_KEY })
  assert.equal(refused.code, 1)
  assert.match(
    refused.stderr,
    new RegExp(`^the schema cell_1 lacks migration ${name}, and this address leads to a worker of Citus`),
  )
  done(await run('migrate'))
})

test('a node is drained of all that lies there, and the same again finds nothing', { skip }, async () => {
  const drained = await run('cells', 'drain', there.node, '--json')
  done(drained)
  assert.deepEqual(
    JSON.parse(drained.stdout).moves.map(({ cell, to }: any) => [cell, to]),
    [['cell_1', here.node]],
  )
  assert.deepEqual(JSON.parse((await run('cells', 'drain', there.node, '--json')).stdout), { moves: [], closed: true })
  assert.match((await run('cells', 'drain', here.node)).stderr, /there is no other node that takes cells/)
  assert.equal((await tenants[1].api.charge()).status, 201)
})
