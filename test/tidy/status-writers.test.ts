import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sourcesOf } from './sources.ts'

const SRC = sourcesOf('src', '.ts', '.tsx').filter(({ path }) => !path.endsWith('.test.ts'))
const WRITERS = {
  charges: 'src/payments/charges/write-charge-status.ts',
  payouts: 'src/payments/payouts/write-payout-status.ts',
  top_ups: 'src/payments/top-ups/write-top-ups.ts',
}

/** The files with an update of this table that sets its status: `status =` stands between `set` and the condition. */
function writersOf(table: string): string[] {
  const update = new RegExp(`\\bupdate ${table}(?: \\w)?\\s+set\\b([\\s\\S]*?)\\b(?:from|where)\\b`, 'g')
  const setsStatus = (set: string | undefined) => /(?:^|,)\s*status\s*=/.test(set ?? '')
  return SRC.filter(({ strings }) => [...strings.matchAll(update)].some(([, set]) => setsStatus(set))).map(
    ({ path }) => path,
  )
}

for (const [table, writer] of Object.entries(WRITERS))
  test(`the status of ${table} is written in one file`, () => assert.deepEqual(writersOf(table), [writer]))
