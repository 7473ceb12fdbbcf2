import assert from 'node:assert/strict'
import test, { after, beforeEach } from 'node:test'
import { newAuditSealer, readSealLagSeconds } from '../../../src/api/access/seal-audit.ts'
import { type AuditProof, verifyAudit } from '../../../src/api/access/verify-audit.ts'
import { freezePlatform } from '../../../src/merchants/account/payout-freeze.ts'
import { setWithdrawalNumber } from '../../../src/payments/withdrawals/withdrawal-number.ts'
import { connectToCell } from '../../helpers/database/cell-server.ts'
import { type Payer, payer } from '../../helpers/payments/schedules.ts'
import { BY_HAND } from '../../helpers/service/actors.ts'
import { oneJson, runInside } from '../../helpers/service/command-line.ts'
import { startService, type TestService } from '../../helpers/service/test-service.ts'

let service: TestService
let own: Payer
// Each test breaks a chain of its own.
beforeEach(async () => {
  await service?.close()
  service = await startService()
  own = await payer(service)
  await act()
  await service.run('seal-audit')
})
after(() => service.close())

let acts = 0
async function act(): Promise<number> {
  acts += 1
  const phone = `0772${String(acts).padStart(6, '0')}`
  await setWithdrawalNumber(service.app, BY_HAND, { merchantId: own.merchantId, phone })
  const [last] = await service.rows<{ id: number }>('select max(id)::float8 as id from audit')
  return last?.id ?? 0
}
const prove = (): Promise<AuditProof> => verifyAudit(service.app.db, service.clock.now())
const sealsOf = () =>
  service.rows<{ number: number; audit_id: number }>(
    'select number::int, audit_id::float8 from audit_seals order by number',
  )
/** Changes rows as an attacker with full rights on the database would: with the triggers switched off. */
async function asSuperuser(...statements: string[]): Promise<void> {
  const client = await connectToCell(service)
  await client.query('set session_replication_role = replica')
  for (const statement of statements) await client.query(statement)
  await client.end()
}
const verify = (...args: string[]) =>
  runInside(['audit', 'verify', ...args], {
    DATABASE_URL: service.database.url,
    MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
  })

test('OP3: a chain that nobody touched holds, in every cell and in the directory, and says its anchor', async () => {
  await freezePlatform(service.gateway, BY_HAND, 'storm')
  // As release 1.3.0 writes them.
  await service.rows(
    `insert into directory.audit (at, actor, action, merchant_id, details) values ($1, 'command line: root', 'keys rotate', 1, '{"kind":"test"}')`,
    [service.clock.now()],
  )
  await service.run('seal-audit')
  const { holds, places } = oneJson(await verify('--json'))
  assert.equal(holds, true)
  const [seals] = await service.rows<any>('select count(*)::int as n from directory.audit_seals')
  assert.deepEqual(
    places.map(({ place, anchor }: any) => [place, anchor.number]),
    [
      ['cell_0', (await sealsOf()).length],
      ['directory', seals.n],
    ],
  )
  assert.equal(seals.n, 3, 'the merchant, the freeze and the row of 1.3.0')
})

test('OP3: an edited row is named, and so is an edited seal', async () => {
  const id = await act()
  await act()
  await service.run('seal-audit')
  await asSuperuser(`update audit set after = '{"phone":"2567*****999"}' where id = ${id}`)
  const { code, stdout } = await verify()
  assert.equal(code, 1)
  assert.match(stdout, new RegExp(`^cell_0: audit row ${id} or its seal \\d+ was edited$`, 'm'))
  assert.match(stdout, /^directory: every row is as it was sealed/m)
  const alerts = () =>
    service.rows(`select 1 from alerts where kind = 'audit_broken' and subject = 'cell_0' and closed_at is null`)
  assert.equal((await alerts()).length, 1, 'somebody is told')
})

test('OP3: a missing row is named, sealed or not, and so is a missing seal', async () => {
  const sealed = await act()
  await service.run('seal-audit')
  const waiting = await act()
  await asSuperuser(`delete from audit where id = ${waiting}`)
  assert.equal((await prove()).broken, `audit row ${waiting} is missing`)
  const next = await act()
  await service.run('seal-audit')
  assert.equal((await sealsOf()).at(-1)?.audit_id, next, 'the others are sealed all the same')
  await asSuperuser(`delete from audit where id = ${sealed}`)
  assert.equal((await prove()).broken, `audit row ${sealed} is missing`)
  await asSuperuser('delete from audit_seals where number = 1')
  assert.equal((await prove()).broken, 'seal 1 is missing')
})

test('OP3: a row that was added past the service is named at once, one that waits only after a minute', async () => {
  const id = await act()
  assert.equal((await prove()).broken, null)
  const lag = await readSealLagSeconds(service.app.db, service.clock.nowMs() + 5000)
  assert.ok(lag >= 5 && lag < 60, `${lag} s`)
  service.pass(60_001)
  assert.equal((await prove()).broken, `audit row ${id} has waited for its seal for more than a minute`)
  await service.run('seal-audit')
  assert.deepEqual([(await prove()).broken, await readSealLagSeconds(service.app.db, service.clock.nowMs())], [null, 0])
  await asSuperuser(
    `insert into audit (at, actor_kind, actor, origin, action) values ('2026-01-01', 'command', 'nobody', '', 'key.rotate')`,
  )
  assert.equal((await prove()).broken, `audit row ${id + 1} was added without a seal`)
})

test('OP3: an anchor of the log finds a chain that was cut or made anew', async () => {
  const cut = await act()
  await service.run('seal-audit')
  const { places } = oneJson(await verify('--json'))
  const { number, hash } = places[0].anchor
  const kept = `cell_0:${number}:${hash}`
  assert.equal((await verify('--anchor', kept)).code, 0)
  await asSuperuser(`delete from audit where id = ${cut}`, `delete from audit_seals where audit_id = ${cut}`)
  assert.equal((await prove()).broken, null, 'nothing in the database shows it')
  assert.match((await verify('--anchor', kept)).stdout, new RegExp(`^cell_0: seal ${number} is missing$`, 'm'))
  await act()
  await service.run('seal-audit')
  assert.match((await verify('--anchor', kept)).stdout, /is not the one that was kept: the chain was made anew/)
  assert.equal((await verify('--anchor', 'cell_0:1')).code, 2)
  assert.equal((await verify('--anchor', `cell_7:1:${hash}`)).code, 2)
})

test('two processes that seal at once make one chain', async () => {
  const ids = []
  for (let nth = 0; nth < 20; nth += 1) ids.push(await act())
  const before = (await sealsOf()).length
  const sealers = Array.from({ length: 4 }, () => newAuditSealer(service.app))
  const sealed = await Promise.all(sealers.map((sealer) => sealer.runOnce()))
  assert.deepEqual(
    sealed.filter((count) => count > 0),
    [20],
    'one did it',
  )
  const seals = await sealsOf()
  assert.deepEqual(
    seals.slice(before).map(({ audit_id }) => audit_id),
    ids,
  )
  assert.deepEqual(
    seals.map(({ number }) => number),
    seals.map((_, index) => index + 1),
  )
  assert.equal((await prove()).broken, null)
})

test('a row that commits late is sealed late, whatever its id', async () => {
  const slow = await connectToCell(service)
  await slow.query('begin')
  const { rows } = await slow.query(
    `insert into audit (at, actor_kind, actor, origin, action) values ($1, 'command', 'slow', '', 'funds.add') returning id::float8`,
    [service.clock.now()],
  )
  const late = rows[0].id
  const early = await act()
  assert.ok(early > late)
  await service.run('seal-audit')
  assert.deepEqual((await sealsOf()).at(-1)?.audit_id, early)
  await slow.query('commit')
  await slow.end()
  await service.run('seal-audit')
  assert.deepEqual(
    (await sealsOf()).slice(-2).map(({ audit_id }) => audit_id),
    [early, late],
  )
  assert.equal((await prove()).broken, null)
})
