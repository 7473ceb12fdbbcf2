import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type pg from 'pg'
import { copyOf, type TestDatabase, testDatabase } from '../../../test/helpers/database/test-database.ts'
import { FORBIDDEN_USE_MOVES } from '../../../test/operations/verify/broken/cards.ts'
import { WHOLE_MOVEMENTS_OUT } from '../../../test/operations/verify/broken/payout.ts'
import { WHOLE_SUCCESS } from '../../../test/operations/verify/broken/success.ts'
import { BROKEN_STATEMENTS, REFUSALS_OF_RECORD } from '../../../test/operations/verify/broken-statements.ts'
import { forbiddenMoves } from '../../../test/operations/verify/forbidden-moves.ts'
import { CHARGE, DIRECT, NOW, SCHEDULE } from '../../../test/operations/verify/names.ts'
import { FAULTS_HERE, PLANTED_FAULTS, WITHOUT_CONSTRAINTS } from '../../../test/operations/verify/planted-faults.ts'
import { connect, onOneServer, rolledBack, withoutChecks } from '../../../test/operations/verify/rolled-back.ts'
import { buildWorld } from '../../../test/operations/verify/world.ts'
import { CHARGE_MOVES } from '../../payments/charges/charge.ts'
import { PAYOUT_MOVES } from '../../payments/payouts/payout.ts'
import { PREPARED_MOVES } from '../../payments/payouts/prepared/prepared-payout.ts'
import { SCHEDULE_MOVES } from '../../payments/scheduled-payouts/schedule.ts'
import { TOP_UP_MOVES } from '../../payments/top-ups/top-up.ts'
import { type Database, openDatabase } from '../../platform/db/database.ts'
import { CLAIM_MOVES, type ClaimState } from '../../selling/vending/dispensing/claim.ts'
import { VENDING_MOVES } from '../../selling/vending/orders/order.ts'
import { APPROVAL_MOVES } from '../approvals/approval.ts'
import { readLedgerDigest, readMoneyDigest } from './digest.ts'
import { INVARIANTS } from './invariants/invariants.ts'
import { formatVerifyReport, verifyCell, verifySnapshot } from './verify.ts'

const inWorld = onOneServer(() => world)
const inUnguarded = onOneServer(() => unguarded)
// What they find belongs to no merchant.
const OF_NOBODY = ['L7', 'M1', 'TR1', 'DE3', 'AC2']
const CLAIM_STATES = Object.keys(CLAIM_MOVES) as ClaimState[]

// An empty cell, the filled one as it is, and the filled one without constraints.
const databases: TestDatabase[] = []
let emptyUrl: string
let worldUrl: string
let world: pg.Client
let unguarded: pg.Client

before(async () => {
  for (let made = 0; made < 2; made += 1) databases.push(await testDatabase())
  const [empty, filled] = databases as [TestDatabase, TestDatabase]
  emptyUrl = empty.url
  worldUrl = filled.url
  await withDatabase(worldUrl, buildWorld)
  const alike = process.env.TEST_CITUS_URL ? await testDatabase() : await copyOf(filled)
  databases.push(alike)
  if (process.env.TEST_CITUS_URL) await withDatabase(alike.url, buildWorld)
  world = await connect(worldUrl)
  unguarded = await connect(alike.url)
  await unguarded.query(WITHOUT_CONSTRAINTS)
})

after(async () => {
  await world?.end()
  await unguarded?.end()
  for (const database of databases) await database.drop()
})

test('every invariant holds in an empty cell, and the report has a line for each', async () => {
  const findings = await withDatabase(emptyUrl, (db) => verifyCell(db, NOW))
  assert.deepEqual(brokenIds(findings), [])
  const lines = formatVerifyReport(findings).split('\n')
  assert.deepEqual(
    lines.map((line) => line.split(' ')[0]),
    [...INVARIANTS.map(({ id }) => id), 'everything'],
  )
})

test("every invariant holds over the product's own rows, and each has looked at some of them", async () => {
  const findings = await withDatabase(worldUrl, (db) => verifyCell(db, NOW))
  assert.equal(brokenIds(findings).join(), '', formatVerifyReport(findings))
  assert.deepEqual(
    findings.filter(({ looked }) => looked === 0).map(({ id }) => id),
    [],
  )
})

test("the service's own role may read everything that is verified", async () => {
  const findings = await withDatabase(worldUrl, (db) => verifyCell(db, NOW), 'gateway_app')
  assert.deepEqual(brokenIds(findings), [])
})

inUnguarded('a finding has all of its offenders, and the report names the first ten', async () => {
  await unguarded.query(`set local session_replication_role = replica; update charges set fee = fee + 1`)
  const findings = await verifySnapshot(unguarded, NOW)
  const c3 = findings.find(({ id }) => id === 'C3')
  assert.deepEqual([c3?.violations, c3?.offenders.length], [49, 49])
  const line = formatVerifyReport(findings)
    .split('\n')
    .find((one) => one.startsWith('C3'))
  assert.match(line ?? '', /BROKEN.*84 rows, 49 violations, \d+ ms\): txn_.*, \.\.\.$/)
})

inUnguarded('a cycle that was paid by a clock that was ahead makes no later one the wrong last run', async () => {
  const cycles = `from payouts where schedule_id = '${SCHEDULE.daily}'`
  await unguarded.query(`set local session_replication_role = replica;
      update payouts set created_at = (select max(created_at) + interval '1 hour' ${cycles})
      where schedule_id = '${SCHEDULE.daily}' and cycle_at = (select min(cycle_at) ${cycles})`)
  const { rows } = await unguarded.query(`select count(distinct cycle_at) as cycles ${cycles}`)
  assert.ok(Number(rows[0].cycles) > 1)
  const own = INVARIANTS.filter(({ id }) => id === 'S2')
  assert.deepEqual(brokenIds(await verifySnapshot(unguarded, NOW, own)), [])
})

test('exactly the invariants have planted faults', () => {
  const planted = [...new Set(PLANTED_FAULTS.map(({ id }) => id))]
  assert.deepEqual(planted.sort(), INVARIANTS.map(({ id }) => id).sort())
})

for (const { id, fault, sql, names } of FAULTS_HERE)
  test(`${id} finds ${fault}`, () =>
    rolledBack(unguarded, async () => {
      await unguarded.query('set local session_replication_role = replica')
      await unguarded.query(sql)
      const own = INVARIANTS.filter((invariant) => invariant.id === id)
      const [finding] = await verifySnapshot(unguarded, NOW, own)
      const named = finding?.offenders.map(({ offender }) => offender) ?? []
      const isNamed = named.some((name) => name === names || name.startsWith(`${names}: `))
      assert.ok(isNamed, `${id} looked at ${finding?.looked} rows and named ${named}`)
      assert.deepEqual(
        finding?.offenders.filter(({ merchantId, mode }) =>
          OF_NOBODY.includes(id) ? merchantId !== null || mode !== null : merchantId === null || mode === null,
        ),
        [],
      )
    }))

for (const [movement, sql] of [['a success', WHOLE_SUCCESS], ...WHOLE_MOVEMENTS_OUT] as const)
  inWorld(`${movement} with all its parts breaks nothing`, async () => {
    await world.query(sql)
    assert.deepEqual(brokenIds(await verifySnapshot(world, NOW)), [])
  })

for (const { statement, sql, refusedBy, caughtBy } of BROKEN_STATEMENTS)
  inWorld(`${statement}: ${refusedBy ? `refused by ${refusedBy}` : `caught by verify (${caughtBy})`}`, async () => {
    if (refusedBy) return assert.rejects(world.query(sql), { constraint: refusedBy })
    await world.query(sql)
    assert.deepEqual(brokenIds(await verifySnapshot(world, NOW)), caughtBy)
  })

for (const { statement, role, message } of REFUSALS_OF_RECORD)
  inWorld(`${statement} by ${role ?? 'the owner'}: refused`, async () => {
    if (role) await world.query(`set local role ${role}`)
    await assert.rejects(world.query(statement), { message })
  })

for (const [from, to] of forbiddenMoves(CHARGE_MOVES))
  inWorld(`a charge moved from ${from} to ${to}: refused by charges_move_forward`, async () => {
    await world.query(
      `update charges set status = 'refunded', refunded_at = completed_at, refund_id = 'pout_1' where id = '${CHARGE.aged}'`,
    )
    await withoutChecks(world, 'charges')
    const moved = world.query('update charges set status = $2 where status = $1', [from, to])
    await assert.rejects(moved, { message: new RegExp(`may not move from ${from} to ${to}`) })
  })

for (const [table, moves] of [
  ['payouts', PAYOUT_MOVES],
  ['top_ups', TOP_UP_MOVES],
  ['schedules', SCHEDULE_MOVES],
  ['prepared_payouts', PREPARED_MOVES],
  ['approvals', APPROVAL_MOVES],
] as const)
  for (const [from, to] of forbiddenMoves(moves))
    inWorld(`${table} moved from ${from} to ${to}: refused by ${table}_move_forward`, async () => {
      await withoutChecks(world, table)
      const moved = world.query(`update ${table} set status = $2 where status = $1`, [from, to])
      await assert.rejects(moved, { message: new RegExp(`may not move from ${from} to ${to}`) })
    })

for (const [from, to] of [...forbiddenMoves(VENDING_MOVES), ['dispensed', 'failed'] as const])
  inWorld(
    `${to === 'failed' ? 'a confirmed dispense' : `an order ${from}`} moved to ${to}: refused by vending_moves_forward`,
    async () => {
      await withoutChecks(world, 'vending_orders')
      const sql = `update vending_orders set vending_status = $2 where vending_status = $1 and (confirmed or $2 <> 'failed')`
      await assert.rejects(world.query(sql, [from, to]), {
        message: 'vending_orders is append-only: update is refused',
      })
    },
  )

for (const from of CLAIM_STATES)
  for (const to of CLAIM_STATES.filter((claimState) => claimState !== from))
    inWorld(
      `a dispense claim moved from ${from} to ${to}: ${to in CLAIM_MOVES[from] ? 'done' : 'refused by claims_move_forward'}`,
      async () => {
        const move = `update dispense_claims set state = $2, released_at = case $2 when 'released' then claimed_at end,
          commanded_at = case when $2 <> 'claimed' then claimed_at end where id = $1`
        await world.query('set local session_replication_role = replica')
        await world.query(move, [DIRECT.open, from])
        await world.query('set local session_replication_role = origin')
        await withoutChecks(world, 'dispense_claims')
        const moved = world.query(move, [DIRECT.open, to])
        if (to in CLAIM_MOVES[from]) assert.equal((await moved).rowCount, 1)
        else await assert.rejects(moved, { message: new RegExp(`may not move from ${from} to ${to}`) })
      },
    )

for (const [charge, to] of FORBIDDEN_USE_MOVES)
  inWorld(`the gift card use of ${charge} moved to ${to}: refused by card_uses_move_forward`, async () => {
    await withoutChecks(world, 'gift_card_uses')
    const moved = world.query(
      `update gift_card_uses set state = $2, ended_at = case when $2 <> 'reserved' then created_at end where charge_id = $1`,
      [charge, to],
    )
    await assert.rejects(moved, { message: 'gift_card_uses is append-only: update is refused' })
  })

inWorld('the digest of the ledger changes with any of its rows and with nothing else', async () => {
  const [ledger, money] = [await readLedgerDigest(world), await readMoneyDigest(world)]
  await verifySnapshot(world, NOW)
  assert.deepEqual([await readLedgerDigest(world), await readMoneyDigest(world)], [ledger, money])
  await world.query('update charges set reference = $1 where id = $2', ['changed', CHARGE.held])
  assert.equal(await readLedgerDigest(world), ledger)
  const changed = await readMoneyDigest(world)
  assert.notEqual(changed, money)
  await world.query(
    `insert into events (merchant_id, id, mode, type, subject, body, created_at) values (1, 'evt_1', 'test', 'test.ping', 'x', '', $1)`,
    [NOW],
  )
  assert.notEqual(await readLedgerDigest(world), ledger)
  assert.notEqual(await readMoneyDigest(world), changed)
})

const brokenIds = (findings: readonly { id: string; violations: number }[]) =>
  findings.filter(({ violations }) => violations > 0).map(({ id }) => id)

async function withDatabase<T>(
  url: string,
  work: (db: Database) => Promise<T>,
  role: string | null = null,
): Promise<T> {
  const place = { connectionString: url, schema: 'cell_0', role, patient: true }
  const db = openDatabase({
    ...place,
    connections: 2,
    singleConnections: 2,
    // A crowded machine takes seconds for a commit of the world.
    statementTimeoutMs: 60_000,
    applicationName: 'verify.test',
  })
  try {
    return await work(db)
  } finally {
    await db.close()
  }
}
