import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { type RestFor, restBesideMoney } from '../../src/platform/db/rest.ts'
import { endOfRow, lengthAt, rowTimeAt, wholeAt } from '../../src/platform/db/wire/binary-rows.ts'
import { type CopyLiteral, copyOut, writeLiteral } from '../../src/platform/db/wire/copy-out.ts'
import { RowsAsJson } from '../../src/platform/db/wire/rows-as-json.ts'
import { newServerSocket } from '../../src/platform/db/wire/server-socket.ts'
import { type TestDatabase, testDatabase } from '../helpers/database/test-database.ts'

let database: TestDatabase
let client: pg.Client

before(async () => {
  database = await testDatabase()
  client = new pg.Client({
    connectionString: database.url,
    options: '-c timezone=UTC',
    stream: newServerSocket,
  })
  await client.connect()
})

after(async () => {
  await client?.end()
  await database?.drop()
})

const never: RestFor = () => 0
const read = (text: string, values: readonly CopyLiteral[] = [], memory: Buffer[] = [], restFor: RestFor = never) =>
  copyOut(client as unknown as pg.PoolClient, { name: 'test: copied out', text }, { values, memory, restFor })
/** Where a value of a row of one column stands. */
const ONLY = 6

test('values keep their types and their places', async () => {
  const at = new Date('2026-03-31T20:59:59.999Z')
  const values = [1, 'live', at, null, -5, 2, 3, 4, 5, 60] as const
  const text = `select $3::timestamptz as at, $1::bigint - $5 + $10 as whole, $2::cell_0.mode as mode, $4::text as nothing, $1 || '0' as ten`
  const json = new RowsAsJson({ at: 'time', whole: 'whole', mode: 'text', nothing: 'text', ten: 'text' }, 'whole')
  for (const rows of await read(text, values)) json.add(rows)
  const { lines, count, sum } = json.take()
  assert.equal(
    lines.toString(),
    '{"at":"2026-03-31T23:59:59.999+03:00","whole":66,"mode":"live","nothing":null,"ten":"10"}',
  )
  assert.deepEqual([count, sum], [1, 66])
  assert.deepEqual([json.take().count, json.take().sum], [0, 0])
})

test('no other value comes into the text of a statement', async () => {
  const strange = [
    ...['', 'liv', "live'", 'live; drop', '1', "'", '$1', undefined, 1.5, Number.NaN, 2 ** 53, -Infinity],
    ...[new Date('never'), ['live'], { toString: () => 'live' }, 1n, true, Symbol('live'), () => 'live'],
    ...[new String('live'), new Number(1), [1.5], ['1'], [[1]], [null], ["1}'"]],
  ]
  for (const value of strange) assert.throws(() => writeLiteral(value), /may not stand in the text/, String(value))
  assert.deepEqual([0, -7, [], [5, -6], 'test', 'live', null, new Date(0), new Date(-7e13)].map(writeLiteral), [
    "'0'",
    "'-7'",
    "'{}'",
    "'{5,-6}'",
    "'test'",
    "'live'",
    'null',
    "'1970-01-01T00:00:00.000Z'",
    "'-infinity'",
  ])
  await assert.rejects(read('select $2', [1]), /may not stand/)
})

test('an answer of any size is blocks of whole rows, in memory that the one before was in', async () => {
  const memory: Buffer[] = []
  for (const [count, width] of [
    [0, 1],
    [1, 1],
    [3000, 100],
    [5, 200_000],
    [2, 0],
    [4000, 90],
  ] as const) {
    const blocks = await read(
      'select n::bigint, repeat(chr(233), $2::int) from generate_series(1, $1) n',
      [count, width],
      memory,
    )
    const seen: number[] = []
    for (const rows of blocks)
      for (let at = 0; at < rows.length; at = endOfRow(rows, at)) {
        seen.push(Number(wholeAt(rows, at + ONLY)))
        assert.equal(lengthAt(rows, at + ONLY + 8), 2 * width)
      }
    assert.deepEqual(
      seen,
      Array.from({ length: count }, (_, nth) => nth + 1),
    )
  }
  const [first] = await read('select 1::bigint', [], memory)
  assert.equal(first?.buffer, memory[0]?.buffer)
})

test('whole numbers and times are exact to the last digit', async () => {
  for (const whole of [0n, -1n, 2n ** 32n, -(2n ** 32n), 2n ** 53n - 1n, 2n ** 53n, 2n ** 63n - 1n, -(2n ** 63n)]) {
    const [rows] = await read(`select ${whole < 0n ? `(${whole + 1n}::bigint - 1)` : `${whole}::bigint`}`)
    assert.ok(rows)
    const found = wholeAt(rows, ONLY)
    assert.equal(BigInt(found), whole)
    assert.equal(typeof found, Number.isSafeInteger(Number(whole)) ? 'number' : 'bigint')
  }
  for (const time of ['1999-12-31T23:59:59.999Z', '2000-01-01T00:00:00.000Z', '2026-07-01T09:30:00.123Z']) {
    const [rows] = await read('select $1::timestamptz', [new Date(time)])
    assert.equal(rowTimeAt(rows as Buffer, 0), Date.parse(time))
  }
})

test('a failure before or in the middle of the rows is the error of the server, and leaves the connection in step', async () => {
  await assert.rejects(read('select nothing from nowhere'), { code: '42P01' })
  await assert.rejects(read('select 1 / (5000 - n) from generate_series(1, 10000) n'), { code: '22012' })
  const both = await Promise.all([
    read('select 7::bigint'),
    client.query('select 8 as eight'),
    read('select 9::bigint'),
  ])
  assert.equal(wholeAt(both[0][0] as Buffer, ONLY), 7)
  assert.deepEqual(both[1].rows, [{ eight: 8 }])
  assert.equal(wholeAt(both[2][0] as Buffer, ONLY), 9)
})

test('rests while it reads change nothing in the answer, and nothing is read meanwhile', async () => {
  const text = 'select n::bigint, repeat($2, 90) from generate_series(1, $1) n'
  const plain = Buffer.concat(await read(text, [20_000, 'live']))
  const { stream } = (client as unknown as { connection: { stream: { isPaused(): boolean } } }).connection
  let rests = 0
  const paused: boolean[] = []
  const resting: RestFor = () => {
    rests += 1
    setImmediate(() => paused.push(stream.isPaused()))
    return 5
  }
  const rested = Buffer.concat(await read(text, [20_000, 'live'], [], resting))
  assert.ok(plain.equals(rested))
  // A piece ends with a whole row, of less than 500 bytes.
  assert.ok(rests <= plain.length / (64 * 1024) && rests >= Math.floor(plain.length / (64 * 1024 + 500)))
  assert.ok(paused.some(Boolean))
  const next = await Promise.all([read('select 7::bigint', [], [], resting), client.query('select 8 as eight')])
  assert.equal(wholeAt(next[0][0] as Buffer, ONLY), 7)
  assert.deepEqual(next[1].rows, [{ eight: 8 }])
})

test('a rest is as long as the piece of work before it, up to a limit, and only while money moves', () => {
  const beside = (quietMs: number, workedMs: number) => restBesideMoney({ quietMs: () => quietMs })(workedMs)
  assert.deepEqual([beside(0, 3), beside(99, 3), beside(0, 5000)], [3, 3, 20])
  assert.equal(beside(101, 3), 0)
})
