import assert from 'node:assert/strict'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'node:test'
import { importStatement } from '../../../src/operations/reconciliation/statements/import-statement.ts'
import { fromPath, readColumnNames } from '../../../src/operations/reconciliation/statements/statement-file.ts'
import { parseTagOfAnyPrefix } from '../../../src/platform/text/ids.ts'
import {
  importLines,
  linesAround,
  movedLine,
  numberOf,
  statementFile,
} from '../../helpers/payments/operator-statements.ts'
import { payNew } from '../../helpers/payments/payouts.ts'
import {
  openOf as openExceptionsOf,
  platformOpen as openOfPlatform,
  paidBy,
} from '../../helpers/payments/reconciling.ts'
import { BY_HAND } from '../../helpers/service/actors.ts'
import { startOp1Service } from '../../helpers/service/op1-service.ts'
import { openedAndVerified } from '../../helpers/service/opened.ts'

// The operator's own list of transactions against our books, both ways (rails.md 5.1, leg 4).
const service = openedAndVerified(() => startOp1Service({ env: { LIVE_HOLD_HOURS: '0' } }))
const DAY = 86_400_000
const openOf = (subject: string) => openExceptionsOf(service, subject)
const platformOpen = () => openOfPlatform(service)
const paid = () => paidBy(service)

const importing = (lines: readonly string[], more = {}) => importLines(service, lines, more)
const lineFor = movedLine
const around = () => linesAround(service)

test('a statement: matched, missing, extra, another amount, twice; a dry run writes nothing; the same file twice changes nothing', async () => {
  service.pass(30 * DAY)
  const [fine, missing, other, doubled] = [await paid(), await paid(), await paid(), await paid()]
  const stranger = `txn_${parseTagOfAnyPrefix(fine.id)}aaaaaaaaaaaaaaaa`
  const at = service.clock.now()
  const lines = [
    ...around(),
    lineFor(await numberOf(service, fine.id), fine.id, 500_000, at),
    lineFor(await numberOf(service, other.id), other.id, 499_999, at),
    lineFor(await numberOf(service, doubled.id), doubled.id, 500_000, at),
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
  const nobodys = (await platformOpen()).filter(({ kind }) => kind === 'rail_only').map(({ subject }) => subject)
  assert.deepEqual(nobodys, ['nobody at all'])
  assert.deepEqual(await kinds(stranger), ['rail_only'], 'critical for the merchant whose tag it carries')
  const stored = await service.rows('select 1 from rail_statement_lines')
  const again = await importing(lines)
  assert.deepEqual([again.lookedAt, again.agreed, again.opened], [leg.lookedAt, leg.agreed, 0])
  assert.equal((await importing(lines, { dryRun: true })).opened, 0, 'all of it is told already')
  assert.equal((await service.rows('select 1 from rail_statement_lines')).length, stored.length)
  assert.equal((await openOf(missing.id)).length, 1)
})

test('a file with columns of other names is read by those names; names that make no sense are refused', async () => {
  const { id } = await paid()
  const at = service.clock.now()
  const head = 'Financial Transaction Id,External Id,Kind,Amount,Currency,Date,Status'
  const number = await numberOf(service, id)
  const path = statementFile([`${number},${id},collect,1,UGX,${at.toISOString()},SUCCESSFUL`], head)
  const names = join(mkdtempSync(join(tmpdir(), 'names-')), 'names.json')
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
    ['21,x,collect,10,0,0,UGX,0000-01-01T10:00:00Z,SUCCESSFUL', /^line 3: at must be a time/],
    [
      '21,x,collect,10,0,0,usd,2026-07-01T10:00:00Z,SUCCESSFUL',
      /^line 3: currency must be UGX, which ug-1 moves, not usd$/,
    ],
    [
      '21,x,other,10,0,0,Shillings,2026-07-01T10:00:00Z,FAILED',
      /^line 3: currency must be UGX, which ug-1 moves, not Shillings$/,
    ],
    ['21,x\0y,collect,10,0,0,UGX,2026-07-01T10:00:00Z,SUCCESSFUL', /^line 3: external_id contains control characters$/],
    [',,collect,10,0,0,UGX,2026-07-01T10:00:00Z,SUCCESSFUL', /^line 3: rail_transaction_id or external_id is needed$/],
  ] as const)
    await assert.rejects(importing([lineFor('20', 'txn_x', 5, at), line]), { message: says })
  assert.equal(await stored(), before)
})

test('a number that a spreadsheet has spoiled is refused with its line; blanks and zeros around one mean nothing', async () => {
  service.pass(30 * DAY)
  const { id, shop } = await paid()
  const at = service.clock.now()
  const number = await numberOf(service, id)
  const stored = async () => (await service.rows('select 1 from rail_statement_lines')).length
  const before = await stored()
  for (const spoiled of [
    '2.00E+09',
    `${number}.0`,
    `'${number}`,
    '"2,000,000,002"',
    `${number} 1`,
    '-5',
    `${number}\u200b`,
  ])
    await assert.rejects(importing([lineFor(spoiled, id, 500_000, at)]), {
      message: /^line 2: rail_transaction_id must be the operator's number in digits, like 2000000002, not /,
    })
  assert.equal(await stored(), before)
  const spellings = [number, `0${number}`, `${number} `, `${number}\u00a0`, `"  ${number}"`]
  for (const spelling of spellings) {
    const leg = await importing([lineFor(spelling, id, 500_000, at)])
    assert.deepEqual([leg.agreed, leg.opened], [1, 0], spelling)
  }
  assert.equal(await stored(), before + 1, 'it is one line')
  assert.deepEqual(await openOf(id), [])
  assert.equal((await payNew(shop.live, { amount: 10_000 })).status, 201)
})

test('another number than the operator has told us is told, and pauses nothing', async () => {
  const { id, shop } = await paid()
  const at = service.clock.now()
  const number = await numberOf(service, id)
  const leg = await importing([lineFor('9999999999', id, 500_000, at)])
  assert.deepEqual([leg.agreed, leg.opened], [0, 1])
  const [found] = await service.rows<{ kind: string; severity: string; details: object }>(
    'select kind, severity, details from exceptions where subject = $1',
    [id],
  )
  assert.deepEqual(found, {
    ...{ kind: 'other_number', severity: 'major' },
    details: { we_say: number, rail_said: '9999999999' },
  })
  assert.equal((await payNew(shop.live, { amount: 10_000 })).status, 201)
  // Two numbers of one payment are something else: it was moved twice.
  await importing([lineFor(number, id, 500_000, at)])
  assert.deepEqual((await openOf(id)).map(({ kind }) => kind).sort(), ['doubled_by_rail', 'other_number'])
})
