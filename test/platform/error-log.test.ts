import assert from 'node:assert/strict'
import { Writable } from 'node:stream'
import test, { after, before } from 'node:test'
import pg from 'pg'
import { pino } from 'pino'
import { DatabaseAway } from '../../src/platform/db/errors.ts'
import { toLoggedError } from '../../src/platform/log/error-log.ts'
import { type TestDatabase, testDatabase } from '../helpers/database/test-database.ts'

let database: TestDatabase
let client: pg.Client
before(async () => {
  database = await testDatabase()
  client = new pg.Client({ connectionString: database.url })
  await client.connect()
  await client.query('create table payers (phone text primary key check (length(phone) = 12), whose text not null)')
  await client.query(`insert into payers values ('256700111222', 'Amina')`)
})
after(async () => {
  await client.end()
  await database.drop()
})

function logLine(error: unknown): string {
  let text = ''
  const sink = new Writable({
    write(chunk, _encoding, done) {
      text += chunk
      done()
    },
  })
  pino({ serializers: { err: toLoggedError } }, sink).error({ err: error }, 'something failed')
  return text
}

const failing = (sql: string, values: unknown[] = []) =>
  client.query(sql, values).then(
    () => assert.fail('the statement was to fail'),
    (error) => error,
  )

test('D8: a log line of a database error names the constraint and shows nothing of the row', async () => {
  const errors = await Promise.all([
    failing('insert into payers values ($1, $2)', ['256700111222', 'Amina']),
    failing('insert into payers values ($1, $2)', ['0700111222', 'Amina']),
    failing('insert into payers (phone) values ($1)', ['256700111333']),
    failing('select $1::bigint', ['256700111222 of Amina']),
  ])
  assert.match(errors[1].detail, /0700111222, Amina/, 'the driver gives the whole row')
  for (const error of errors)
    for (const thrown of [error, new DatabaseAway(error), new Error('wrapped', { cause: error })]) {
      const line = logLine(thrown)
      assert.doesNotMatch(line, /700111222|700111333|Amina/)
      assert.match(line, /\\n {4}at /, 'where it happened is kept')
    }
  assert.match(logLine(errors[0]), /"code":"23505".*"constraint":"payers_pkey"/)
  assert.match(logLine(errors[1]), /payers_phone_check/)
})

test('D8: phones and secrets are taken out of every message, and causes end somewhere', () => {
  const line = logLine(
    new Error('no answer for 256700111222 with sk_live_col_abcDEF123 and whsec_AbC+/= and dsec_abc, 0772123456'),
  )
  assert.match(line, /2567\*\*\*\*\*222 with sk_\.\.\. and whsec_\.\.\. and dsec_\.\.\., 0772\*\*\*\*\*456/)
  const round = new Error('round')
  round.cause = round
  assert.ok(logLine(round).length < 20_000)
  assert.match(logLine('a text'), /"type":"string","message":"a text"/)
})
