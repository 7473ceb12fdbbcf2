import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { after, before, test } from 'node:test'
import { PROGRAM } from '../crash/processes.ts'
import { untilThere } from '../crash/victims.ts'
import type { CuttingProxy } from '../fakes/cutting-proxy.ts'
import {
  skipWithoutCitus,
  type WiredCluster,
  type WiredWorker,
  wiredCluster,
} from '../helpers/database/wired-cluster.ts'
import { oneJson, runInside } from '../helpers/service/command-line.ts'
import { startService } from '../helpers/service/test-service.ts'

// A cell is made on a cluster, and the command is killed (kill -9) while a statement of it is on its way, or the answer to it.
const skip = skipWithoutCitus
const CREATE = ['cells', 'create', 'cell_1']
const PLACE = `select d.nodeport as port from pg_dist_schema s join pg_dist_partition t using (colocationid)
  join pg_dist_shard h using (logicalrelid) join pg_dist_placement p using (shardid) join pg_dist_node d using (groupid)
  where s.schemaid = 'cell_1'::regnamespace limit 1`
const ENTERED = `select 1 from directory.cells where name = 'cell_1'`

let cluster: WiredCluster
let here: WiredWorker
let there: WiredWorker

const settings = () => ({
  DATABASE_URL: cluster.url,
  MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
  CELL_MERCHANTS: '1',
})
const run = async (...words: string[]) => oneJson(await runInside([...words, '--json'], settings()))

before(async () => {
  if (skip) return
  cluster = await wiredCluster()
  ;[here, there] = cluster.workers as [WiredWorker, WiredWorker]
  await run('migrate')
  await cluster.ask(cluster.coordinator, 'alter role gateway_app login')
  for (const schema of ['directory', 'cell_0']) await run('cells', 'place', schema, '--node', here.node)
  await run('payouts', 'freeze', '--reason', 'while it is made')
})
after(() => cluster?.drop())

/** The command is killed when bytes that match are on their way to a server; or, with `done`, when it has done that and its answer is on its way. */
async function killed(
  wire: CuttingProxy,
  asked: RegExp,
  { to, done }: { to?: WiredWorker; done?: () => Promise<boolean> } = {},
): Promise<void> {
  const held = done === undefined ? wire.holdNext(asked) : wire.holdNextAnswer(asked)
  const env = { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', ...settings() }
  const words = [...CREATE, ...(to === undefined ? [] : ['--node', to.node])]
  const child = spawn(process.execPath, [PROGRAM, ...words], { env, stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  child.stderr.on('data', (chunk) => {
    said += chunk
  })
  const ended = once(child, 'exit')
  await untilThere(`${asked}`, async () => {
    assert.equal(child.exitCode, null, `it ended before ${asked}: ${said}`)
    return held.held() && (done === undefined || (await done())) ? true : null
  })
  child.kill('SIGKILL')
  await ended
  held.letThrough()
}

const placedAt = async () => (await cluster.ask(cluster.coordinator, PLACE))[0]?.port
const listed = async () => (await run('cells', 'list')).map(({ cell }: any) => cell)

test('a cell whose making is killed is known to nobody until the same command has finished it', { skip }, async () => {
  const { wire } = cluster
  await killed(wire, /create table if not exists cell_1\.migration_checksums/)
  await killed(wire, /insert into cell_1\.migration_checksums/)
  await killed(wire, /citus_schema_distribute/)
  await killed(wire, /citus_schema_distribute/, { done: async () => (await placedAt()) !== undefined })
  const to = (await placedAt()) === here.wire.port ? there : here
  assert.deepEqual(await listed(), ['cell_0'])
  for (const name of ['first', 'second'])
    await run('merchants', 'create', '--name', name, '--email', `${name}@shops.invalid`)
  await killed(wire, /citus_schema_move/, { to })
  // The server goes on with the move, which nobody waits for any more.
  await killed(to.wire, /CREATE SUBSCRIPTION/, { to })
  await killed(here.wire, /insert into cells/, { to })
  assert.deepEqual(await listed(), ['cell_0'])
  await run('payouts', 'unfreeze')
  const entered = async () => (await cluster.ask(cluster.coordinator, ENTERED)).length > 0
  await killed(here.wire, /copy audit/, { to, done: entered })
  assert.deepEqual(await run(...CREATE, '--node', to.node), { name: 'cell_1', added: false })
  const cells = await run('cells', 'list')
  assert.deepEqual(
    cells.map(({ cell, node }: any) => [cell, node]),
    [
      ['cell_0', here.node],
      ['cell_1', to.node],
    ],
  )
  // The first cell was full with one, and even so nobody came to one that was not entered.
  const facts = `select (select array_agg(cell) from directory.merchants) as merchants,
    (select frozen_for from cell_1.payout_stops) as stop,
    (select count(*)::int from directory.audit where action = 'cell.add') as told`
  assert.deepEqual(await cluster.ask(cluster.coordinator, facts), [
    { merchants: ['cell_0', 'cell_0'], stop: null, told: 1 },
  ])
  await payThere()
  await run('verify')
})

async function payThere(): Promise<void> {
  const service = await startService({ database: cluster })
  try {
    const merchant = await service.merchant({ cell: 'cell_1' })
    assert.equal((await service.client(merchant.keys.test).charge()).status, 201)
  } finally {
    await service.close()
  }
}
