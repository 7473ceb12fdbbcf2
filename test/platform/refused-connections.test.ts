import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { askOnce } from '../helpers/database/ask-once.ts'
import { type TestDatabase, testDatabase } from '../helpers/database/test-database.ts'
import { HAS_OPENSSL, openTlsFront, type TlsFront } from '../helpers/database/tls-front.ts'
import { runInside } from '../helpers/service/command-line.ts'
import { eventually } from '../helpers/service/live-service.ts'
import { CHARGE, startService } from '../helpers/service/test-service.ts'

const MASTER_KEY = Buffer.alloc(32, 7).toString('base64')
const LOGIN = `refused_${process.pid}`
const MAKER = `maker_of_none_${process.pid}`
const skip = HAS_OPENSSL ? false : 'openssl is not installed'

let database: TestDatabase
let front: TlsFront
before(async () => {
  database = await testDatabase()
  await ask(`create role ${LOGIN} login superuser`)
  await ask(`create role ${MAKER} login`)
  if (!skip) front = await openTlsFront(database)
})
after(async () => {
  await front?.close()
  await ask(`drop role ${LOGIN}`)
  await ask(`drop role ${MAKER}`)
  await database.drop()
})

const ask = (text: string) => askOnce(database.url, text)
const as = (user: string) => {
  const url = new URL(database.url)
  url.searchParams.set('user', user)
  return url.href
}
const doctor = (url: string) => runInside(['doctor'], { DATABASE_URL: url, MASTER_KEY })

async function refusal(url: string): Promise<string> {
  const { code, stderr } = await doctor(url)
  assert.equal(code, 1)
  assert.doesNotMatch(stderr, /^\s+at /m)
  return stderr
}

test('a certificate that is not trusted, or is for another name, is told with what to change', { skip }, async () => {
  const { port, authority } = front
  const at = (host: string, more = '') =>
    `postgres://postgres@${host}:${port}/${database.name}?sslmode=verify-full${more}`
  const own = `&sslrootcert=${authority}`
  assert.match(
    await refusal(at('localhost')),
    /^the certificate of the database server localhost:\d+ is not trusted: self-signed certificate\. .* add sslrootcert=FILE to the address/,
  )
  assert.match(
    await refusal(at('127.0.0.1', own)),
    /^the database server 127\.0\.0\.1:\d+ shows a certificate for another name: .* must call it by a name in its certificate/,
  )
  const { stdout, stderr } = await doctor(at('localhost', own))
  assert.match(stdout, /promise/, stderr)
})

test('of several servers each is asked with TLS by its own name', { skip }, async () => {
  const { port, authority } = front
  const more = `sslmode=verify-full&sslrootcert=${authority}`
  const { stdout, stderr } = await doctor(
    `postgres://postgres@127.0.0.1:${port},localhost:${port}/${database.name}?target_session_attrs=read-write&${more}`,
  )
  assert.match(stdout, /promise/, stderr)
})

test('a login that the server refuses is told with the name of the server', async () => {
  await ask(`alter role ${LOGIN} nologin`)
  assert.match(
    await refusal(as(LOGIN)),
    /^the database server .*:5432 refuses this login: role "refused_\d+" is not permitted to log in/,
  )
})

test('an owner who may make no schema any more is told what to grant', async () => {
  const name = `of_${MAKER}`
  await ask(`create database ${name} owner ${MAKER}`)
  try {
    const url = new URL(as(MAKER))
    url.pathname = `/${name}`
    const settings = { DATABASE_URL: url.href, MASTER_KEY }
    const migrated = await runInside(['migrate'], settings)
    assert.equal(migrated.code, 0, migrated.stderr)
    await ask(`alter database ${name} owner to postgres`)
    const { code, stderr } = await runInside(['cells', 'create'], settings)
    assert.equal(code, 1)
    assert.match(
      stderr,
      /^the schema cell_1 could not be made: permission denied for database .* grant create on database "of_.*" to "maker_of_none_\d+"\. On a cluster of Citus/,
    )
  } finally {
    await ask(`drop database ${name} with (force)`)
  }
})

test('while the server refuses the login of a service that runs, requests hear 503 and may be repeated', async () => {
  await ask(`alter role ${LOGIN} login`)
  const service = await startService({ database: { ...database, url: as(LOGIN), drop: async () => {} } })
  try {
    const { keys } = await service.merchant()
    const { post } = service.client(keys.test)
    const key = { 'idempotency-key': 'while-refused' }
    assert.equal((await post('/v1/charges', CHARGE)).status, 201)
    await ask(`alter role ${LOGIN} nologin`)
    await ask(`select pg_terminate_backend(pid) from pg_stat_activity where usename = '${LOGIN}'`)
    for (const _ of [1, 2]) {
      const refused = await post('/v1/charges', CHARGE, key)
      assert.equal(refused.status, 503, JSON.stringify(refused.body))
      assert.ok(Number(refused.headers.get('retry-after')) > 0)
    }
    await ask(`alter role ${LOGIN} login`)
    await eventually('it is taken again', async () => (await post('/v1/charges', CHARGE, key)).status === 201)
  } finally {
    await service.close()
  }
})
