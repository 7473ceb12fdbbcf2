import assert from 'node:assert/strict'
import test from 'node:test'
import { allStatements } from '../../src/platform/db/statement.ts'
import { newPayer, startLiveService } from '../helpers/live-service.ts'
import { made, opened, prepare } from '../helpers/opened.ts'
import { rowsLookedAt } from '../helpers/rows-looked-at.ts'

const MANY = 3000
const PLACES = 8
const HOUR = 3_600_000

const service = opened(() => startLiveService())
const shop = made(() => service.shop())
const after = (ms: number) => new Date(service.clock.nowMs() + ms).toISOString()

// One live charge that is due, many whose question comes later, and many of the sandbox that are due.
prepare(async () => {
  const { status } = await shop.live.charge({ phone: newPayer() })
  assert.equal(status, 201)
  const names = await service.rows<{ name: string }>(
    `select column_name as name from information_schema.columns where table_schema = $1 and table_name = 'charges'`,
    [service.app.cell],
  )
  for (const [mode, letter, dueAt] of [
    ['live', 'l', after(HOUR)],
    ['test', 't', after(-HOUR)],
  ] as const) {
    const own: Record<string, string> = {
      id: `id || $2 || lpad(n::text, 6, '0')`,
      mode: '$1::mode',
      rail_reference: 'gen_random_uuid()::text',
      follow_at: '$3::timestamptz',
    }
    await service.rows(
      `insert into charges (${names.map(({ name }) => name).join(', ')})
       select ${names.map(({ name }) => own[name] ?? name).join(', ')} from charges, generate_series(1, ${MANY}) n
       where length(id) = (select min(length(id)) from charges)`,
      [mode, letter, dueAt],
    )
  }
  await service.rows('analyze charges')
})

test('a claim of live charges reads those that are due, however many are open and whatever the sandbox has', async () => {
  const claim = allStatements().find(({ name }) => name === 'claim due live charges')
  assert.ok(claim)
  const looked = await rowsLookedAt(service, {
    text: claim.text,
    values: [after(HOUR / 2), PLACES, after(HOUR), '{}'],
  })
  assert.ok(looked <= PLACES, `${looked} rows were read`)
})
