import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import type { Statement } from '../../src/platform/db/statement.ts'
import { loadProductStatements } from '../helpers/database/product-statements.ts'
import { type TestDatabase, testDatabase } from '../helpers/database/test-database.ts'

let database: TestDatabase
let client: pg.Client
let statements: readonly Statement[]

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

test('every statement of the product fits the migrated schema', async () => {
  assert.ok(statements.length > 50, `only ${statements.length} statements are known`)
  const faults: string[] = []
  for (const statement of statements) {
    if (statement.copies !== undefined) continue
    const refusals = [await prepare(statement, 'cell_0'), await prepare(statement, 'directory')]
    if (!refusals.includes(null)) faults.push(`${statement.name}: ${refusals.join('; ')}`)
  }
  assert.deepEqual(faults, [])
})

test('every COPY of the product names columns of their types', async () => {
  const copies = statements.flatMap(({ name, copies }) => (copies === undefined ? [] : { name, ...copies }))
  assert.ok(copies.length > 10, `only ${copies.length} of them are known`)
  for (const { name, table, columns, types } of copies) {
    const { rows } = await client.query(
      `select a.attname as name, format_type(a.atttypid, null) as type from pg_attribute a
       where a.attrelid = to_regclass('cell_0.' || $1) and a.attnum > 0 and not a.attisdropped`,
      [table],
    )
    const typeOf = new Map(rows.map((row) => [row.name, row.type.replace(/^.*\./, '')]))
    assert.deepEqual(
      columns.map((column) => typeOf.get(column)),
      types,
      name,
    )
  }
})

test('a statement that fits no schema would be found', async () => {
  const wrong = { name: 'wrong', text: 'select nothing from charges' }
  assert.match((await prepare(wrong, 'cell_0')) ?? '', /column "nothing" does not exist/)
  assert.match((await prepare(wrong, 'directory')) ?? '', /relation "charges" does not exist/)
})

const TIME_OR_CHANCE =
  /\b(now|random|clock_timestamp|statement_timestamp|transaction_timestamp|timeofday|gen_random_uuid|uuidv[47])\s*\(|\b(current_|local)(timestamp|date|time)\b/i
// It compares the server's clock with ours. Nothing is dated by it.
const COMPARES_CLOCKS = ['time of the server']
const SCHEMA_NAMED = /\b(cell_\d+|directory|public)\s*\./i

// Anything set before the first `where`, also inside a `case`.
const fails = (text: string) => /\bset\b(?:(?!\bwhere\b).)*'failed'/is.test(text)
const comparesTime = (text: string) =>
  /(\w*_at|\w*_until|\w*_since)\s*(<|>|between)|(<|>)=?\s*\(?(\w+\.)?(\w*_at|\w*_until|\w*_since)\b|\binterval\b/i.test(
    text,
  )

test('time and chance are parameters: no statement asks the database for them', () => {
  assert.deepEqual(
    named(({ name, text }) => !COMPARES_CLOCKS.includes(name) && TIME_OR_CHANCE.test(text)),
    [],
  )
  for (const text of ['select now()', 'select current_timestamp', 'select RANDOM ()', 'select localtimestamp'])
    assert.match(text, TIME_OR_CHANCE)
})

test('no statement names a schema: the connection says which cell', () => {
  assert.deepEqual(
    named(({ text }) => SCHEMA_NAMED.test(text)),
    [],
  )
  assert.match('select 1 from cell_0.charges', SCHEMA_NAMED)
})

test('no statement fails anything by its age (CH6)', () => {
  const byAge = ({ text }: { text: string }) => fails(text) && comparesTime(text)
  assert.deepEqual(named(byAge), [])
  const mistakes = [
    `update charges set status = 'failed', failure_reason = 'timeout' where created_at < $1`,
    `update charges c set completed_at = $1, status='failed' from merchants m where $1 >= c.follow_at`,
    `update payouts set status = 'failed' where created_at + interval '1 day' < $1`,
    `update charges set status = case when follow_at < $1 then 'failed' else status end`,
  ]
  for (const text of mistakes) assert.ok(byAge({ text }), text)
})

const named = (isWrong: (statement: Statement) => boolean) => statements.filter(isWrong).map(({ name }) => name)

/** Why the server refuses this statement in this schema; null when it accepts it. */
async function prepare({ text }: Statement, schema: string): Promise<string | null> {
  try {
    await client.query(`set search_path = ${schema}; prepare candidate as ${text}; deallocate candidate`)
    return null
  } catch (error) {
    return error instanceof Error ? `${schema}: ${error.message}` : String(error)
  }
}
