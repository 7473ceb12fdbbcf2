import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import pg from 'pg'
import { call, type Database, openDatabase } from '../../src/platform/db/database.ts'
import { sqlState } from '../../src/platform/db/errors.ts'
import type { Statement } from '../../src/platform/db/statement.ts'
import {
  bigint,
  boolean,
  bytea,
  copyInto,
  integer,
  jsonb,
  largeBigint,
  mode,
  real,
  smallint,
  text,
  time,
} from '../../src/platform/db/wire/copy.ts'
import type { Mode } from '../../src/platform/mode.ts'
import { type TestDatabase, testDatabase } from '../helpers/database/test-database.ts'

// Rows written by COPY in binary, read back from a real server.
type Row = {
  id: number
  large: bigint
  number: number | null
  small: number | null
  part: number | null
  words: string | null
  mode: Mode
  truth: boolean | null
  at: Date | null
  bytes: Buffer | null
  json: { words: string } | null
}

const COPIED = copyInto<Row>('test: add copied rows', 'copied', {
  id: bigint((row) => row.id),
  large: largeBigint((row) => row.large),
  number: integer((row) => row.number),
  small: smallint((row) => row.small),
  part: real((row) => row.part),
  words: text((row) => row.words),
  mode: mode((row) => row.mode),
  truth: boolean((row) => row.truth),
  at: time((row) => row.at),
  bytes: bytea((row) => row.bytes),
  json: jsonb((row) => (row.json === null ? null : JSON.stringify(row.json))),
})
const NOWHERE = copyInto<Row>('test: add rows nowhere', 'not_there', { id: bigint((row) => row.id) })
const made = <Read>(name: string, text: string): Statement<Read> => ({ name: `test: ${name}`, text })
const READ = made<Omit<Row, 'large'> & { large: string }>(
  'read copied rows',
  'select id, large::text, number, small, part, words, mode, truth, at, bytes, json from copied order by id',
)
const BROKEN = made('divide by nothing', 'select 1 / 0')
const ONE = made<{ one: number }>('one', 'select 1 as one')
const CLEAR = made('clear copied rows', 'delete from copied')

let database: TestDatabase
let db: Database

before(async () => {
  database = await testDatabase()
  const admin = new pg.Client({ connectionString: database.url })
  await admin.connect()
  await admin.query(`create table cell_0.copied (id bigint primary key check (id <> 13), large bigint, number int, small smallint,
    part real, words text, mode cell_0.mode, truth boolean, at timestamptz, bytes bytea, json jsonb)`)
  await admin.end()
  db = openDatabase({
    ...{ connectionString: database.url, schema: 'cell_0', role: null, connections: 1, singleConnections: 1 },
    ...{ statementTimeoutMs: 10_000, applicationName: 'copy test' },
  })
})

after(async () => {
  await db?.close()
  await database?.drop()
})

const PLAIN: Row = {
  ...{ id: 1, large: 1n, number: null, small: null, part: null, words: null, mode: 'test', truth: null },
  ...{ at: null, bytes: null, json: null },
}
const rowsWith = (...ids: number[]) => ids.map((id) => ({ ...PLAIN, id }))

const orNull = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: null })
// The server stores no zero character.
const anyText = fc.string({ unit: 'binary', maxLength: 200 }).map((words) => words.replaceAll('\0', ''))
const anyRow = fc.record({
  id: fc.maxSafeInteger(),
  large: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  number: orNull(fc.integer()),
  small: orNull(fc.integer({ min: -32_768, max: 32_767 })),
  part: orNull(fc.float({ noNaN: true, noDefaultInfinity: true })),
  words: orNull(
    fc.oneof(
      anyText,
      fc.string({ maxLength: 100 }).map((words) => words.replaceAll('\0', '')),
    ),
  ),
  mode: fc.constantFrom('test' as const, 'live' as const),
  truth: orNull(fc.boolean()),
  at: orNull(fc.date({ min: new Date('1970-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })),
  bytes: orNull(fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes))),
  json: orNull(anyText.map((words) => ({ words }))),
})

test('what is copied is read back as it was', async () => {
  const seed = Date.now() & 0x7fffffff
  console.log(`seed ${seed}`)
  const rows = fc.uniqueArray(anyRow, { maxLength: 60, selector: ({ id }) => id })
  await fc.assert(
    fc.asyncProperty(rows, async (wanted) => {
      await db.query(CLEAR)
      await db.transaction(async (tx) => {
        await tx.send(...COPIED.rows(wanted.filter(({ id }) => id !== 13)))
        return { value: null }
      })
      const found = (await db.query(READ)).map(({ part, ...row }) => ({
        ...row,
        part: part === null ? null : Math.fround(part),
      }))
      const byId = wanted.filter(({ id }) => id !== 13).sort((a, b) => a.id - b.id)
      assert.deepEqual(
        found,
        byId.map(({ large, part, ...row }) => ({
          ...row,
          large: large.toString(),
          part: part === null ? null : Math.fround(part),
        })),
      )
    }),
    { seed, numRuns: 60 },
  )
})

test('rows of several megabytes are copied, and small ones after them', async () => {
  const large = { ...PLAIN, id: 2, words: 'ab\u00e9'.repeat(1_000_000) }
  for (const rows of [[large], rowsWith(1)]) {
    await db.query(CLEAR)
    await sent(COPIED.rows(rows))
    assert.deepEqual(
      (await db.query(READ)).map(({ id, words }) => [id, words]),
      rows.map(({ id, words }) => [id, words]),
    )
  }
})

test('what breaks a rule in the middle keeps nothing, names the rule, and leaves the connection in step', async () => {
  await db.query(CLEAR)
  const attempt = (...calls: Parameters<typeof sent>[0][]) => sent(calls.flat())
  await assert.rejects(attempt(COPIED.rows(rowsWith(1, 2, 1, 3))), {
    code: '23505',
    constraint: 'copied_pkey',
  })
  await assert.rejects(attempt(COPIED.rows(rowsWith(12, 13, 14))), { code: '23514' })
  await assert.rejects(attempt(NOWHERE.rows(rowsWith(1))), { code: '42P01' })
  await assert.rejects(attempt(COPIED.rows(rowsWith(1)), COPIED.rows(rowsWith(1)), COPIED.rows(rowsWith(2))), {
    code: '23505',
  })
  // The first error is told, not the ones that follow from it.
  await assert.rejects(attempt([call(BROKEN)], COPIED.rows(rowsWith(1)), [call(ONE)]), { code: '22012' })
  assert.deepEqual(await db.query(READ), [])
  const [, , ones] = await sent([...COPIED.rows(rowsWith(1, 2)), ...COPIED.rows(rowsWith(3)), call(ONE)])
  assert.deepEqual(ones, [{ one: 1 }])
  assert.equal((await db.query(READ)).length, 3)
})

const sent = (calls: readonly ReturnType<typeof call>[]): Promise<readonly (readonly unknown[])[]> =>
  db.transaction(async (tx) => ({ value: (await tx.send(...calls)) as readonly (readonly unknown[])[] }))

test('a COPY that fails beside COMMIT fails the transaction with its own error', async () => {
  await db.query(CLEAR)
  const work = db.transaction(async (tx) => {
    await tx.send(...COPIED.rows(rowsWith(7)))
    return { value: null, last: [...COPIED.rows(rowsWith(8)), ...COPIED.rows(rowsWith(7)), call(ONE)] }
  })
  await assert.rejects(work, (error) => sqlState(error) === '23505')
  assert.deepEqual(await db.query(READ), [])
})

test('a COPY may be sent by itself, and fails with its own error', async () => {
  await db.query(CLEAR)
  const [add] = COPIED.rows(rowsWith(1, 2))
  assert.ok(add)
  await db.query(add.statement, add.values)
  assert.equal((await db.query(READ)).length, 2)
  await assert.rejects(db.query(add.statement, add.values), { code: '23505' })
})

test('a value that a column cannot hold is refused before anything is sent', () => {
  assert.throws(() => COPIED.rows([{ ...PLAIN, id: 1.5 }]), /1.5 is not a whole number/)
  assert.throws(() => COPIED.rows([{ ...PLAIN, id: 2 ** 53 }]), /is not a whole number/)
  assert.throws(() => COPIED.rows([{ ...PLAIN, number: 2 ** 31 }]), RangeError)
  assert.throws(() => COPIED.rows([{ ...PLAIN, at: new Date('never') }]), /an invalid date/)
  assert.deepEqual(COPIED.rows([]), [])
})
