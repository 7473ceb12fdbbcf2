import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { pino } from 'pino'
import { newBatch } from '../../src/platform/batches/batch.ts'
import { itemDone } from '../../src/platform/batches/batch-run.ts'
import { call, openDatabase } from '../../src/platform/db/database.ts'
import { statement } from '../../src/platform/db/statement.ts'
import { openGateway } from '../../src/program/open-gateway.ts'
import { serve } from '../../src/program/serve.ts'
import { readConfig } from '../../src/program/settings/config.ts'
import { freePort } from '../crash/installation.ts'
import { behindWire, openWire } from '../helpers/database/cut-wire.ts'
import { opened } from '../helpers/service/opened.ts'
import { startService } from '../helpers/service/test-service.ts'

const WITHIN_MS = 20_000
const MASTER_KEY = Buffer.alloc(32, 7).toString('base64')

const wire = opened(openWire)
const service = opened(() => startService({ database: wire.behind }))

const chargesOf = async (reference: string) =>
  (await service.rows('select id from charges where reference = $1', [reference])).length

test('F6: when the answer to COMMIT is lost the client hears 503, and its repeat gets the one charge there is', async () => {
  const client = service.client((await service.merchant()).keys.test)
  const headers = { 'idempotency-key': 'f6-answer' }
  wire.proxy.cutNextCommit('before its answer')
  const lost = await client.charge({ reference: 'f6-answer' }, headers)
  assert.deepEqual([lost.status, lost.headers.get('retry-after')], [503, '1'])
  assert.equal(await chargesOf('f6-answer'), 1, 'the server had committed')
  const repeated = await client.charge({ reference: 'f6-answer' }, headers)
  assert.deepEqual([repeated.status, repeated.headers.get('idempotent-replayed')], [201, 'true'])
  assert.equal(await chargesOf('f6-answer'), 1)
})

test('F6: when COMMIT itself is lost nothing is there, and the repeat runs once', async () => {
  const client = service.client((await service.merchant()).keys.test)
  const headers = { 'idempotency-key': 'f6-commit' }
  const before = await service.digest()
  wire.proxy.cutNextCommit('before the server hears of it')
  assert.equal((await client.charge({ reference: 'f6-commit' }, headers)).status, 503)
  assert.equal(await service.digest(), before)
  const repeated = await client.charge({ reference: 'f6-commit' }, headers)
  assert.deepEqual([repeated.status, repeated.headers.get('idempotent-replayed')], [201, null])
  assert.equal(await chargesOf('f6-commit'), 1)
})

test('F6: a lost answer to the COMMIT of many leaves each with one charge, whatever each was told', async () => {
  const client = service.client((await service.merchant()).keys.test)
  const keys = Array.from({ length: 20 }, (_, nth) => `f6-many-${nth}`)
  const send = (key: string) => client.charge({ reference: key }, { 'idempotency-key': key })
  wire.proxy.cutNextCommit('before its answer')
  const told = await Promise.all(keys.map(send))
  for (const { status } of told) assert.ok(status === 201 || status === 503, String(status))
  const repeated = await Promise.all(keys.map(send))
  for (const [nth, key] of keys.entries()) {
    assert.equal(repeated[nth]?.status, 201)
    if (told[nth]?.status === 201) assert.equal(told[nth]?.text, repeated[nth]?.text)
    assert.equal(await chargesOf(key), 1)
  }
})

test('F7: a connection cut in mid transaction leaves nothing, and what was queued behind runs nowhere', async () => {
  const client = service.client((await service.merchant()).keys.test)
  const before = await service.digest()
  wire.proxy.cutNextTransaction()
  const cut = await client.charge({ reference: 'f7' }, { 'idempotency-key': 'f7' })
  assert.equal(cut.status, 503)
  assert.equal(await service.digest(), before)
  assert.equal((await client.charge({ reference: 'f7' }, { 'idempotency-key': 'f7' })).status, 201)
  assert.equal(await chargesOf('f7'), 1)
})

const ADD_NUMBERS = statement('faults: add numbers', 'insert into fault_numbers select unnest($1::int[])')

async function numbersTable(t: { after(work: () => Promise<unknown>): void }) {
  const admin = new pg.Client({ connectionString: wire.database.url, options: '-c search_path=cell_0' })
  await admin.connect()
  await admin.query('create table fault_numbers (number int primary key check (number <> 13))')
  const parts = {
    schema: 'cell_0',
    role: null,
    connections: 2,
    statementTimeoutMs: 3000,
    singleConnections: 1,
    applicationName: 'faults',
  }
  const db = openDatabase({ connectionString: wire.database.url, ...parts })
  await db.warm()
  t.after(async () => {
    await db.close()
    await admin.query('drop table fault_numbers')
    await admin.end()
  })
  const stored = async () =>
    (await admin.query('select number from fault_numbers order by number')).rows.map(({ number }) => number)
  return { db, stored }
}

test('F8: a COMMIT that is answered with ROLLBACK is a failure, although no error was thrown', async (t) => {
  const { db, stored } = await numbersTable(t)
  const swallowed = db.transaction(async (tx) => {
    await tx.send(call(ADD_NUMBERS, [1]))
    await tx.send(call(ADD_NUMBERS, [13])).catch(() => {})
    return { value: 'acknowledged' }
  })
  await assert.rejects(swallowed, /COMMIT was answered with ROLLBACK/)
  const inLast = db.transaction(async (tx) => {
    await tx.send(call(ADD_NUMBERS, [2]))
    return { value: 'acknowledged', last: [call(ADD_NUMBERS, [13])] }
  })
  await assert.rejects(inLast, /fault_numbers_number_check/)
  assert.deepEqual(await stored(), [])
})

test('F25: one poisoned item of a group commit fails alone; the others are acknowledged and stored', async (t) => {
  const { db, stored } = await numbersTable(t)
  const numbers = newBatch<number, string>({
    keyOf: () => 0,
    run: (items) =>
      db.transaction(async (tx) => {
        await tx.send(call(ADD_NUMBERS, items))
        return { value: items.map((item) => itemDone(`stored ${item}`)) }
      }),
  })
  const told = await Promise.allSettled([11, 12, 13, 14, 15].map((number) => numbers.add(number)))
  assert.deepEqual(
    told.map((settled) => (settled.status === 'fulfilled' ? settled.value : 'failed')),
    ['stored 11', 'stored 12', 'failed', 'stored 14', 'stored 15'],
  )
  assert.deepEqual(await stored(), [11, 12, 14, 15])
})

test('F17: with every connection held a charge hears 503 within a moment, and the next one after passes', async () => {
  const client = service.client((await service.merchant()).keys.test)
  assert.equal((await client.charge()).status, 201)
  const { pool } = service.app.db
  const kinds = ['outcome', 'in', 'in', 'out', 'out', 'out'] as const
  assert.equal(pool.options.max, kinds.length)
  let letGo = () => {}
  const isFree = new Promise<void>((resolve) => {
    letGo = resolve
  })
  const held = kinds.map((kind) =>
    service.app.db.transactionFor({ kind, begun: true }, async () => {
      await isFree
      return { value: null }
    }),
  )
  const asked = performance.now()
  const refused = await Promise.all([1, 2, 3, 4, 5].map(() => client.charge()))
  const waitedMs = performance.now() - asked
  const again = await client.charge()
  letGo()
  await Promise.all(held)
  for (const { status, headers } of [...refused, again])
    assert.deepEqual([status, headers.get('retry-after')], [503, '1'])
  // The process stands still for a second; the rest is for a busy machine.
  assert.ok(waitedMs < 8000, `the refusal took ${Math.round(waitedMs)} ms`)
  assert.equal(service.app.db.waiting(), 0)
  assert.equal((await client.charge()).status, 201)
})

test('F19: without its database the service is alive, says so, refuses cleanly, and recovers alone', async (t) => {
  const merchant = await service.merchant()
  const { proxy: door, url: databaseUrl } = await behindWire(wire.database)
  await door.close()
  const config = readConfig({
    PORT: String(await freePort()),
    DATABASE_URL: databaseUrl,
    MASTER_KEY,
    LOG_LEVEL: 'silent',
  })
  const url = `http://127.0.0.1:${config.port}`
  const starting = serve({ config, role: 'web', log: pino({ level: 'silent' }), say: () => {} })
  const look = async (path: string) => fetch(`${url}${path}`).catch(() => null)
  await Promise.race([starting, until(async () => (await look('/livez'))?.status === 200)])
  const health = await look('/healthz')
  assert.equal(health?.status, 503)
  assert.match((await health?.text()) ?? '', /"status":"degraded","database":"down"/)
  assert.equal((await look('/readyz'))?.status, 503)
  const headers = { authorization: `Bearer ${merchant.keys.test}` }
  const refused = await fetch(`${url}/v1/balance`, { headers })
  assert.deepEqual([refused.status, refused.headers.get('retry-after')], [503, '1'])

  await door.open()
  const started = await starting
  t.after(async () => {
    await started.stop()
    await door.close()
  })
  assert.equal((await fetch(`${url}/v1/balance`, { headers })).status, 200)
  await door.close()
  assert.equal((await fetch(`${url}/v1/balance`, { headers })).status, 503)
  const unready = await (await look('/readyz'))?.json()
  assert.deepEqual(unready, { ready: false, reasons: ['the database does not answer'] }, 'no word of the clock')
  assert.equal((await look('/livez'))?.status, 200)
  await door.open()
  await until(async () => (await fetch(`${url}/v1/balance`, { headers })).status === 200)
})

async function until(happened: () => Promise<boolean>): Promise<void> {
  const giveUpAt = performance.now() + WITHIN_MS
  while (!(await happened())) {
    assert.ok(performance.now() < giveUpAt, 'it did not happen within 20 s')
    await sleep(10)
  }
}

test('F23, F44: another MASTER_KEY, or a schema newer than the program, stops the start with a sentence', async () => {
  const open = (masterKey: string) =>
    openGateway({
      config: readConfig({ DATABASE_URL: wire.database.url, MASTER_KEY: masterKey }),
      log: pino({ level: 'silent' }),
      say: () => {},
    })
  const check = 'select ciphertext from directory.master_key_check'
  const before = await service.rows(check)
  await assert.rejects(open(Buffer.alloc(32, 8).toString('base64')), /MASTER_KEY is not the key/)
  assert.deepEqual(await service.rows(check), before)
  assert.throws(() => readConfig({ DATABASE_URL: wire.database.url }), /MASTER_KEY is required/)
  await service.rows(`insert into cell_0.migration_checksums values ('9999_future.sql', 'x')`)
  await assert.rejects(open(MASTER_KEY), /9999_future\.sql, which this program does not know/)
  await service.rows(`delete from cell_0.migration_checksums where name = '9999_future.sql'`)
})
