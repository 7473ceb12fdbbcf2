import assert from 'node:assert/strict'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'node:test'
import { tagIn } from '../../src/platform/ids.ts'
import { importStatement } from '../../src/reconciliation/import-statement.ts'
import type { Leg } from '../../src/reconciliation/leg.ts'
import { fromPath, readColumnNames } from '../../src/reconciliation/statement-file.ts'
import { BY_HAND } from '../helpers/actors.ts'
import { startOp1Service } from '../helpers/op1-service.ts'
import { openedAndVerified } from '../helpers/opened.ts'
import { openOf as openExceptionsOf, platformOpen as openOfPlatform, paidBy } from '../helpers/reconciling.ts'

// The operator's own list of transactions against our books, both ways (rails.md 5.1, leg 4).
const service = openedAndVerified(() => startOp1Service({ env: { LIVE_HOLD_HOURS: '0' } }))
const HOUR = 3_600_000
const DAY = 24 * HOUR
const openOf = (subject: string) => openExceptionsOf(service, subject)
const platformOpen = () => openOfPlatform(service)
const paid = () => paidBy(service)

const folder = mkdtempSync(join(tmpdir(), 'statement-'))
let files = 0
/** Imports lines like those of the operator. */
async function importing(lines: readonly string[], { dryRun = false } = {}): Promise<Leg> {
  files += 1
  const path = join(folder, `${files}.csv`)
  const head = 'rail_transaction_id,external_id,type,amount,fee,tax,currency,at,status'
  writeFileSync(path, `${[head, ...lines].join('\n')}\n`)
  return importStatement(service.gateway, BY_HAND, {
    source: fromPath(path),
    installation: 'ug-1',
    period: null,
    dryRun,
  })
}
const lineFor = (number: string, id: string, amount: number, at: Date, type = 'collect') =>
  `${number},${id},${type},${amount},0,0,UGX,${at.toISOString()},SUCCESSFUL`
/** Lines of nobody so far before and after that everything else is judged. */
const around = () => [
  `1,,other,1,0,0,UGX,${new Date(service.clock.nowMs() - 3 * HOUR).toISOString()},SUCCESSFUL`,
  `2,,other,1,0,0,UGX,${new Date(service.clock.nowMs() + 3 * HOUR).toISOString()},SUCCESSFUL`,
]

test('a statement: matched, missing, extra, another amount, twice; a dry run writes nothing; the same file twice changes nothing', async () => {
  service.pass(30 * DAY)
  const [fine, missing, other, doubled] = [await paid(), await paid(), await paid(), await paid()]
  const stranger = `txn_${tagIn(fine.id)}aaaaaaaaaaaaaaaa`
  const at = service.clock.now()
  const lines = [
    ...around(),
    lineFor('11', fine.id, 500_000, at),
    lineFor('13', other.id, 499_999, at),
    lineFor('14', doubled.id, 500_000, at),
    lineFor('15', doubled.id, 500_000, at),
    lineFor('16', stranger, 700, at),
    lineFor('17', 'nobody at all', 900, at),
  ]
  const before = await service.digest()
  const dry = await importing(lines, { dryRun: true })
  assert.equal(await service.digest(), before, 'a dry run writes nothing')
  const leg = await importing(lines)
  assert.deepEqual([leg.lookedAt, leg.opened], [dry.lookedAt, dry.opened])
  const kinds = async (subject: string) => (await openOf(subject)).map(({ kind }) => kind)
  assert.deepEqual(await kinds(fine.id), [])
  assert.deepEqual(await kinds(missing.id), ['ours_only'])
  assert.deepEqual(await kinds(other.id), ['mismatch'])
  assert.deepEqual(await kinds(doubled.id), ['doubled_by_rail'])
  const nobodys = (await platformOpen())
    .filter(({ kind }) => kind === 'rail_only')
    .map(({ subject }) => subject)
  assert.deepEqual(nobodys.sort(), ['nobody at all', stranger].sort())
  const stored = await service.rows('select 1 from rail_statement_lines')
  await importing(lines)
  assert.equal((await service.rows('select 1 from rail_statement_lines')).length, stored.length)
  assert.equal((await openOf(missing.id)).length, 1)
})

test('a file with columns of other names is read by those names; names that make no sense are refused', async () => {
  const { id } = await paid()
  const at = service.clock.now()
  files += 1
  const path = join(folder, `${files}.csv`)
  const head = 'Financial Transaction Id,External Id,Kind,Amount,Currency,Date,Status'
  const line = (number: string, of: string, amount: number, moment: number) =>
    `${files}${number},${of},collect,${amount},UGX,${new Date(moment).toISOString()},SUCCESSFUL`
  const lines = [line('1', id, 1, at.getTime())]
  writeFileSync(path, `${head}\n${lines.join('\n')}\n`)
  const names = join(folder, 'names.json')
  const write = (value: unknown) => writeFileSync(names, JSON.stringify(value))
  write({
    ...{ rail_transaction_id: 'Financial Transaction Id', external_id: 'External Id', type: 'kind' },
    ...{ at: 'Date' },
  })
  const wanted = { source: fromPath(path), installation: 'ug-1', period: null, dryRun: false }
  await assert.rejects(importStatement(service.gateway, BY_HAND, wanted), {
    message: 'the header lacks rail_transaction_id, external_id, type, at',
  })
  await importStatement(service.gateway, BY_HAND, { ...wanted, names: readColumnNames(names) })
  assert.deepEqual(
    (await openOf(id)).map(({ kind }) => kind),
    ['mismatch'],
  )
  for (const [value, message] of [
    [{ number: 'Id' }, /^number is no column; there are rail_transaction_id, /],
    [{ at: 7 }, /^the names of columns must be text$/],
    [['at'], /^the names of columns must be a JSON object$/],
  ] as const) {
    write(value)
    assert.throws(() => readColumnNames(names), { message })
  }
})

test('a statement that cannot be read names its line, and nothing is stored', async () => {
  const stored = async () => (await service.rows('select 1 from rail_statement_lines')).length
  const before = await stored()
  const at = service.clock.now()
  for (const [line, says] of [
    ['21,x,collect,ten,0,0,UGX,2026-07-01T10:00:00Z,SUCCESSFUL', /^line 3: amount must be whole shillings$/],
    [
      '21,x,gift,10,0,0,UGX,2026-07-01T10:00:00Z,SUCCESSFUL',
      /^line 3: type must be one of collect, disburse, charge, other$/,
    ],
    ['21,x,collect,10,0,0,UGX,yesterday,SUCCESSFUL', /^line 3: at must be a time/],
    [
      ',,collect,10,0,0,UGX,2026-07-01T10:00:00Z,SUCCESSFUL',
      /^line 3: rail_transaction_id or external_id is needed$/,
    ],
  ] as const)
    await assert.rejects(importing([lineFor('20', 'txn_x', 5, at), line]), { message: says })
  assert.equal(await stored(), before)
})
