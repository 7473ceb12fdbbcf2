import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { INVARIANTS } from '../../src/operations/verify/invariants/invariants.ts'
import { splitCommands } from '../../src/platform/db/split-commands.ts'
import type { Statement } from '../../src/platform/db/statement.ts'
import { TABLE_WRITERS } from '../../src/platform/db/tables.ts'
import { ROOT } from '../../src/platform/processes/root.ts'
import { loadProductStatements } from '../helpers/database/product-statements.ts'
import { type TestDatabase, testDatabase } from '../helpers/database/test-database.ts'
import { findClusterFaults, findMigrationFaults, joinsDirectory } from './cluster-forms.ts'

// What the product sends must run where its schemas lie on servers of a cluster. These are the forms that are known not to; the cluster itself
// is asked in cluster-routes.test.ts.

const TABLES = Object.keys(TABLE_WRITERS)
// A cell is distributed when these have been applied to it. What comes later is applied to distributed cells.
const LAST_BEFORE = { directory: '0048', cell: '0106' }

let statements: readonly Statement[]
let database: TestDatabase
let client: pg.Client

before(async () => {
  statements = await loadProductStatements()
  database = await testDatabase()
  client = new pg.Client({ connectionString: database.url })
  await client.connect()
})

after(async () => {
  await client?.end()
  await database?.drop()
})

test('no statement has a form that a cluster refuses or answers wrongly', () => {
  const faults = statements.flatMap(({ name, text }) => findClusterFaults(text).map((why) => `${name}: ${why}`))
  assert.deepEqual(faults, [])
})

test('each such form is found', () => {
  const planted = [
    'select count(*) from merchants where cell = current_schema()',
    `update notices n set until = coalesce(n.until, n.told + interval '1 hour') where id = $1`,
    `insert into runs (at) values ($1) on conflict (one) do update set at = $1 where runs.at < $1 - interval '1 hour'`,
    'insert into memberships (person_id, role) values ((select id from people where name = $1), $2)',
    `update exceptions set agreed = agreed || jsonb_build_object($1::text, $2::text)`,
    `update exceptions set closed = (agreed ->> 'leg')::timestamptz < $1`,
    `update orders o set due = $1 returning o.id, o.mode::text as mode`,
    `insert into claims (kind, state) values ($1, case $1 when 'direct' then 'sent' end)`,
    `with due as (select 1 from c) update claims c set at = case c.kind when 'direct' then $1 end from due`,
    `with told as (update claims set at = at + interval '1 hour' returning id) select id from told`,
    `with told as (update claims set at = $1 returning id) insert into tolds (id) select id from told`,
  ]
  for (const text of planted) assert.equal(findClusterFaults(text).length, 1, text)
  const allowed = [
    `select pg_try_advisory_xact_lock(hashtext(current_schema()))`,
    `with due as (select id, told + interval '1 hour' as until from notices for update) update notices n set until = due.until from due`,
    `update notices set until = $1 where $2::timestamptz - told > interval '1 hour'`,
    `update claims set at = case when kind = 'direct' then $1 end`,
  ]
  for (const text of allowed) assert.deepEqual(findClusterFaults(text), [], text)
})

test('what is planned once only reads: a cluster makes no plan for all values of an insert', () => {
  const writing = statements.filter(({ plannedOnce, text }) => plannedOnce && !/^\s*(select|with)\b/i.test(text))
  assert.deepEqual(writing, [])
})

test('no invariant joins the cell with the directory, which may be on another server', () => {
  for (const { id, counted, offenders } of INVARIANTS)
    for (const query of [counted, offenders]) {
      assert.ok(!joinsDirectory(query, TABLES), id)
      assert.doesNotMatch(query, /current_schema/, id)
    }
  const planted = 'select 1 from merchants t left join directory.merchants d on d.id = t.id'
  assert.ok(joinsDirectory(planted, TABLES))
  assert.ok(joinsDirectory(`select 2 from directory.people union ${planted}`, TABLES))
  const apart = 'select 1 from merchants t left join (select id from directory.merchants offset 0) d on d.id = t.id'
  assert.ok(!joinsDirectory(apart, TABLES))
})

test('every trigger works on a server of a cluster: row by row, with a path to the tables that it names', async () => {
  assert.deepEqual(await findTriggerFaults(), [])
  const planted = [
    `create trigger t after insert on audit referencing new table as added for each statement execute function queue_for_seal()`,
    `create or replace function queue_for_seal() returns trigger language plpgsql as $$
     begin insert into audit_to_seal (audit_id) values (new.id); return null; end $$`,
  ]
  for (const command of planted) {
    await client.query(`begin; set local search_path = cell_0; ${command}`)
    assert.equal((await findTriggerFaults()).length, 1, command)
    await client.query('rollback')
  }
})

test('every later migration can be applied to a cell that is distributed', () => {
  for (const kind of ['directory', 'cell'] as const)
    for (const name of readdirSync(join(ROOT, 'migrations', kind)).filter((file) => file > `${LAST_BEFORE[kind]}_~`)) {
      const sql = readFileSync(join(ROOT, 'migrations', kind, name), 'utf8')
      assert.deepEqual(findMigrationFaults(splitCommands(sql)), [], name)
    }
  const planted = [
    'create trigger t after insert on audit referencing new table as added for each statement execute function f()',
    'alter table audit add column a text, add constraint a check (a in (1, 2))',
    'alter function f() set search_path from current',
  ]
  for (const command of planted) assert.equal(findMigrationFaults([command]).length, 1, command)
  assert.deepEqual(findMigrationFaults(['alter table audit add constraint a check (a in (1, 2))']), [])
})

/** The triggers that get a table of rows, and those whose function names a table and has no path of its own. */
async function findTriggerFaults(): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select distinct n.nspname || '.' || t.tgname as name from pg_trigger t join pg_class c on c.oid = t.tgrelid
     join pg_namespace n on n.oid = c.relnamespace join pg_proc p on p.oid = t.tgfoid
     where n.nspname in ('cell_0', 'directory') and not t.tgisinternal
       and (t.tgnewtable is not null or t.tgoldtable is not null
         or p.proconfig is null and p.prosrc ~* any(select '\\m(from|into|update|join)\\s+' || name || '\\M' from unnest($1::text[]) name))`,
    [TABLES],
  )
  return rows.map(({ name }) => name)
}
