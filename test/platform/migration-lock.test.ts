import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { migrate } from '../../src/platform/db/migrate.ts'
import { CannotStart } from '../../src/platform/processes/cannot-start.ts'
import { type TestDatabase, testDatabase } from '../helpers/database/test-database.ts'
import { runInside } from '../helpers/service/command-line.ts'
import { eventually } from '../helpers/service/live-service.ts'
import { startService } from '../helpers/service/test-service.ts'

// As src/platform/db/migrate.ts takes it: another process migrates, or a pooler keeps the connection of one that failed.
const LOCK = 7_310_553_001
const SERVICE = `reader_${process.pid}`
const LAST = '(select max(name) from cell_0.migration_checksums)'

let database: TestDatabase
let holder: pg.Client
const as = (user: string) => {
  const url = new URL(database.url)
  url.searchParams.set('user', user)
  return url.href
}
const settings = () => ({ DATABASE_URL: database.url, MASTER_KEY: Buffer.alloc(32, 7).toString('base64') })

before(async () => {
  database = await testDatabase()
  holder = new pg.Client({ connectionString: database.url })
  await holder.connect()
  await holder.query(`create role ${SERVICE} login; grant gateway_app to ${SERVICE}`)
  await holder.query(`select pg_advisory_lock(${LOCK})`)
})
after(async () => {
  await holder.query(`drop owned by ${SERVICE}; drop role ${SERVICE}`)
  await holder.end()
  await database.drop()
})

/** Runs `work` while the schema is one migration behind, as far as its record says. */
async function whileBehind(work: () => Promise<void>): Promise<void> {
  await holder.query(
    `create table kept as select * from cell_0.migration_checksums where name = ${LAST};
     delete from cell_0.migration_checksums where name = ${LAST}`,
  )
  await work().finally(() =>
    holder.query('insert into cell_0.migration_checksums select * from kept on conflict do nothing; drop table kept'),
  )
}

test('a start and every command that only reads the schema do not wait for who migrates', async () => {
  const service = await startService({ database })
  try {
    const { handle } = await service.merchant()
    const ran = await runInside(['payouts', 'freeze', '--merchant', handle, '--reason', 'at night'], settings())
    assert.equal(ran.code, 0, ran.stderr)
    assert.match((await runInside(['doctor'], settings())).stdout, /DATABASE_URL|MASTER_KEY|ALERT/)
    assert.match((await runInside(['migrate'], settings())).stdout, /nothing to do/)
  } finally {
    await service.close()
  }
})

test('what has to migrate says for whom it waits, and goes on when that has ended', async () => {
  await whileBehind(async () => {
    const said: string[] = []
    const migrating = migrate(database.url, undefined, { say: (line) => said.push(line) })
    await eventually('it says for whom it waits', () => said.length > 0)
    assert.match(said.join(), /^the connection of \w+ with process id \d+ is migrating the schema: waiting/)
    await holder.query(`select pg_advisory_unlock(${LOCK})`)
    assert.equal((await migrating).role, 'gateway_app')
    await holder.query(`select pg_advisory_lock(${LOCK})`)
  })
})

test('it gives up with a sentence, and changes nothing', async () => {
  await whileBehind(async () => {
    await assert.rejects(migrate(database.url, undefined, { waitsMs: 50 }), (error) => {
      assert.ok(error instanceof CannotStart)
      assert.match(error.message, /^after 0\.05 seconds the connection of \w+ .* Nothing was changed$/)
      return true
    })
  })
})

test('a login that may not migrate is told that a migration is under way', async () => {
  await whileBehind(async () => {
    await assert.rejects(
      migrate(as(SERVICE)),
      /^CannotStart|lacks migration \S+, and the connection of \w+ with process id \d+ is migrating it now/,
    )
  })
})
