import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type PoolerManner, startPooler } from '../fakes/pooler.ts'
import { type TestDatabase, testDatabase } from '../helpers/database/test-database.ts'
import { assertRefused, runInside } from '../helpers/service/command-line.ts'
import { startService } from '../helpers/service/test-service.ts'

let database: TestDatabase
before(async () => {
  database = await testDatabase()
})
after(() => database.drop())

const POOLER = /DATABASE_URL leads to a connection pooler .*: give it the address of PostgreSQL itself/

for (const manner of ['refuses', 'drops'] as const satisfies readonly PoolerManner[])
  test(`a start and a command behind a pooler that ${manner} what a connection asks for end with a sentence`, async () => {
    const { searchParams, pathname } = new URL(database.url)
    const pooler = await startPooler(`${searchParams.get('host')}/.s.PGSQL.5432`, manner)
    const url = `postgresql://${searchParams.get('user')}@127.0.0.1:${pooler.port}${pathname}`
    try {
      await assert.rejects(startService({ database: { ...database, url } }), POOLER)
      const settings = { DATABASE_URL: url, MASTER_KEY: Buffer.alloc(32, 7).toString('base64') }
      assertRefused(await runInside(['merchants', 'list'], settings), { code: 1, says: POOLER })
    } finally {
      await pooler.close()
    }
  })
