import assert from 'node:assert/strict'
import test, { after, before } from 'node:test'
import pg, { type PoolClient } from 'pg'
import { openSnapshots, type Snapshots } from '../../src/platform/db/snapshots.ts'
import { type TestDatabase, testDatabase } from '../helpers/database/test-database.ts'

let database: TestDatabase
let writer: pg.Client
let snapshots: Snapshots

before(async () => {
  database = await testDatabase()
  writer = new pg.Client({ connectionString: database.url })
  await writer.connect()
  await write('create table numbers (n int)')
  snapshots = openSnapshots({
    connectionString: database.url,
    schema: 'public',
    role: null,
    connections: 1,
    singleConnections: 1,
    statementTimeoutMs: 10_000,
    applicationName: 'snapshots',
  })
})
after(async () => {
  await snapshots?.close()
  await writer?.end()
  await database?.drop()
})

const write = (sql: string) => writer.query(sql)
const countOn = async (client: PoolClient): Promise<number> =>
  (await client.query('select count(*)::int as count from numbers')).rows[0].count
const isOpen = async () => {
  const { rows } = await write(`select from pg_stat_activity where datname = current_database()
    and application_name = 'snapshots' and xact_start is not null`)
  return rows.length > 0
}

test('a second connection sees what the first one sees, and neither can write', async () => {
  await snapshots.read(async (first, openSecond) => {
    assert.equal(await countOn(first), 0)
    await write('insert into numbers values (1)')
    const second = await openSecond()
    assert.ok(second)
    await write('insert into numbers values (2)')
    assert.deepEqual(await Promise.all([countOn(first), countOn(second)]), [0, 0])
    // It waits for as long as payments are made, which others may not.
    const [idle] = (await second.query('show idle_in_transaction_session_timeout')).rows
    assert.deepEqual(idle, { idle_in_transaction_session_timeout: '6min' })
    await assert.rejects(second.query('insert into numbers values (3)'), { code: '25006' })
  })
  assert.equal(await isOpen(), false)
  await snapshots.read(async (first) => assert.equal(await countOn(first), 2))
})

test('one reader at a time has a second connection; the others go on without', async () => {
  await snapshots.read(async (_first, openSecond) => {
    assert.ok(await openSecond())
    await snapshots.read(async (other, openAnother) => {
      assert.equal(await openAnother(), null)
      assert.equal(await countOn(other), 2)
    })
  })
  await snapshots.read(async (_first, openSecond) => assert.ok(await openSecond()))
})

test('a reader that fails, and one whose second connection is cut, leave it to the next one', async () => {
  const failing = snapshots.read(async (_first, openSecond) => {
    await openSecond()
    throw new Error('no more')
  })
  await assert.rejects(failing, /no more/)
  const cut = snapshots.read(async (_first, openSecond) => {
    const second = await openSecond()
    assert.ok(second)
    const [own] = (await second.query('select pg_backend_pid() as pid')).rows
    await write(`select pg_terminate_backend(${own.pid})`)
    return countOn(second)
  })
  await assert.rejects(cut)
  await snapshots.read(async (first, openSecond) => {
    const second = await openSecond()
    assert.ok(second)
    assert.deepEqual(await Promise.all([countOn(first), countOn(second)]), [2, 2])
  })
  assert.equal(await isOpen(), false)
})
