import assert from 'node:assert/strict'
import test from 'node:test'
import { parseTagOfAnyPrefix } from '../../../src/platform/text/ids.ts'
import { followUntilEnded } from '../../helpers/payments/following-charges.ts'
import { importLines, linesAround, movedLine, numberOf } from '../../helpers/payments/operator-statements.ts'
import { payNew } from '../../helpers/payments/payouts.ts'
import { openOf, paidBy, platformOpen } from '../../helpers/payments/reconciling.ts'
import { newPayer, type Shop } from '../../helpers/service/live-service.ts'
import { entryFor, installationsFile, startOp1Service } from '../../helpers/service/op1-service.ts'
import { openedAndVerified } from '../../helpers/service/opened.ts'
import { startService } from '../../helpers/service/test-service.ts'

// Whom a statement says something about: the wallets, the contract and the hours that it is of, and the merchant whose id a line carries.
const service = openedAndVerified(() => startOp1Service({ env: { LIVE_HOLD_HOURS: '0' } }))
const HOUR = 3_600_000
const kindsOf = async (id: string) => (await openOf(service, id)).map(({ kind }) => kind)
const lineAbout = async (id: string, amount: number, type = 'collect', at = service.clock.now()) =>
  movedLine(await numberOf(service, id), id, amount, at, type)

/** A live payout that its operator has paid. */
async function paidOut(shop: Shop, amount = 10_000): Promise<string> {
  const { body } = await payNew(shop.live, { amount })
  await service.emulator.resolve(body.rail_reference, { status: 'SUCCESSFUL' })
  for (let step = 0; step < 20; step += 1) {
    service.pass(10_000)
    await service.run('send-payouts')
  }
  return body.id
}
const payingOut = async (shop: Shop) => (await payNew(shop.live, { amount: 10_000 })).status

test('a list of one wallet says nothing about the payments of the other', async () => {
  service.pass(30 * 24 * HOUR)
  const { shop, id } = await paidBy(service)
  const payout = await paidOut(shop)
  const leg = await importLines(service, [...linesAround(service), await lineAbout(id, 500_000)])
  assert.deepEqual([leg.agreed, leg.opened], [1, 0])
  assert.deepEqual(await kindsOf(payout), [])
  assert.equal(await payingOut(shop), 201)
  const other = await paidBy(service)
  await importLines(service, [...linesAround(service), await lineAbout(payout, 10_000, 'disburse')])
  assert.deepEqual(await kindsOf(other.id), [])
  await importLines(service, [
    ...linesAround(service),
    await lineAbout(payout, 10_000, 'disburse'),
    await lineAbout(id, 500_000),
  ])
  assert.deepEqual(await kindsOf(other.id), ['ours_only'], 'a list that has its side')
})

test('a list of one contract says nothing about the payments of another, and a list said to be of the wrong one is refused', async () => {
  service.pass(30 * 24 * HOUR)
  const mine = await paidBy(service)
  const file = installationsFile([
    entryFor(service.emulator, { id: 'ug-2' }),
    entryFor(service.emulator, { active: false }),
  ])
  const beside = await startService({
    env: { OP1_INSTALLATIONS: file.path, LIVE_HOLD_HOURS: '0' },
    database: service.database,
    clock: service.clock,
  })
  const live = beside.client(mine.shop.merchant.keys.live)
  const { body } = await live.charge({ amount: 500_000, customer: { phone: newPayer() } })
  await service.emulator.resolve(body.rail_reference, { status: 'SUCCESSFUL' })
  await followUntilEnded(beside, body.id)
  const listed = [...linesAround(service), await lineAbout(mine.id, 500_000)]
  for (const installation of ['ug-1', null]) {
    await importLines(beside, listed, { installation })
    assert.deepEqual(await kindsOf(body.id), [], String(installation))
  }
  const before = (await service.rows('select 1 from rail_statements')).length
  await assert.rejects(importLines(beside, listed, { installation: 'ug-2' }), {
    message: `line 4: ${mine.id} went through ug-1, and this file was said to be of ug-2`,
  })
  assert.equal((await service.rows('select 1 from rail_statements')).length, before, 'it covers nothing')
  assert.equal((await service.rows('select 1 from rail_statement_staged')).length, 0)
  await beside.close()
  file.remove()
})

test('a payment that was answered hours after it was sent is missing only from a list of all these hours', async () => {
  service.pass(30 * 24 * HOUR)
  const shop = await service.shop()
  const { body } = await shop.live.charge({ amount: 500_000, customer: { phone: newPayer() } })
  const sentAt = service.clock.nowMs()
  await service.emulator.resolve(body.rail_reference, { status: 'SUCCESSFUL' })
  service.pass(6 * HOUR)
  await followUntilEnded(service, body.id)
  const other = await paidBy(service)
  const about = await lineAbout(other.id, 500_000)
  const hours = (from: number, to: number) =>
    [from, to].map((hour, nth) => movedLine(`${nth + 1}`, '', 1, new Date(sentAt + hour * HOUR), 'other'))
  // It was booked just before midnight; this is the list of the day on which its answer came.
  await importLines(service, [...hours(1, 25), about])
  assert.deepEqual(await kindsOf(body.id), [])
  await importLines(service, [...hours(-20, 4), about])
  assert.deepEqual(await kindsOf(body.id), [], 'and the list before its answer')
  await importLines(service, [...hours(-20, 25), about])
  assert.deepEqual(await kindsOf(body.id), ['ours_only'])
})

test('a line that carries the tag of a merchant and names no movement of it is critical for that merchant', async () => {
  const { shop, id } = await paidBy(service)
  const stranger = `txn_${parseTagOfAnyPrefix(id)}bbbbbbbbbbbbbbbb`
  const line = movedLine('77', stranger.toUpperCase(), 900, service.clock.now())
  const first = await importLines(service, [...linesAround(service), line])
  assert.equal(first.opened, 1)
  const [found] = await openOf(service, stranger)
  assert.deepEqual([found?.kind, found?.severity], ['rail_only', 'critical'])
  assert.equal(await payingOut(shop), 400)
  assert.equal((await importLines(service, [...linesAround(service), line])).opened, 0, 'it is open')
})

test('ids and references in capitals, and a number alone, are those of the movement; a number of nobody is one exception each', async () => {
  service.pass(30 * 24 * HOUR)
  const [one, two, three] = [await paidBy(service), await paidBy(service), await paidBy(service)]
  const at = service.clock.now()
  const before = (await platformOpen(service)).length
  const leg = await importLines(service, [
    ...linesAround(service),
    movedLine(await numberOf(service, one.id), one.id.toUpperCase(), 500_000, at),
    movedLine(await numberOf(service, two.id), two.reference.toUpperCase().replaceAll('-', ''), 500_000, at),
    movedLine(`00${await numberOf(service, three.id)}`, '', 500_000, at),
    movedLine('9000000001', '', 5, at),
    movedLine('9000000002', '', 5, at),
  ])
  assert.deepEqual([leg.lookedAt, leg.agreed, leg.opened], [5, 3, 2])
  for (const { id } of [one, two, three]) assert.deepEqual(await kindsOf(id), [])
  const nobodys = (await platformOpen(service)).slice(before).map(({ subject }) => subject)
  assert.deepEqual(nobodys, ['number 9000000001', 'number 9000000002'])
})

test('a line in another currency than its contract is refused with its number, and nothing of the file is kept', async () => {
  service.pass(30 * 24 * HOUR)
  const mine = await paidBy(service)
  const file = installationsFile([
    entryFor(service.emulator, { id: 'sandbox', currency: 'EUR' }),
    entryFor(service.emulator, { active: false }),
  ])
  const beside = await startService({
    env: { OP1_INSTALLATIONS: file.path, LIVE_HOLD_HOURS: '0' },
    database: service.database,
    clock: service.clock,
  })
  const stored = async () => (await service.rows('select 1 from rail_statement_lines')).length
  const before = await stored()
  const inEuros = (line: string) => line.replace(',UGX,', ',EUR,')
  const own = await lineAbout(mine.id, 500_000)
  const nobodys = linesAround(service)
  const refused = (lines: string[], installation: string | null, message: RegExp) =>
    assert.rejects(importLines(beside, lines, { installation }), { message })
  await refused(
    [...nobodys, inEuros(own)],
    null,
    /^line 4: currency of txn_\w+ must be UGX, which ug-1 moves, not EUR$/,
  )
  await refused([own, own.replace(',UGX,', ',USD,')], null, /^line 3: currency must be EUR or UGX, not USD$/)
  await refused([own], 'sandbox', /^line 2: currency must be EUR, which sandbox moves, not UGX$/)
  await refused([inEuros(own)], 'ug-1', /^line 2: currency must be UGX, which ug-1 moves, not EUR$/)
  assert.equal(await stored(), before)
  assert.deepEqual(await kindsOf(mine.id), [], 'no merchant is stopped by a file of another wallet')
  const leg = await importLines(beside, [...nobodys, own, inEuros(own).replace(mine.id, 'of the sandbox')], {
    installation: null,
  })
  assert.equal(leg.agreed, 1)
  assert.equal((await importLines(beside, nobodys.map(inEuros), { installation: 'sandbox' })).lookedAt, 0)
  await beside.close()
  file.remove()
})
