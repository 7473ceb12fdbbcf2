import assert from 'node:assert/strict'
import test, { after, before } from 'node:test'
import pg from 'pg'
import type { CreatedMerchant } from '../../src/merchants/account/create-merchant.ts'
import { migrate } from '../../src/platform/db/migrate.ts'
import { listStatements } from '../../src/platform/db/statement.ts'
import { buildSweeps } from '../../src/program/sweeps.ts'
import { type Receiver, startReceiver } from '../fakes/receiver.ts'
import { balanceOf } from '../helpers/database/money-rows.ts'
import { type TestDatabase, testDatabase } from '../helpers/database/test-database.ts'
import { assertVerified } from '../helpers/service/live-service.ts'
import { type Client, startService, type TestService } from '../helpers/service/test-service.ts'

const CELLS = ['cell_0', 'cell_1'] as const
type Tenant = { cell: string; merchant: CreatedMerchant; api: Client; receiver: Receiver }

let database: TestDatabase
let service: TestService
let tenants: [Tenant, Tenant]

before(async () => {
  database = await testDatabase()
  await addCell(database.url, 'cell_1')
  const receivers = [await startReceiver(), await startReceiver()]
  const places = receivers.map(({ place }) => place).join(',')
  service = await startService({ database, env: { WEBHOOK_ALLOW_PRIVATE: places } })
  const made: Tenant[] = []
  for (const [index, cell] of CELLS.entries()) {
    const merchant = await service.merchant({ cell, handle: `shop-of-${index}` })
    const receiver = receivers[index] as Receiver
    await service.set(merchant, { webhookUrl: receiver.url })
    made.push({ cell, merchant, receiver, api: service.client(merchant.keys.test) })
  }
  tenants = made as [Tenant, Tenant]
})
after(async () => {
  await assertVerified(service)
  await service.close()
  await database.drop()
  for (const { receiver } of tenants) await receiver.close()
})

async function addCell(url: string, cell: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query('insert into directory.cells (name) values ($1)', [cell])
  await client.end()
  const { applied, cells } = await migrate(url)
  assert.deepEqual(cells, CELLS)
  assert.ok(applied.length > 0 && applied.every((name) => name.startsWith(`${cell}/`)))
}

/** Runs one background task in every cell. */
async function runEverywhere(name: string): Promise<number> {
  let handled = 0
  for (const app of service.gateway.cells) {
    const sweep = buildSweeps(app).find((cellSweep) => cellSweep.name === name)
    assert.ok(sweep)
    handled += await sweep.runOnce()
    await sweep.finish?.()
  }
  return handled
}

async function payIn({ api }: Tenant, amount: number): Promise<string> {
  const { status, body } = await api.charge({ amount, reference: 'same in both' })
  assert.equal(status, 201)
  return body.id
}

test('charges, balances, settlements, webhooks and lists of two cells work through one service', async () => {
  assert.deepEqual(
    service.gateway.cells.map(({ cell }) => cell),
    CELLS,
  )
  const ids = await Promise.all([payIn(tenants[0], 5000), payIn(tenants[1], 20_000)])
  service.pass(2000)
  assert.equal(await runEverywhere('follow-charges'), 2)
  assert.equal(await runEverywhere('send-deliveries'), 2)
  for (const [index, net] of [4800, 19_700].entries()) {
    const { api, receiver } = tenants[index] as Tenant
    assert.deepEqual(await balanceOf(api), { available: net, pending: 0 })
    const lists = ['/v1/charges', '/v1/charges?reference=same%20in%20both', '/v1/charges?status=succeeded']
    for (const list of lists)
      assert.deepEqual(
        (await api.get(list)).body.data.map(({ id }: any) => id),
        [ids[index]],
      )
    assert.deepEqual(
      (await api.get('/v1/settlements')).body.data.map(({ amount }: any) => amount),
      [net],
    )
    const { data } = (await api.get('/v1/webhooks')).body
    assert.deepEqual(
      data.map(({ status }: any) => status),
      ['sent'],
    )
    assert.deepEqual(
      receiver.received.map(({ event }) => event.data.id),
      [ids[index]],
    )
  }
})

test('holds are released in both cells by their own sweeps', async () => {
  for (const { merchant } of tenants) await service.set(merchant, { testHold: 'realistic' })
  const before = await Promise.all(tenants.map(({ api }) => balanceOf(api)))
  await Promise.all(tenants.map((tenant) => payIn(tenant, 5000)))
  service.pass(2000)
  await runEverywhere('follow-charges')
  service.pass(86_400_000 + 1000)
  assert.equal(await runEverywhere('settle-charges'), 2)
  for (const [index, { api }] of tenants.entries())
    assert.deepEqual(await balanceOf(api), { available: (before[index]?.available ?? 0) + 4800, pending: 0 })
})

test('what belongs to one cell is a 404 for the merchant of the other', async () => {
  const [one, other] = tenants
  const { data: charges } = (await one.api.get('/v1/charges')).body
  const { data: deliveries } = (await one.api.get('/v1/webhooks')).body
  assert.equal((await other.api.get(`/v1/charges/${charges[0].id}`)).status, 404)
  assert.equal((await other.api.post(`/v1/webhooks/${deliveries[0].id}/resend`)).status, 404)
  const page = await other.api.get(`/v1/charges?starting_after=${charges[0].id}`)
  assert.deepEqual([page.status, page.body.error], [400, 'invalid starting_after cursor'])
})

test('one Idempotency-Key in two cells is two charges', async () => {
  const key = { 'idempotency-key': 'the same everywhere' }
  const [one, other] = await Promise.all(tenants.map(({ api }) => api.charge({}, key)))
  assert.deepEqual([one?.status, other?.status], [201, 201])
  assert.notEqual(one?.body.id, other?.body.id)
  assert.equal((await tenants[1].api.charge({}, key)).body.id, other?.body.id)
  service.pass(2000)
  await runEverywhere('follow-charges')
})

test('the rows of each merchant lie in its own schema and nowhere else', async () => {
  const tables = await service.rows<{ name: string }>(
    `select table_name as name from information_schema.columns
     where table_schema = 'cell_0' and column_name = 'merchant_id' order by 1`,
  )
  assert.ok(tables.length > 10)
  for (const { cell, merchant } of tenants) {
    const [known] = await service.rows<{ id: string; cell: string }>(
      'select id, cell from directory.merchants where public_id = $1',
      [merchant.id],
    )
    assert.equal(known?.cell, cell)
    for (const schema of CELLS) {
      const counts = await Promise.all(
        tables.map(async ({ name }): Promise<{ name: string; count: number }> => {
          const [row]: { count: number }[] = await service.rows(
            `select count(*)::int as count from ${schema}.${name} where merchant_id = $1`,
            [known?.id],
          )
          return { name, count: row?.count ?? 0 }
        }),
      )
      const used = counts.filter(({ count }) => count > 0).map(({ name }) => name)
      if (schema !== cell) assert.deepEqual(used, [])
      else
        for (const name of ['charges', 'transfers', 'events', 'deliveries', 'settlements'])
          assert.ok(used.includes(name))
    }
  }
})

test('no statement of the product names a schema', () => {
  const statements = listStatements()
  assert.ok(statements.length > 50)
  for (const { name, text } of statements) assert.doesNotMatch(text, /\b(cell_[0-9]+|directory|public)\s*\./, name)
})
