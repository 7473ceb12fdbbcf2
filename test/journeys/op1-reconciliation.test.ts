import assert from 'node:assert/strict'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'node:test'
import { service as serviceActor } from '../../src/actors/actor.ts'
import { recordFloat } from '../../src/reconciliation/float-records.ts'
import { importStatement } from '../../src/reconciliation/import-statement.ts'
import type { Leg } from '../../src/reconciliation/leg.ts'
import { reconcileNow } from '../../src/reconciliation/reconcile.ts'
import { BY_HAND } from '../helpers/actors.ts'
import { followUntilEnded } from '../helpers/following-charges.ts'
import { sendUntilEnded } from '../helpers/following-payouts.ts'
import { newPayer, type Shop } from '../helpers/live-service.ts'
import { startOp1Service } from '../helpers/op1-service.ts'
import { openedAndVerified } from '../helpers/opened.ts'
import { pay } from '../helpers/payouts.ts'

// Our books against the operator's, both ways (rails.md 5).
const ONLY_BY_TEST = { faultsInRow: 10_000, minCalls: 10_000 }
const service = openedAndVerified(() =>
  startOp1Service({ entry: { breaker: ONLY_BY_TEST }, env: { LIVE_HOLD_HOURS: '0' } }),
)
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

type Open = { kind: string; severity: string; subject: string; seen_count: number }
const openOf = (subject: string) =>
  service.rows<Open>(
    'select kind, severity, subject, seen_count from exceptions where subject = $1 and closed_at is null',
    [subject],
  )
const platformOpen = () =>
  service.rows<Open>(
    'select kind, subject, seen_count from directory.platform_exceptions where closed_at is null',
  )
const legOf = (legs: readonly Leg[], name: Leg['leg']) => legs.find(({ leg }) => leg === name) as Leg
/** Later than what was just made is too young for another look. */
const reconcile = async () => {
  service.pass(16 * MINUTE)
  return reconcileNow(service.gateway, BY_HAND)
}

async function paid(amount = 500_000): Promise<{ shop: Shop; id: string; reference: string }> {
  const shop = await service.shop()
  const { body } = await shop.live.charge({ amount, customer: { phone: newPayer() } })
  await service.emulator.resolve(body.rail_reference, { status: 'SUCCESSFUL' })
  await followUntilEnded(service, body.id)
  return { shop, id: body.id, reference: body.rail_reference }
}
const isPaused = async ({ live }: Shop) =>
  /paused on this account/.test((await pay(live, { recipient: { phone: newPayer() } })).text)

test('what agrees is looked at once; wallets agree with what moved', async () => {
  await reconcile()
  const { shop } = await paid()
  const out = (await pay(shop.live, { amount: 10_000, recipient: { phone: newPayer() } })).body
  await service.emulator.resolve(out.rail_reference, { status: 'SUCCESSFUL' })
  await sendUntilEnded(service, out.id)
  const legs = await reconcile()
  assert.deepEqual(
    [legOf(legs, 'references').lookedAt, legOf(legs, 'references').agreed, legOf(legs, 'references').opened],
    [2, 2, 0],
  )
  assert.deepEqual([legOf(legs, 'float').lookedAt, legOf(legs, 'float').agreed], [2, 2])
  assert.equal(legOf(legs, 'internal').agreed, legOf(legs, 'internal').lookedAt)
  assert.equal(legOf(await reconcile(), 'references').lookedAt, 0, 'not asked again')
})

test('a payment that the operator reverses after the end: state and ledger stay, payouts of that account pause', async () => {
  const { shop, id, reference } = await paid()
  const [transaction] = service.emulator.transactions({ reference })
  assert.ok(transaction)
  transaction.status = 'FAILED'
  transaction.reason = 'EXPIRED'
  const leg = legOf(await reconcile(), 'references')
  assert.equal(leg.opened, 1)
  assert.deepEqual(
    (await openOf(id)).map(({ kind, severity }) => [kind, severity]),
    [['late_contradiction', 'critical']],
  )
  assert.equal((await shop.live.get(`/v1/charges/${id}`)).body.status, 'succeeded')
  assert.ok(await isPaused(shop))
  transaction.status = 'SUCCESSFUL'
})

test('a payment that the operator reverses days after the first look is found by the sample', async () => {
  const { id, reference } = await paid()
  await reconcile()
  const [transaction] = service.emulator.transactions({ reference })
  assert.ok(transaction)
  transaction.status = 'FAILED'
  transaction.reason = 'EXPIRED'
  await reconcile()
  assert.deepEqual(await openOf(id), [], 'it has been looked at today')
  service.pass(DAY)
  await reconcile()
  assert.deepEqual(
    (await openOf(id)).map(({ kind }) => kind),
    ['late_contradiction'],
  )
  transaction.status = 'SUCCESSFUL'
})

test('a success that the operator does not know: three looks over a day, then it is ours only', async () => {
  const { shop, id, reference } = await paid()
  const [kept] = service.emulator.transactions({ reference })
  assert.ok(kept)
  kept.rule = { ...kept.rule, statusLagMs: 100 * DAY }
  for (let look = 0; look < 3; look += 1) {
    await reconcile()
    assert.deepEqual(await openOf(id), [], `look ${look + 1}`)
    service.pass(look < 2 ? 9 * HOUR : 9 * HOUR)
  }
  await reconcile()
  assert.deepEqual(
    (await openOf(id)).map(({ kind }) => kind),
    ['ours_only'],
  )
  assert.ok(await isPaused(shop))
  kept.rule = null
})

test('a movement without an answer for a day is a case for a person, without a pause, and its answer closes it', async () => {
  const shop = await service.shop()
  const { body } = await shop.live.charge({ customer: { phone: newPayer() } })
  service.pass(DAY + HOUR)
  await service.run('follow-charges')
  await reconcile()
  assert.deepEqual(
    (await openOf(body.id)).map(({ kind, severity }) => [kind, severity]),
    [['unresolved', 'major']],
  )
  await reconcile()
  assert.equal((await openOf(body.id)).length, 1, 'once')
  await service.emulator.resolve(body.rail_reference, { status: 'SUCCESSFUL' })
  await followUntilEnded(service, body.id)
  await reconcile()
  assert.deepEqual(await openOf(body.id), [])
})

test('a wallet that lost money: two looks open float_drift, and a recorded sweep explains it', async () => {
  await reconcile()
  service.emulator.setWallet('collection', (service.emulator.wallets().collection ?? 0) - 70_000)
  await reconcile()
  assert.equal(
    (await platformOpen()).filter(({ kind }) => kind === 'float_drift').length,
    0,
    'once is not enough',
  )
  await reconcile()
  assert.deepEqual(
    (await platformOpen()).filter(({ kind }) => kind === 'float_drift').map(({ subject }) => subject),
    ['ug-1 collect'],
  )
  const sweep = {
    installation: 'ug-1',
    side: 'collect',
    kind: 'sweep',
    amount: 70_000,
    note: 'to the bank',
  } as const
  await recordFloat(service.gateway, serviceActor('test'), sweep)
  await reconcile()
  service.pass(2 * HOUR)
  await reconcile()
  assert.deepEqual(
    (await platformOpen()).filter(({ kind }) => kind === 'float_drift'),
    [],
  )
})

const folder = mkdtempSync(join(tmpdir(), 'statement-'))
let files = 0
/** Imports lines like those of the operator. */
async function importing(lines: readonly string[], { dryRun = false } = {}): Promise<Leg> {
  files += 1
  const path = join(folder, `${files}.csv`)
  const head = 'rail_transaction_id,external_id,type,amount,fee,tax,currency,at,status'
  writeFileSync(path, `${[head, ...lines].join('\n')}\n`)
  return importStatement(service.gateway, BY_HAND, { path, installation: 'ug-1', period: null, dryRun })
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
  const stranger = `txn_${fine.id.slice(4, 9)}aaaaaaaaaaaaaaaa`
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
