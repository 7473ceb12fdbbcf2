import assert from 'node:assert/strict'
import test from 'node:test'
import type pg from 'pg'
import { checkInternal } from '../../../src/operations/reconciliation/internal.ts'
import { INVARIANTS } from '../../../src/operations/verify/invariants/invariants.ts'
import { verifyCell } from '../../../src/operations/verify/verify.ts'
import { type Database, openDatabase } from '../../../src/platform/db/database.ts'
import type { App } from '../../../src/program/app.ts'
import { testDatabase } from '../../helpers/database/test-database.ts'
import { opened, prepare } from '../../helpers/service/opened.ts'
import { APPROVAL, BATCH, CARD, NOW, PREPARED, SCHEDULE, SUBACCOUNT, TOP_UP } from './names.ts'
import { PLANTED_FAULTS, WITHOUT_CONSTRAINTS } from './planted-faults.ts'
import { connect } from './rolled-back.ts'
import { buildWorld } from './world.ts'

// A breach pauses the account of the row that breaks the books, whatever the row is called (G69, ledger.md 13).
const database = opened(async () => {
  const one = await testDatabase()
  return { ...one, close: one.drop }
})
const place = (schema: string): Database =>
  openDatabase({
    ...{ connectionString: database.url, schema, role: null, connections: 2, singleConnections: 2 },
    ...{ statementTimeoutMs: 30_000, applicationName: 'breaches.test' },
  })
const db = opened(async () => place('cell_0'))
const directory = opened(async () => place('directory'))
const planting = opened(async () => {
  const client = await connect(database.url)
  return { query: client.query.bind(client) as pg.Client['query'], close: () => client.end() }
})
prepare(async () => {
  await buildWorld(db)
  await planting.query(
    `${WITHOUT_CONSTRAINTS}; create unique index on exceptions (merchant_id, subject, kind) where closed_at is null`,
  )
})
const lines: string[] = []
const clock = { now: () => NOW, nowMs: () => NOW.getTime() }
const log = { error: (_: object, line: string) => lines.push(line) }
const reconcile = () => checkInternal({ db, directory, clock, log } as unknown as App)
const plant = (sql: string) => planting.query(`set session_replication_role = replica; ${sql}`)
const breaches = async () =>
  (
    await planting.query<{ merchant_id: number; mode: string; subject: string; paused: boolean }>(
      `select e.merchant_id, e.mode, e.subject, h.payouts_paused_by is not null as paused
       from exceptions e join ledger_heads h using (merchant_id, mode)
       where e.kind = 'ledger_breach' and e.closed_at is null order by e.opened_at, e.id`,
    )
  ).rows

test('work that is late is told by an alert and pauses nobody', async () => {
  const late = INVARIANTS.flatMap((invariant) => (invariant.late ? invariant.id : []))
  for (const wanted of late) {
    const sql = PLANTED_FAULTS.find(({ id }) => id === wanted)?.sql ?? ''
    // A delivery that is given another name would break its event as well.
    await plant(sql.replace(/(, )?event_id = 'evt_\w+'(, )?/, ''))
  }
  const findings = (await verifyCell(db, NOW)).filter(({ violations }) => violations > 0)
  assert.deepEqual(
    findings.map(({ id }) => id),
    late,
  )
  const ahead = ['TI1', 'TI2', 'TI3', 'TI4', 'TI5', 'TI6']
  assert.deepEqual(late, ['VE4', 'K1', 'AK1', 'EV5', ...ahead, 'OV1', 'OV2', 'OV3', 'OV4'])
  const leg = await reconcile()
  assert.deepEqual([leg.opened, leg.left, leg.lookedAt - leg.agreed], [0, 0, 0])
  assert.deepEqual(await breaches(), [])
})

test('settlements, calls, schedules, preparations, approvals, subaccounts and cards pause the account that they belong to', async () => {
  const settlement = (
    await planting.query(
      `select id, merchant_id, mode from settlements where merchant_id = 1 and mode = 'live' limit 1`,
    )
  ).rows[0]
  await plant(`update settlements set charge_count = charge_count + 1 where id = '${settlement.id}';
    update bulk_batches set accepted = accepted - 1 where id = '${BATCH.first}';
    update schedules set failure_reason = 'x' where id = '${SCHEDULE.live}';
    update prepared_payouts set decided_by = made_by where id = '${PREPARED.approved}';
    update approvals set decided_by = asked_by where id = '${APPROVAL.approved}';
    update subaccount_heads set pending = pending + 5 where mode = 'test' and subaccount_id = '${SUBACCOUNT.shop}';
    update gift_cards set balance = balance + 1 where id = '${CARD.waiting}'`)
  await reconcile()
  const found = await breaches()
  const paused = [
    { merchant_id: 1, mode: 'live', subject: `SE2 ${settlement.id}` },
    { merchant_id: 3, mode: 'test', subject: `B1 ${BATCH.first}` },
    { merchant_id: 3, mode: 'live', subject: `SC5 ${SCHEDULE.live}` },
    { merchant_id: 3, mode: 'live', subject: `PP1 ${PREPARED.approved}` },
    { merchant_id: 3, mode: 'live', subject: `AP1 ${APPROVAL.approved}` },
    { merchant_id: 3, mode: 'test', subject: `SP2 ${SUBACCOUNT.shop} test: 5` },
    { merchant_id: 1, mode: 'live', subject: `G1 ${CARD.waiting}` },
  ]
  for (const one of paused)
    assert.deepEqual(
      found.find(({ subject }) => subject === one.subject),
      { ...one, paused: true },
    )
  const platform = await directory.pool.query('select subject from platform_exceptions where closed_at is null')
  assert.deepEqual(platform.rows, [])
})

test('of thousands of offenders a thousand are reported, no account is left out, and the rest are counted', async () => {
  const before = (await breaches()).length
  await plant(`insert into top_ups select (jsonb_populate_record(one, jsonb_build_object('id', 'top_' || n))).*
      from top_ups one cross join generate_series(1, 1500) n where one.id = '${TOP_UP.failed}';
    insert into top_ups select (jsonb_populate_record(one, '{"id": "top_z", "merchant_id": 2}')).* from top_ups one where id = 'top_1'`)
  const leg = await reconcile()
  const found = await breaches()
  assert.equal(leg.opened, 1000 - before)
  assert.ok(leg.left >= 500, `${leg.left} are left`)
  assert.equal(found.length, 1000)
  assert.ok(found.some(({ merchant_id, mode, paused }) => merchant_id === 2 && mode === 'live' && paused))
  assert.ok(lines.every((line) => line.startsWith('the books are broken: ')))
})
