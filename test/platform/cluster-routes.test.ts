import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { verifyAudit } from '../../src/api/access/verify-audit.ts'
import { verifyCell } from '../../src/operations/verify/verify.ts'
import { findNodeRoleFaults } from '../../src/platform/db/ledger-guard.ts'
import { commandByCommand } from '../../src/platform/db/split-commands.ts'
import type { Statement } from '../../src/platform/db/statement.ts'
import { loadProductStatements } from '../helpers/database/product-statements.ts'
import { startService, type TestService } from '../helpers/service/test-service.ts'

// On a cluster whose coordinator TEST_CITUS_URL names. The tests of money run there too with it (scripts/cluster-tests.mjs).
const skip = process.env.TEST_CITUS_URL ? false : 'TEST_CITUS_URL names no cluster of Citus'

let service: TestService
let client: pg.Client

before(async () => {
  if (skip) return
  service = await startService()
  client = new pg.Client({ connectionString: service.database.url })
  await client.connect()
})

after(async () => {
  await client?.end()
  await service?.close()
})

test('the cluster runs every statement of the product', { skip }, async () => {
  const faults: string[] = []
  for (const statement of await loadProductStatements()) {
    if (statement.copies !== undefined) continue
    const refused = [await refusal(statement, 'cell_0'), await refusal(statement, 'directory')]
    faults.push(...refused.flatMap((why) => (why === null ? [] : `${statement.name}: ${why}`)))
  }
  assert.deepEqual(faults, [])
})

test('the test before finds a statement that the cluster refuses', { skip }, async () => {
  const text = `update merchants set name = coalesce(name, now()::text || $1)`
  assert.match((await refusal({ name: 'refused', text }, 'cell_0')) ?? '', /IMMUTABLE/)
})

test('every invariant is asked over the cell and the directory, and holds', { skip }, async () => {
  await service.merchant()
  const findings = await verifyCell(service.app.db, service.clock.now())
  assert.deepEqual(
    findings.filter(({ violations }) => violations > 0).map(({ id, offenders }) => [id, offenders]),
    [],
  )
  const looked = new Map(findings.map((finding) => [finding.id, finding.looked]))
  assert.ok(looked.get('AC3') === 4, 'the keys of the merchant were looked at, from whichever server')
})

test('doctor names a role as which the nodes may not speak to each other', { skip }, async () => {
  const role = `silent_${process.pid}`
  await client.query(`create role ${role} nologin`)
  try {
    assert.deepEqual(await findNodeRoleFaults(service.app.db, role), [
      `the role ${role} may not sign in, and the nodes of the cluster speak to each other as it: give it a password on the coordinator (alter role ${role} login password '...'), and that to ~postgres/.pgpass on each node`,
    ])
    assert.deepEqual(await findNodeRoleFaults(service.app.db), [])
  } finally {
    await client.query(`drop role ${role}`)
  }
})

test('rows of the audit wait for their seal wherever they are added, and are verified however they are numbered', {
  skip,
}, async () => {
  const { rows: nodes } = await client.query<{ host: string; port: number }>(
    'select nodename as host, nodeport as port from pg_dist_node order by nodeid',
  )
  for (const { host, port } of nodes) {
    const url = new URL(service.database.url)
    url.host = `${host}:${port}`
    const node = new pg.Client({ connectionString: url.href })
    await node.connect()
    for (const place of ['cell_0', 'directory'])
      await node.query(
        `insert into ${place}.audit (at, actor_kind, actor, origin, action) values ($1, 'command', 'test', '', 'funds.add')`,
        [service.clock.now()],
      )
    await node.end()
  }
  await service.run('seal-audit')
  for (const place of [service.app.db, service.app.directory])
    assert.equal((await verifyAudit(place, service.clock.now())).broken, null)
  const [unsealed] = await service.rows('select count(*)::int as n from audit_to_seal')
  assert.deepEqual(unsealed, { n: 0 })
})

test('a migration of several commands is applied to a distributed cell', { skip }, async () => {
  const file = `-- A table; its trigger; a column.
    create table later (merchant_id bigint not null, id bigint generated always as identity, says text, primary key (merchant_id, id));
    create function later_says() returns trigger language plpgsql set search_path from current as $$
    begin new.says := 'a;b'; return new; end $$;
    create trigger later_speaks before insert on later for each row execute function later_says();
    alter table charges add column later text;
    alter table charges add constraint charges_later_check check (later <> '');
    create index charges_later on charges (merchant_id, later) where later is not null;
    insert into later (merchant_id) values (1);`
  await client.query('set search_path = cell_0')
  await client.query('begin')
  await commandByCommand(client).query(file)
  assert.deepEqual((await client.query('select says from later')).rows, [{ says: 'a;b' }])
  const { rows } = await client.query(
    `select count(*)::int as n from pg_dist_partition where logicalrelid = 'later'::regclass`,
  )
  assert.deepEqual(rows, [{ n: 1 }], 'it lies with the cell')
  await client.query('rollback')
})

const VALUES: Readonly<Record<string, string>> = {
  ...{ int8: '1', int4: '5', int2: '1', numeric: '1', float4: '1', float8: '1', bool: 'true', name: 'x' },
  ...{
    timestamptz: '2026-01-01',
    date: '2026-01-01',
    interval: '1 s',
    bytea: `\\x${'00'.repeat(32)}`,
    jsonb: '{}',
    json: '{}',
  },
  ...{ mode: 'live', inet: '127.0.0.1' },
}
// Tried one after the other until one is what the statement expects of its texts.
const TEXTS = ['x', '{}', 'live', '2026-01-01', '1']
const WRONG_VALUE = /^22/
// By its words, because another server may report it.
const BROKEN_CONSTRAINT = /\bviolates\b/
// Its guard divides by zero where a row is not as expected.
const GUARD = '22012'

/** Why the cluster does not run this statement in this schema, with some values; null where it does, or where its tables are elsewhere. */
async function refusal(statement: Statement, schema: string): Promise<string | null> {
  await client.query(`set search_path = ${schema}`)
  const types = await readTypes(statement.text)
  if (types === null) return null
  let why: string | null = null
  for (const text of TEXTS) {
    const error = await run(
      statement,
      types.map((type) => sampleOf(type, text)),
    )
    if (error === null || BROKEN_CONSTRAINT.test(error.message) || error.code === GUARD) return null
    why = error.message
    if (!WRONG_VALUE.test(error.code ?? '')) break
  }
  return why
}

/** The types of its parameters; null where the schema has not its tables. */
async function readTypes(text: string): Promise<string[] | null> {
  try {
    await client.query(`prepare candidate as ${text}`)
  } catch {
    return null
  }
  const { rows } = await client.query<{ types: string[] }>(
    `select array(select t.typname::text from unnest(p.parameter_types) with ordinality as u (id, nth)
       join pg_type t on t.oid = u.id order by nth) as types from pg_prepared_statements p where name = 'candidate'`,
  )
  await client.query('deallocate candidate')
  return rows[0]?.types ?? []
}

function sampleOf(type: string, text: string): unknown {
  const value = (one: string) => (one === 'text' ? text : VALUES[one])
  return type.startsWith('_') ? [value(type.slice(1))] : value(type)
}

async function run({ text, plannedOnce }: Statement, values: unknown[]): Promise<pg.DatabaseError | null> {
  await client.query(`begin; set local plan_cache_mode = ${plannedOnce ? 'force_generic_plan' : 'auto'}`)
  try {
    await client.query({ text, values })
    return null
  } catch (error) {
    return error as pg.DatabaseError
  } finally {
    await client.query('rollback')
  }
}
