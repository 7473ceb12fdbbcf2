import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import pg from 'pg'
import { joinEmbeddedPostgres } from '../../src/platform/embedded-postgres.ts'
import { sumCounter } from '../../src/platform/log/measures.ts'
import { askOnce } from '../helpers/database/ask-once.ts'
import { childrenOf, HAS_STANDBYS, signal, startPair, switchingAddress } from '../helpers/database/own-postgres.ts'
import { eventually } from '../helpers/service/live-service.ts'
import { CHARGE, startService, type TestService } from '../helpers/service/test-service.ts'

const MANY = 12
const headersOf = (name: string, many = MANY) =>
  Array.from({ length: many }, (_, nth) => ({ 'idempotency-key': `${name}-${nth}` }))

/** Sends a charge under each of these keys. Answers the statuses. */
async function sendAll(service: TestService, key: string, headers: readonly Record<string, string>[]) {
  const { post } = service.client(key)
  const answers = await Promise.all(headers.map((own) => post('/v1/charges', CHARGE, own)))
  return answers.map(({ status }) => status)
}

const countAt = async (url: string, sql: string) => Number((await askOnce(url, sql))[0]?.count)
const isReady = async ({ url }: TestService) => (await fetch(`${url}/readyz`)).status === 200

test('a server whose processes stand still is waited for, and every charge exists once when it wakes', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'frozen-'))
  const server = await joinEmbeddedPostgres({ dataDir: join(folder, 'data'), say: () => {} })
  const admin = new pg.Client({ connectionString: server.url('postgres') })
  await admin.connect()
  await admin.query('create database frozen')
  const database = { url: server.url('frozen'), name: 'frozen', drop: async () => {} }
  const service = await startService({ database })
  let frozen: number[] = []
  try {
    const { keys } = await service.merchant()
    assert.deepEqual(new Set(await sendAll(service, keys.test, headersOf('before'))), new Set([201]))
    frozen = [server.pid, ...childrenOf(server.pid)]
    signal(frozen, 'SIGSTOP')
    const cut = headersOf('cut')
    for (const status of await sendAll(service, keys.test, cut)) assert.ok(status === 201 || status === 503)
    assert.equal(await isReady(service), false)
    signal(frozen, 'SIGCONT')
    await eventually('it is ready again', () => isReady(service))
    assert.deepEqual(new Set(await sendAll(service, keys.test, cut)), new Set([201]))
    assert.equal((await service.rows('select 1 from charges')).length, 2 * MANY)
  } finally {
    signal(frozen, 'SIGCONT')
    await service.close()
    await admin.end()
    await server.leave()
    rmSync(folder, { recursive: true, force: true })
  }
})

test('a standby that answers at the address of a frozen server is used at once, and nothing is written to the old one when it wakes', async (t) => {
  if (!HAS_STANDBYS) return t.skip('PostgreSQL 15 is not installed in /usr/lib/postgresql')
  const pair = await startPair()
  const { primary, standby } = pair.ports
  const address = await switchingAddress(primary)
  const admin = new pg.Client({ connectionString: pair.urlOf(primary, 'postgres') })
  await admin.connect()
  await admin.query('create database gateway')
  await admin.end()
  const database = { url: pair.urlOf(address.port, 'gateway'), name: 'gateway', drop: async () => {} }
  const service = await startService({ database })
  let host = { wake: () => {} }
  try {
    const { keys } = await service.merchant()
    const before = await sendAll(service, keys.test, headersOf('before'))
    assert.deepEqual(new Set(before), new Set([201]))
    const ended = sumCounter('db_silent_connections_total')
    host = pair.freezePrimary()
    const cut = headersOf('cut')
    for (const status of await sendAll(service, keys.test, cut)) assert.ok(status === 201 || status === 503)
    // The operator's tools take longer than this to find that a host is gone.
    await eventually('a silent connection is ended', async () => {
      await isReady(service)
      return sumCounter('db_silent_connections_total') > ended
    })
    pair.promote()
    address.leadTo(standby)
    const since = performance.now()
    await eventually('it is ready again', () => isReady(service))
    t.diagnostic(`ready ${Math.round(performance.now() - since)} ms after the standby answered`)
    assert.deepEqual(new Set(await sendAll(service, keys.test, cut)), new Set([201]))
    const own = 'select count(*) from cell_0.charges'
    assert.equal(await countAt(pair.urlOf(standby, 'gateway'), own), 2 * MANY)

    host.wake()
    await eventually('the old server answers', () =>
      countAt(pair.urlOf(primary, 'gateway'), own).then(
        () => true,
        () => false,
      ),
    )
    assert.deepEqual(new Set(await sendAll(service, keys.test, headersOf('after'))), new Set([201]))
    const after = `select count(*) from cell_0.idempotency_keys where key like 'after-%'`
    assert.equal(await countAt(pair.urlOf(primary, 'gateway'), after), 0)
    assert.equal(await countAt(pair.urlOf(standby, 'gateway'), own), 3 * MANY)
  } finally {
    host.wake()
    await service.close()
    await address.close()
    pair.end()
  }
})
