import assert from 'node:assert/strict'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'node:test'
import type { FaultName, FaultParams } from '../../emulator/faults.ts'
import { reconcileNow } from '../../src/operations/reconciliation/reconcile.ts'
import { importStatement } from '../../src/operations/reconciliation/statements/import-statement.ts'
import { fromPath } from '../../src/operations/reconciliation/statements/statement-file.ts'
import { balanceOf, eventsOf, transfersOf } from '../helpers/database/money-rows.ts'
import { followUntilEnded } from '../helpers/payments/following-charges.ts'
import { sendUntilEnded } from '../helpers/payments/following-payouts.ts'
import { pay } from '../helpers/payments/payouts.ts'
import { openOf, paidBy } from '../helpers/payments/reconciling.ts'
import { BY_HAND } from '../helpers/service/actors.ts'
import { newPayer, type Shop } from '../helpers/service/live-service.ts'
import { startOp1Service } from '../helpers/service/op1-service.ts'
import { openedAndVerified } from '../helpers/service/opened.ts'

// The rest of the fault menu (rails.md 6.5): what shows itself later, or in an account.
const service = openedAndVerified(() =>
  startOp1Service({
    env: { LIVE_HOLD_HOURS: '0' },
    entry: { breaker: { faultsInRow: 10_000, minCalls: 10_000 } },
  }),
)
const MINUTE = 60_000
const HOUR = 60 * MINUTE

type Made = { shop: Shop; id: string; reference: string }
async function chargeUnder(name: FaultName | null, params: FaultParams = {}): Promise<Made> {
  const shop = await service.shop()
  if (name !== null) await service.emulator.fault(name, { params })
  const { status, body } = await shop.live.charge({ customer: { phone: newPayer() } })
  assert.deepEqual([status, body.status], [201, 'authorized'])
  return { shop, id: body.id, reference: body.rail_reference }
}
const shown = async ({ shop, id }: Made) => (await shop.live.get(`/v1/charges/${id}`)).body
const kindsOf = async (id: string) => (await openOf(service, id)).map(({ kind }) => kind)
const reconcile = () => reconcileNow(service.gateway, BY_HAND)
/** The clocks of both. */
async function passBoth(ms: number): Promise<void> {
  service.pass(ms)
  await service.emulator.advance(ms)
}
const wait = async (hours: number) => {
  for (let hour = 0; hour < hours; hour += 1) {
    await passBoth(HOUR)
    await service.run('follow-charges')
  }
}
async function assertPaidOnce(made: Made): Promise<void> {
  assert.equal((await shown(made)).status, 'succeeded')
  const [events, transfers] = [await eventsOf(service, made.id), await transfersOf(service, made.id)]
  assert.deepEqual([events.length, transfers.length], [1, 2])
  assert.equal(service.emulator.oracle().references[made.reference]?.moves, 1)
}

test('33 neverResolves: it waits for ever, and after a day it is a case for a person', async () => {
  const made = await chargeUnder('neverResolves')
  await wait(25)
  await reconcile()
  assert.equal((await shown(made)).status, 'authorized')
  assert.deepEqual(await kindsOf(made.id), ['unresolved'])
})

test('34 lateSuccess: a success after silence is an ordinary one', async () => {
  const made = await chargeUnder('lateSuccess', { minutes: 6 })
  await passBoth(5 * MINUTE)
  await service.run('follow-charges')
  assert.equal((await shown(made)).status, 'authorized')
  await passBoth(2 * MINUTE)
  await followUntilEnded(service, made.id)
  await assertPaidOnce(made)
})

for (const first of ['FAILED', 'SUCCESSFUL'] as const)
  test(`35 reversal, ${first} first: what was told first stays, and payouts of that account pause`, async () => {
    const made = await chargeUnder('reversal', { first, ms: 10 * MINUTE })
    await passBoth(6000)
    await followUntilEnded(service, made.id)
    const status = first === 'FAILED' ? 'failed' : 'succeeded'
    assert.equal((await shown(made)).status, status)
    const transfers = (await transfersOf(service, made.id)).length
    await passBoth(16 * MINUTE)
    await reconcile()
    assert.deepEqual(await kindsOf(made.id), ['late_contradiction'])
    assert.equal((await shown(made)).status, status)
    assert.equal((await transfersOf(service, made.id)).length, transfers)
    const { text } = await pay(made.shop.live, { recipient: { phone: newPayer() } })
    assert.match(text, /paused on this account/)
  })

test('36 statusCap: questions are put off, and nothing is called failed', async () => {
  const all: Made[] = []
  for (let nth = 0; nth < 6; nth += 1) all.push(await chargeUnder(null))
  await service.emulator.fault('statusCap', { params: { times: 1 } })
  for (const { reference } of all) await service.emulator.resolve(reference, { status: 'SUCCESSFUL' })
  await passBoth(6000)
  await service.run('follow-charges')
  const after = await Promise.all(all.map(async (made) => (await shown(made)).status))
  assert.ok(after.includes('authorized'), 'not all could be asked about')
  assert.ok(!after.includes('failed'))
  await service.emulator.calm()
  for (const made of all) {
    await followUntilEnded(service, made.id)
    await assertPaidOnce(made)
  }
})

test('37 floatEmpty: the payout fails with its reason and gives the money back, and a person hears of our float', async () => {
  const { shop } = await paidBy(service)
  const before = await balanceOf(shop.live)
  await service.emulator.fault('floatEmpty')
  const { body } = await pay(shop.live, { recipient: { phone: newPayer() } })
  await service.emulator.resolve(body.rail_reference, { status: 'SUCCESSFUL' })
  await service.emulator.calm()
  await sendUntilEnded(service, body.id)
  const ended = (await shop.live.get(`/v1/payouts/${body.id}`)).body
  assert.deepEqual([ended.status, ended.failure_reason], ['failed', 'insufficient_funds'])
  assert.deepEqual(await balanceOf(shop.live), before)
  const told = await service.rows(`select 1 from directory.rail_troubles where kind = 'float' and side = 'disburse'`)
  assert.ok(told.length > 0)
})

test('38 walletInactive: the account is said to be closed, and a payout to it fails with the reason of the wallet', async () => {
  const { shop } = await paidBy(service)
  const before = await balanceOf(shop.live)
  const phone = newPayer()
  await service.emulator.fault('walletInactive', { params: { phone } })
  const looked = await shop.live.get(`/v1/resolve-account?phone=${phone}`)
  assert.equal(looked.body.active, false)
  const { body } = await pay(shop.live, { recipient: { phone } })
  await service.emulator.resolve(body.rail_reference, {
    status: 'FAILED',
    reason: 'PAYEE_NOT_ALLOWED_TO_RECEIVE',
  })
  await sendUntilEnded(service, body.id)
  const ended = (await shop.live.get(`/v1/payouts/${body.id}`)).body
  assert.deepEqual([ended.status, ended.failure_reason], ['failed', 'wallet_locked'])
  assert.deepEqual(await balanceOf(shop.live), before)
})

test('39 kycDenied: the account is there, without a name', async () => {
  const { shop } = await paidBy(service)
  await service.emulator.fault('kycDenied')
  const { status, body } = await shop.live.get(`/v1/resolve-account?phone=${newPayer()}`)
  await service.emulator.calm()
  assert.deepEqual([status, body.active, body.registered_name], [200, true, null])
})

test('41 restart that keeps its book: the payments under way are paid once', async () => {
  const made = await chargeUnder(null)
  await service.emulator.fault('restart', { params: { record: true } })
  await service.emulator.resolve(made.reference, { status: 'SUCCESSFUL' })
  await followUntilEnded(service, made.id)
  await assertPaidOnce(made)
})

test('41 restart that loses its book: an open one never arrived, a paid one is ours only, and nothing is called failed', async () => {
  const paid = await paidBy(service)
  const open = await chargeUnder(null)
  await service.emulator.fault('restart', { params: { record: false } })
  for (let look = 0; look < 4; look += 1) {
    await wait(9)
    await reconcile()
  }
  assert.equal((await shown(open)).status, 'authorized')
  assert.deepEqual(await kindsOf(open.id), ['never_arrived'])
  assert.equal((await shown(paid)).status, 'succeeded')
  assert.deepEqual(await kindsOf(paid.id), ['ours_only'])
})

test('42 executeTwice: the statement shows that the operator moved one reference twice', async () => {
  const made = await chargeUnder('executeTwice')
  await service.emulator.resolve(made.reference, { status: 'SUCCESSFUL' })
  await followUntilEnded(service, made.id)
  const path = join(mkdtempSync(join(tmpdir(), 'twice-')), 'statement.csv')
  writeFileSync(path, service.emulator.statement())
  await importStatement(service.gateway, BY_HAND, {
    source: fromPath(path),
    installation: 'ug-1',
    period: null,
    dryRun: false,
  })
  assert.deepEqual(await kindsOf(made.id), ['doubled_by_rail'])
  assert.equal((await transfersOf(service, made.id)).length, 2)
})
