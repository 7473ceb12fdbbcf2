import assert from 'node:assert/strict'
import test from 'node:test'
import { listStatements } from '../../src/platform/db/statement.ts'
import { writeAgain } from '../helpers/database/rows-again.ts'
import { payer } from '../helpers/payments/schedules.ts'
import { made, opened, prepare } from '../helpers/service/opened.ts'
import { startService } from '../helpers/service/test-service.ts'

// The indexes of charges and deliveries have what is open or what has ended (decision 38). A statement that does not say which of them it
// looks for finds no index, and nobody notices before a table is large.
const WHOLE_TABLE = /Seq Scan on (charges|deliveries)\b/
// The primary key begins with the id: by anything else all of it is read.
const BY_KEY = /Scan.* using (charges|deliveries)_pkey on/
const BY_ID = /Index Cond: .*\b(id|event_id) =/
const MANY = 3000
// They look at everything, whatever it waits for.
const READ_ALL = ['moved through wallet', 'release delivery leases']

const service = opened(() => startService())
const owner = made(() => payer(service))

// Enough for the server to tell a row from all rows of a merchant.
prepare(async () => {
  await owner.api.charge({ reference: 'INV-7' })
  const at = `$2::timestamptz + n * interval '1 second'`
  await writeAgain(service, 'charges', {
    own: {
      id: `t.id || lpad(n::text, 6, '0')`,
      rail_reference: 'gen_random_uuid()::text',
      created_at: at,
      status: `'failed'`,
      failure_reason: `'timeout'`,
      follow_at: 'null',
      completed_at: at,
    },
    from: `charges t, generate_series(1, ${MANY}) n where t.merchant_id = $1`,
    values: [owner.merchantId, service.clock.now().toISOString()],
  })
  await service.rows(
    `insert into deliveries (merchant_id, event_id, mode, event, status, attempts, delivered_at, created_at)
     select $1, 'evt_' || lpad(n::text, 8, '0'), 'test', 'charge.failed', 'sent', 1, ${at}, ${at} from generate_series(1, ${MANY}) n`,
    [owner.merchantId, service.clock.now().toISOString()],
  )
  for (const table of ['charges', 'deliveries']) await service.rows(`analyze ${table}`)
})

const readsAll = (lines: string[]) =>
  lines.some((line, at) => WHOLE_TABLE.test(line) || (BY_KEY.test(line) && !BY_ID.test(lines[at + 1] ?? '')))

test('no statement reads all charges or all deliveries where an index could find what it wants', async () => {
  const client = await service.app.db.pool.connect()
  const found: string[] = []
  let looked = 0
  try {
    await client.query(`set search_path = ${service.app.cell}, directory`)
    // As where the tables are large: few rows of one lead to few of the other.
    for (const way of ['seqscan', 'hashjoin', 'mergejoin', 'material']) await client.query(`set enable_${way} = off`)
    for (const { name, text } of listStatements()) {
      if (text.startsWith('copy') || !/\b(charges|deliveries)\b/.test(text)) continue
      const { rows } = await client.query(`explain (generic_plan, costs off) ${text}`)
      looked += 1
      if (readsAll(rows.map((row) => row['QUERY PLAN']))) found.push(name)
    }
  } finally {
    client.release(true)
  }
  assert.ok(looked > 100, `${looked} statements`)
  assert.deepEqual(found.sort(), READ_ALL)
})
