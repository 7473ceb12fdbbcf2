import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { watchDatabase } from '../../src/operations/alerts/watch-database.ts'
import { statement } from '../../src/platform/db/statement.ts'
import { startReceiver } from '../fakes/receiver.ts'
import { type TestDatabase, testDatabase } from '../helpers/database/test-database.ts'
import { eventually } from '../helpers/service/live-service.ts'
import { startService, type TestService } from '../helpers/service/test-service.ts'

// Other programs have taken the places of the database server: this login gets one, and what looks at the directory has it.
const LOGIN = `crowded_${process.pid}`
const OWN_PLACE = statement<{ pid: number }>('test: own place', 'select pg_backend_pid() as pid')
let database: TestDatabase
let service: TestService
let admin: pg.Client
let person: Awaited<ReturnType<typeof startReceiver>>
before(async () => {
  database = await testDatabase()
  person = await startReceiver()
  admin = new pg.Client({ connectionString: database.url })
  await admin.connect()
  await admin.query(`create role ${LOGIN} login; grant gateway_app to ${LOGIN}`)
  const url = new URL(database.url)
  url.searchParams.set('user', LOGIN)
  const env = { ALERT_WEBHOOK: person.url }
  service = await startService({ database: { ...database, url: url.href }, env })
})
after(async () => {
  await admin.query(`alter role ${LOGIN} connection limit -1`)
  await service.close()
  await admin.query(`drop owned by ${LOGIN}; drop role ${LOGIN}`)
  await admin.end()
  await person.close()
  await database.drop()
})

const statusOf = async (path: string) => (await fetch(`${service.url}${path}`)).status
const told = () => person.received.filter(({ event }) => event.kind === 'database_down')

test('a process that can store no payment is not ready, says so by an alert, and is ready when it can again', async () => {
  const { keys } = await service.merchant()
  const { charge } = service.client(keys.test)
  assert.equal((await charge()).status, 201)
  const watch = watchDatabase(service.gateway)
  await watch.check()
  await admin.query(`alter role ${LOGIN} connection limit 1`)
  const [kept] = await service.gateway.directory.query(OWN_PLACE)
  await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where usename = $1 and pid <> $2', [
    LOGIN,
    kept?.pid,
  ])
  assert.equal((await charge()).status, 503)
  await eventually('it is not ready', async () => (await statusOf('/readyz')) === 503)
  for (let look = 0; look < 5; look += 1)
    assert.deepEqual([(await charge()).status, await statusOf('/readyz')], [503, 503])
  assert.equal(await statusOf('/healthz'), 503)
  await watch.check()
  service.pass(61_000)
  await watch.check()
  assert.equal(told().length, 1)
  assert.match(told()[0]?.body ?? '', /not on the connections that payments need/)

  await admin.query(`alter role ${LOGIN} connection limit -1`)
  await eventually('it is ready', async () => (await statusOf('/readyz')) === 200)
  assert.equal((await charge()).status, 201)
})
