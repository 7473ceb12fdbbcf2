import assert from 'node:assert/strict'
import test from 'node:test'
import { approved, pair, stateOf } from '../../helpers/payments/approving.ts'
import {
  importLines,
  linesAround,
  movedLine,
  numberOf,
  statementFile,
} from '../../helpers/payments/operator-statements.ts'
import { payNew } from '../../helpers/payments/payouts.ts'
import { openOf, paidBy, platformOpen } from '../../helpers/payments/reconciling.ts'
import { assertRefused } from '../../helpers/service/command-line.ts'
import { startOp1Service } from '../../helpers/service/op1-service.ts'
import { openedAndVerified } from '../../helpers/service/opened.ts'
import { mainOf } from '../../helpers/web/dashboard.ts'
import { commandsOn } from '../../program/commands/commands-on.ts'

// A file that was imported by mistake is taken back whole: by two operators, with the exceptions that stand on it alone.
const service = openedAndVerified(() => startOp1Service({ env: { LIVE_HOLD_HOURS: '0' } }))
const { run, json } = commandsOn(service)
const DAY = 86_400_000
const PAGES = '/console/reconciliation/import'
const kindsOf = async (id: string) => (await openOf(service, id)).map(({ kind }) => kind)
const count = async (table: string) => (await service.rows(`select 1 from ${table}`)).length

/** Imports these lines; answers the id of the import. */
async function imported(lines: readonly string[]): Promise<string> {
  await importLines(service, lines)
  const [row] = await service.rows<{ id: string }>(
    'select id from directory.statement_files order by made_at desc, id desc limit 1',
  )
  service.pass(1000)
  return row?.id ?? assert.fail('an import has its row')
}
const detailsOf = (id: string) =>
  service.rows('select kind, resolved_by, note, closed_at is null as open from exceptions where subject = $1', [id])

// Commands have the clock of the machine, which the test below moves away from.
test('the command lists imports, shows how far one is, and asks; it approves nothing', async () => {
  const { id } = await paidBy(service)
  const path = statementFile([movedLine(await numberOf(service, id), id, 5, service.clock.now())])
  const ran = await run('reconcile', '--statement', path)
  assert.match(ran.stderr, /^1 lines read \.\.\.\n1 lines of payments compared \.\.\.\n1 lines stored \.\.\.$/m)
  const own = async () =>
    (await json('statements', 'list')).find(({ file }: { file: string }) => file === path.split('/').at(-1))
  const newest = await own()
  assert.equal(newest.state, 'imported')
  const asked = await json('statements', 'take-back', '--id', newest.id, '--reason', 'the wrong month')
  assert.equal((await stateOf(service, asked.approval))?.status, 'waiting')
  assertRefused(await run('statements', 'take-back', '--id', newest.id, '--reason', 'twice'), {
    code: 1,
    says: /somebody has asked for this already: apr_platform/,
  })
  assertRefused(await run('statements', 'take-back', '--id', `stf_platform${'x'.repeat(16)}`, '--reason', 'r'), {
    code: 1,
    says: /statement not found/i,
  })
  const [anna] = await pair(service)
  assert.equal((await approved(anna, `/console/approvals/${asked.approval}`)).status, 303)
  await service.run('import-statements')
  assert.deepEqual(await kindsOf(id), [])
  assert.equal((await own()).state, 'taken-back')
})

test('an import is taken back by two operators, with its lines and exceptions; what others found too stays, and a right file opens the same again', async () => {
  service.pass(30 * DAY)
  const [wrong, shared] = [await paidBy(service), await paidBy(service)]
  const at = service.clock.now()
  const about = async ({ id }: { id: string }, amount: number) => movedLine(await numberOf(service, id), id, amount, at)
  const [kept, ...around] = linesAround(service)
  const first = await imported([kept ?? '', await about(shared, 400_000)])
  const mistake = [
    ...[kept ?? '', ...around],
    ...[await about(shared, 400_000), await about(wrong, 5), movedLine('8', 'nobody', 7, at)],
  ]
  const before = { lines: await count('rail_statement_lines'), covers: await count('rail_statements') }
  const second = await imported(mistake)
  assert.deepEqual([await kindsOf(wrong.id), await kindsOf(shared.id)], [['mismatch'], ['mismatch']])
  assert.equal((await payNew(wrong.shop.live, { amount: 10_000 })).status, 400)
  const [anna, ben] = await pair(service)
  const page = await anna.get(`${PAGES}/${second}`)
  const asked = await anna.send(page, '/take-back', { reason: 'columns were mixed up' })
  assert.equal(asked.status, 303, mainOf(asked))
  assert.match(
    mainOf(await anna.get(`${PAGES}/${second}`)),
    /asked to take it back, which waits for a second operator: apr_/,
  )
  await service.run('import-statements')
  assert.deepEqual(await kindsOf(wrong.id), ['mismatch'], 'one person takes back nothing')
  assert.match(mainOf(await ben.get(asked.location)), /What the import of .*csv has brought is taken back/)
  assert.equal((await approved(ben, asked.location)).status, 303)
  assert.match(mainOf(await ben.get(`${PAGES}/${second}`)), /being taken back/)
  await service.run('import-statements')
  const [closed] = await detailsOf(wrong.id)
  assert.deepEqual(closed, {
    ...{
      kind: 'mismatch',
      resolved_by: ben.email,
      note: `the statement ${second} was taken back`,
      open: false,
    },
  })
  assert.deepEqual(await kindsOf(shared.id), ['mismatch'], 'the first file says it too')
  assert.deepEqual(
    (await platformOpen(service)).filter(({ subject }) => subject === 'nobody'),
    [],
  )
  assert.equal((await payNew(wrong.shop.live, { amount: 10_000 })).status, 201)
  assert.deepEqual({ lines: await count('rail_statement_lines'), covers: await count('rail_statements') }, before)
  assert.match(mainOf(await ben.get(`${PAGES}/${second}`)), new RegExp(`taken back .*Approved by ${ben.email}`))
  const audit = await service.rows(
    `select 1 from directory.audit where action = 'statement.take-back' and subject = $1`,
    [second],
  )
  assert.equal(audit.length, 1)
  assertRefused(await run('statements', 'take-back', '--id', second, '--reason', 'again'), {
    code: 1,
    says: /this statement was taken back already/,
  })
  await imported(mistake)
  assert.deepEqual(await kindsOf(wrong.id), ['mismatch'], 'found again, it opens again')
  const last = await imported([kept ?? '', await about(shared, 400_000)])
  assert.notEqual(last, first)
})
