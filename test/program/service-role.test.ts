import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before } from 'node:test'
import pg from 'pg'
import { pino } from 'pino'
import { findGuardFaults } from '../../src/platform/db/ledger-guard.ts'
import { migrate } from '../../src/platform/db/migrate.ts'
import { openGateway } from '../../src/program/open-gateway.ts'
import { readConfig } from '../../src/program/settings/config.ts'
import { type TestDatabase, testDatabase } from '../helpers/database/test-database.ts'
import { oneJson, runInside } from '../helpers/service/command-line.ts'
import { longTest, test } from '../helpers/service/parts.ts'
import { startService } from '../helpers/service/test-service.ts'

const MASTER_KEY = Buffer.alloc(32, 7).toString('base64')
const OWN = `${process.pid}`
const SERVICE = `service_${OWN}`
const OWNER = `owner_${OWN}`
const APART = `apart_${OWN}`
const MAKER = `maker_${OWN}`

let database: TestDatabase
before(async () => {
  database = await testDatabase()
  await asAdmin(`create role ${SERVICE} login`)
  for (const login of [OWNER, APART]) await asAdmin(`create role ${login} login`)
  await asAdmin(`create role ${MAKER} login createrole`)
  for (const owner of [OWNER, MAKER]) await asAdmin(`create database of_${owner} owner ${owner}`)
})
after(async () => {
  for (const owner of [OWNER, MAKER]) await asAdmin(`drop database of_${owner} with (force)`)
  const own = new pg.Client({ connectionString: database.url })
  await own.connect()
  await own.query(`drop owned by ${SERVICE}`)
  await own.end()
  for (const role of [SERVICE, APART, OWNER, MAKER]) await asAdmin(`drop role ${role}`)
  await database.drop()
})

/** The same server with another database or user. */
function address({ name = database.name, user }: { name?: string; user?: string }): string {
  const url = new URL(database.url)
  url.pathname = `/${name}`
  if (user !== undefined) url.searchParams.set('user', user)
  return url.href
}

async function asAdmin(sql: string, name = 'postgres'): Promise<void> {
  const client = new pg.Client({ connectionString: address({ name }) })
  await client.connect()
  await client.query(sql).finally(() => client.end())
}

async function production(settings: Record<string, string>, code: number): Promise<string> {
  const env = {
    MASTER_KEY,
    NODE_ENV: 'production',
    TRUSTED_PROXIES: '1',
    BASE_URL: 'https://pay.shops.invalid',
    ...settings,
  }
  const { findings } = oneJson(await runInside(['doctor', '--json'], env), code)
  return findings.map((finding: { level: string; says: string }) => `${finding.level} ${finding.says}`).join('\n')
}

const LEDGER = /the service signs in as|the service works as the role|the triggers that keep/

test('D7: production refuses a database user that may not make roles: nothing would keep it from changing the ledger', async () => {
  const url = address({ name: `of_${OWNER}`, user: OWNER })
  const { role } = await migrate(url)
  assert.equal(role, null)
  const says = await production({ DATABASE_URL: url }, 1)
  assert.match(says, new RegExp(`^refused the service signs in as ${OWNER}, which owns cell_0`, 'm'))
  assert.match(says, /^refused the service works as the role owner_\d+, which can change (?:\S+, )*cell_0\.audit, /m)
})

test('D7: an owner that may not make roles is told once what an administrator has to run, and then gives the rights', async () => {
  const name = `of_${OWNER}`
  const env = {
    DATABASE_URL: address({ name, user: APART }),
    MIGRATE_DATABASE_URL: address({ name, user: OWNER }),
    MASTER_KEY,
  }
  for (let time = 0; time < 2; time += 1) {
    const ran = await runInside(['migrate'], env)
    assert.equal(ran.code, 1, ran.stdout)
    assert.match(ran.stderr, new RegExp(`${OWNER} may not create roles, so ${APART} cannot work with it`))
    assert.match(
      ran.stderr,
      /create role gateway_app nologin; grant gateway_app to "owner_\d+" with admin option\. Then run/,
    )
    assert.doesNotMatch(ran.stderr, /^\s+at /m)
  }
  await asAdmin(`grant gateway_app to "${OWNER}" with admin option`)
  const ran = await runInside(['migrate'], env)
  assert.deepEqual([ran.code, ran.stdout], [0, 'gave the role gateway_app its rights\n'], ran.stderr)
  assert.equal((await runInside(['migrate'], env)).stdout, 'nothing to do\n')
  await asAdmin(`revoke gateway_app from "${APART}"; revoke gateway_app from "${OWNER}" cascade`)
})

test('D7: an owner that may make roles gets a usable one, and is refused for what it owns', async () => {
  const url = address({ name: `of_${MAKER}`, user: MAKER })
  await asAdmin(`grant gateway_app to ${MAKER} with admin option`)
  assert.equal((await migrate(url)).role, 'gateway_app')
  const says = await production({ DATABASE_URL: url }, 1)
  assert.match(says, new RegExp(`^refused the service signs in as ${MAKER}, which owns `, 'm'))
  assert.doesNotMatch(says, /can change/)
})

test('D7: a superuser is refused, and a service cannot start in production with one', async () => {
  assert.match(
    await production({ DATABASE_URL: database.url }, 1),
    /^refused the service signs in as the superuser postgres/m,
  )
  await assert.rejects(
    startService({
      database,
      env: {
        NODE_ENV: 'production',
        TEST_HOOKS: '',
        TRUSTED_PROXIES: '1',
        BASE_URL: 'https://pay.shops.invalid',
      },
    }),
    /the service signs in as the superuser postgres/,
  )
})

test('D7: with MIGRATE_DATABASE_URL the service signs in as a login that owns nothing and cannot touch the guard', async (t) => {
  const url = address({ user: SERVICE })
  const service = await startService({
    database,
    env: { DATABASE_URL: url, MIGRATE_DATABASE_URL: database.url },
  })
  t.after(() => service.close())
  const client = service.client((await service.merchant()).keys.test)
  assert.equal((await client.charge()).status, 201)
  const who = await service.app.db.snapshot((own) => own.query('select session_user, current_user'))
  assert.deepEqual(who.rows, [{ session_user: SERVICE, current_user: 'gateway_app' }])
  const own = new pg.Client({ connectionString: url, options: '-c search_path=cell_0,directory' })
  await own.connect()
  t.after(() => own.end())
  for (const forbidden of [
    'alter table transfers disable trigger all',
    'update transfers set amount = 1',
    'delete from events',
    'truncate audit',
    'update migration_checksums set checksum = $$x$$',
    'set role postgres',
    'create table mine (n int)',
  ])
    await assert.rejects(own.query(forbidden), /permission denied|must be owner/, forbidden)
  assert.doesNotMatch(await production({ DATABASE_URL: url, MIGRATE_DATABASE_URL: database.url }, 1), LEDGER)
})

test('D7: without MIGRATE_DATABASE_URL such a login works on a schema that is up to date, and is told when it is not', async () => {
  const url = address({ user: SERVICE })
  const env = { DATABASE_URL: url, MASTER_KEY }
  assert.deepEqual(oneJson(await runInside(['migrate', '--json'], env)), {
    applied: [],
    granted: false,
    cells: ['cell_0'],
    role: 'gateway_app',
    unreached: [],
  })
  const last = `(select max(name) from cell_0.migration_checksums)`
  await asAdmin(
    `create table kept as select * from cell_0.migration_checksums where name = ${last};
     delete from cell_0.migration_checksums where name = ${last}`,
    database.name,
  )
  const ran = await runInside(['merchants', 'list'], env)
  await asAdmin('insert into cell_0.migration_checksums table kept; drop table kept', database.name)
  assert.equal(ran.code, 1)
  assert.match(ran.stderr, /^the schema cell_0 lacks migration \d{4}_\w+\.sql, and the database user service_/)
  assert.equal(ran.stderr.trim().split('\n').length, 1, 'a sentence, no stack')
})

test('D7: production refuses a trigger of the ledger that somebody switched off', async () => {
  const urls = { DATABASE_URL: address({ user: SERVICE }), MIGRATE_DATABASE_URL: database.url }
  await asAdmin('alter table cell_0.transfers disable trigger transfers_never_change', database.name)
  const says = await production(urls, 1)
  await asAdmin('alter table cell_0.transfers enable trigger transfers_never_change', database.name)
  assert.match(says, /^refused the triggers that keep cell_0\.transfers append-only are missing/m)
  assert.doesNotMatch(await production(urls, 1), LEDGER)
})

longTest('D7: on the embedded database the service signs in as a login that owns nothing', async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'service-role-'))
  const config = readConfig({ DATA_DIR: dataDir })
  const opened = await openGateway({ config, log: pino({ level: 'silent' }), say: () => {} })
  t.after(async () => {
    await opened.close()
    rmSync(dataDir, { recursive: true, force: true })
  })
  const { directory, cells } = opened.gateway
  const who = await directory.snapshot((own) => own.query('select session_user, current_user'))
  assert.deepEqual(who.rows, [{ session_user: 'gateway_service', current_user: 'gateway_app' }])
  assert.deepEqual(await findGuardFaults(directory, ['directory', ...cells.map(({ cell }) => cell)]), [])
})
