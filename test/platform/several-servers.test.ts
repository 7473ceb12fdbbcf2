import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { askOnce } from '../helpers/database/ask-once.ts'
import { HAS_STANDBYS, type Pair, startPair } from '../helpers/database/own-postgres.ts'
import { runInside } from '../helpers/service/command-line.ts'
import { eventually } from '../helpers/service/live-service.ts'
import { CHARGE, startService, type TestService } from '../helpers/service/test-service.ts'

const MASTER_KEY = Buffer.alloc(32, 7).toString('base64')
const skip = HAS_STANDBYS ? false : 'PostgreSQL 15 is not installed in /usr/lib/postgresql'

let pair: Pair
let url: string
let service: TestService
before(async () => {
  if (skip) return
  pair = await startPair()
  await ask(pair.ports.primary, 'create database gateway', 'postgres')
  url = severalAt(pair.ports.standby, pair.ports.primary)
  service = await startService({ database: { url, name: 'gateway', drop: async () => {} } })
})
after(async () => {
  await service?.close()
  pair?.end()
})

const severalAt = (...ports: number[]) =>
  `postgresql://postgres@${ports.map((port) => `127.0.0.1:${port}`).join(',')}/gateway?target_session_attrs=read-write`

const ask = (port: number, text: string, database = 'gateway') => askOnce(pair.urlOf(port, database), text)
const isReady = async () => (await fetch(`${service.url}/readyz`)).status === 200
const command = (...words: string[]) => runInside(words, { DATABASE_URL: url, MASTER_KEY })

test('the service and every command find the server that takes writes, wherever it stands in the list', {
  skip,
}, async () => {
  const { keys } = await service.merchant()
  assert.equal((await service.client(keys.test).charge()).status, 201)
  const ran = await command('merchants', 'list', '--json')
  assert.equal(ran.code, 0, ran.stderr)
  const { stdout } = await command('doctor')
  assert.match(stdout, /promise {2}what was acknowledged is on the disk of a synchronous standby too/)
  assert.match(stdout, /not promised: that this stays so without a standby/)
})

test('where no server takes writes a command says what each one said', { skip }, async () => {
  const alone = { DATABASE_URL: severalAt(pair.ports.standby, 1), MASTER_KEY }
  const ran = await runInside(['merchants', 'list'], alone)
  assert.equal(ran.code, 1)
  assert.match(
    ran.stderr,
    /no server takes writes now \(127\.0\.0\.1:\d+ says: it takes no writes: it is a standby.*127\.0\.0\.1:1 says: .*ECONNREFUSED/,
  )
  assert.doesNotMatch(ran.stderr, /^\s+at /m)
})

test('a server that is fenced is left at once, and used again when it takes writes', { skip }, async () => {
  const { keys } = await service.merchant()
  const { post, charge } = service.client(keys.test)
  const key = { 'idempotency-key': 'while-fenced' }
  await ask(pair.ports.primary, `alter system set default_transaction_read_only = on`)
  await ask(pair.ports.primary, 'select pg_reload_conf()')
  await eventually('a payment is refused', async () => (await charge()).status === 503)
  const refused = await post('/v1/charges', CHARGE, key)
  assert.equal(refused.status, 503)
  assert.ok(Number(refused.headers.get('retry-after')) > 0)
  await eventually('no connection is left', async () => {
    await isReady()
    const [row] = await ask(
      pair.ports.primary,
      `select count(*) from pg_stat_activity where application_name = 'gateway'`,
    )
    return Number(row.count) <= 1
  })
  await ask(pair.ports.primary, 'alter system reset default_transaction_read_only')
  await ask(pair.ports.primary, 'select pg_reload_conf()')
  await eventually('it is ready again', isReady)
  assert.equal((await post('/v1/charges', CHARGE, key)).status, 201)
})

test('a commit whose wait for the standby somebody ended is not acknowledged before the standby has it', {
  skip,
}, async () => {
  const { keys } = await service.merchant()
  const { post } = service.client(keys.test)
  const key = { 'idempotency-key': 'unreplicated' }
  const standby = pair.freezeStandby()
  try {
    const first = post('/v1/charges', CHARGE, key)
    const waiting = `select pid from pg_stat_activity where wait_event = 'SyncRep'`
    await eventually('the commit waits', async () => (await ask(pair.ports.primary, waiting)).length > 0)
    await ask(pair.ports.primary, `select pg_cancel_backend(pid) from (${waiting}) as waiting`)
    assert.equal((await first).status, 503)
  } finally {
    standby.wake()
  }
  await eventually('it is acknowledged', async () => (await post('/v1/charges', CHARGE, key)).status === 201)
})

test('the standby that was promoted is used within a moment, and the old server never again, though it takes writes', {
  skip,
}, async (t) => {
  const { keys } = await service.merchant()
  const { post } = service.client(keys.test)
  const host = pair.freezePrimary()
  try {
    const cut = await Promise.all(
      [1, 2, 3].map((nth) => post('/v1/charges', CHARGE, { 'idempotency-key': `cut-${nth}` })),
    )
    for (const { status } of cut) assert.ok(status === 201 || status === 503)
    pair.promote()
    const since = performance.now()
    await eventually('it is ready again', isReady)
    t.diagnostic(`ready ${Math.round(performance.now() - since)} ms after the standby was promoted`)
    for (const nth of [1, 2, 3])
      assert.equal((await post('/v1/charges', CHARGE, { 'idempotency-key': `cut-${nth}` })).status, 201)
  } finally {
    host.wake()
  }
  const ownOf = (port: number) => ask(port, `select count(*) from cell_0.idempotency_keys where key like 'woken-%'`)
  await eventually('the old server answers', () =>
    ask(pair.ports.primary, 'select 1').then(
      () => true,
      () => false,
    ),
  )
  // It would acknowledge by itself what it is given.
  await ask(pair.ports.primary, 'alter system reset synchronous_standby_names')
  await ask(pair.ports.primary, 'select pg_reload_conf()')
  // It loses all connections, as when it was started again, and looks for the server that takes writes: both say that they do.
  await ask(
    pair.ports.standby,
    `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'gateway'`,
  )
  await eventually('it is ready again', isReady)
  for (const nth of [1, 2, 3])
    await eventually('it is stored', async () => {
      const { status } = await post('/v1/charges', CHARGE, { 'idempotency-key': `woken-${nth}` })
      return status === 201
    })
  assert.equal(Number((await ownOf(pair.ports.standby))[0].count), 3)
  assert.equal(Number((await ownOf(pair.ports.primary))[0].count), 0)
})
