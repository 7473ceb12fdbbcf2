import assert from 'node:assert/strict'
import type { EventEmitter } from 'node:events'
import { after, before, test } from 'node:test'
import type pg from 'pg'
import { makePool } from '../../src/platform/db/pool.ts'
import { queryPrepared } from '../../src/platform/db/prepared-query.ts'
import { type TestDatabase, testDatabase } from '../helpers/database/test-database.ts'

let database: TestDatabase
let pool: pg.Pool

before(async () => {
  database = await testDatabase()
  const options = { connectionString: database.url, schema: 'public', role: null, applicationName: 'test' }
  pool = makePool({ ...options, connections: 3, singleConnections: 1, statementTimeoutMs: 10_000 }, true)
  await pool.query('create table goods (id int primary key, name text, price int)')
  await pool.query(`insert into goods values (1, 'soap', 2500), (2, null, 30000000)`)
})

after(async () => {
  await pool?.end()
  await database?.drop()
})

/** On a connection of its own. */
async function on<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  try {
    return await work(client)
  } finally {
    client.release(true)
  }
}

const BY_PRICE = { name: 'by price', text: 'select id, name, price from goods where price >= $1 order by id' }
const REPRICE = { name: 'reprice', text: 'update goods set price = price where id = $1' }
const ALL = { name: 'all', text: 'select * from goods order by id' }

test('an answer is the same whether it was described or not, with rows and without', async () => {
  const answers = await on(async (client) => {
    let described = 0
    const { connection } = client as unknown as { connection: EventEmitter }
    connection.on('rowDescription', () => {
      described += 1
    })
    const all = []
    for (const least of [1, 1, 1e7, 1e9, 1])
      all.push((await queryPrepared(client, { ...BY_PRICE, values: [least] })).rows)
    assert.equal(described, 1)
    return all
  })
  const [soap, large] = [
    { id: 1, name: 'soap', price: 2500 },
    { id: 2, name: null, price: 30_000_000 },
  ]
  assert.deepEqual(
    answers.map((rows) => rows.map((row) => ({ ...row }))),
    [[soap, large], [soap, large], [large], [], [soap, large]],
  )
})

test('a statement without an answer says how many rows it changed', async () => {
  await on(async (client) => {
    for (const [id, changed] of [
      [1, 1],
      [2, 1],
      [3, 0],
    ]) {
      const { command, rowCount, rows } = await queryPrepared(client, { ...REPRICE, values: [id] })
      assert.deepEqual([command, rowCount, rows], ['UPDATE', changed, []])
    }
  })
})

test('each connection prepares a statement itself, and several may be on the wire at once', async () => {
  const ask = (client: pg.PoolClient) =>
    Promise.all([1, 1e7, 1].map((least) => queryPrepared(client, { ...BY_PRICE, values: [least] })))
  const counts = await Promise.all([on(ask), on(ask), on(ask)])
  assert.deepEqual(
    counts.map((results) => results.map(({ rows }) => rows.length)),
    [
      [2, 1, 2],
      [2, 1, 2],
      [2, 1, 2],
    ],
  )
})

test('after an error a statement is answered as before', async () => {
  await on(async (client) => {
    for (let time = 0; time < 2; time += 1) {
      await assert.rejects(queryPrepared(client, { ...BY_PRICE, values: ['much'] }), /invalid input syntax/)
      assert.equal((await queryPrepared(client, { ...BY_PRICE, values: [1] })).rows.length, 2)
    }
  })
})

test('when a table gets a column, no connection reads an answer by the description of another', async () => {
  await on(async (old) => {
    for (let time = 0; time < 2; time += 1)
      assert.deepEqual(Object.keys((await queryPrepared(old, { ...ALL, values: [] })).rows[0]), ['id', 'name', 'price'])
    await pool.query('alter table goods add stock int')
    await assert.rejects(queryPrepared(old, { ...ALL, values: [] }), /cached plan must not change result type/)
    await on(async (fresh) => {
      for (let time = 0; time < 2; time += 1)
        assert.deepEqual(Object.keys((await queryPrepared(fresh, { ...ALL, values: [] })).rows[0]), [
          'id',
          'name',
          'price',
          'stock',
        ])
    })
    await assert.rejects(queryPrepared(old, { ...ALL, values: [] }), /cached plan must not change result type/)
  })
})
