import assert from 'node:assert/strict'
import test from 'node:test'
import { startEmulator } from '../../emulator/emulator.ts'
import type { FaultName, FaultParams } from '../../emulator/faults.ts'
import { opened } from '../helpers/service/opened.ts'
import { partnerOf, partyOf } from './partner.ts'

// Faults of rails.md 6.5 in what the operator tells later: what questions hear, and where the money is.
const operator = opened(async () => {
  const emulator = await startEmulator({ clock: 'virtual', statusCap: null, decide: 'at once' })
  return { emulator, close: () => emulator.close() }
})
const MINUTE = 60_000

async function paid(fault: FaultName | string, params: FaultParams = {}) {
  const { emulator } = operator
  // With a token of its own: time has passed.
  const partner = partnerOf(emulator)
  const isPhone = /^[0-9]+$/.test(fault)
  if (!isPhone) await emulator.fault(fault as FaultName, { params })
  const { reference } = await partner.pay(isPhone ? partyOf('collection', `2567700001${fault}`) : {})
  const ask = async () => {
    const { status, body } = await partner.ask(reference)
    return status === 200 ? body : { status }
  }
  const words = async (times: number) => {
    const heard: unknown[] = []
    for (let nth = 0; nth < times; nth += 1) heard.push((await ask()).status)
    return heard
  }
  return { reference, ask, words, movesOf: () => emulator.oracle().references[reference]?.moves }
}

for (const fault of ['statusLag', '29'])
  test(`statusLag (${fault}): unknown after its 202, then known`, async () => {
    const one = await paid(fault)
    assert.deepEqual(await one.words(2), [404, 404])
    await operator.emulator.advance(30_000)
    assert.deepEqual(await one.words(1), ['SUCCESSFUL'])
  })

for (const fault of ['flap', '30'])
  test(`flap (${fault}): pending, unknown, pending, then the truth`, async () => {
    const one = await paid(fault)
    assert.deepEqual(await one.words(5), ['PENDING', 404, 'PENDING', 'SUCCESSFUL', 'SUCCESSFUL'])
  })

for (const fault of ['contradiction', '31'])
  test(`contradiction (${fault}): SUCCESSFUL with a reason`, async () => {
    const { ask } = await paid(fault)
    const { status, reason } = await ask()
    assert.deepEqual([status, reason], ['SUCCESSFUL', 'NOT_ENOUGH_FUNDS'])
  })

test('mismatch: one field says something else, and the oracle knows better', async () => {
  const truth = { amount: '500', currency: 'UGX', party: '256772000001', externalId: 'txn_1' }
  for (const field of ['amount', 'currency', 'party', 'externalId'] as const) {
    const { ask, reference } = await paid('mismatch', { field })
    const { amount, currency, payer, externalId } = await ask()
    const told = { amount, currency, party: payer.partyId, externalId }
    const wrong = Object.entries(truth).filter(([name, value]) => told[name as 'amount'] !== value)
    assert.deepEqual(
      wrong.map(([name]) => name),
      [field],
    )
    assert.equal(operator.emulator.oracle().references[reference]?.amount, 500)
  }
  assert.notEqual((await (await paid('32')).ask()).amount, '500')
})

for (const fault of ['neverResolves', '33'])
  test(`neverResolves (${fault}): pending for good`, async () => {
    const one = await paid(fault)
    await operator.emulator.advance(55 * MINUTE)
    assert.deepEqual([...(await one.words(1)), one.movesOf()], ['PENDING', 0])
  })

for (const fault of ['lateSuccess', '34'])
  test(`lateSuccess (${fault}): a success after minutes of silence`, async () => {
    const one = await paid(fault)
    await operator.emulator.advance(5 * MINUTE)
    assert.deepEqual(await one.words(1), ['PENDING'])
    await operator.emulator.advance(MINUTE)
    assert.deepEqual([...(await one.words(1)), one.movesOf()], ['SUCCESSFUL', 1])
  })

for (const [fault, params, first, last] of [
  ['reversal', {}, 'FAILED', 'SUCCESSFUL'],
  ['reversal', { first: 'SUCCESSFUL' }, 'SUCCESSFUL', 'FAILED'],
  ['35', {}, 'FAILED', 'SUCCESSFUL'],
] as const)
  test(`reversal (${fault}): ${first} is told, later ${last}, and the money follows`, async () => {
    const before = operator.emulator.wallets().collection
    const one = await paid(fault, params)
    assert.deepEqual([...(await one.words(1)), one.movesOf()], [first, first === 'SUCCESSFUL' ? 1 : 0])
    await operator.emulator.advance(10 * MINUTE)
    assert.deepEqual([...(await one.words(1)), one.movesOf()], [last, last === 'SUCCESSFUL' ? 1 : 0])
    const moved = (operator.emulator.wallets().collection ?? 0) - (before ?? 0)
    assert.equal(moved, last === 'SUCCESSFUL' ? 500 : 0)
  })

for (const fault of ['executeTwice', '42'])
  test(`executeTwice (${fault}): one reference, two movements, two lines in the statement`, async () => {
    const one = await paid(fault)
    assert.deepEqual([...(await one.words(1)), one.movesOf()], ['SUCCESSFUL', 2])
    const { financialTransactionId: id } = await one.ask()
    const lines = operator.emulator.statement().split('\n')
    assert.equal(lines.filter((line) => line.startsWith(id)).length, 2)
  })

test('reasonAsObject (43), numbersAsText (44), numbers, and an unknown word (45)', async () => {
  const object = await paid('43')
  await operator.emulator.advance(1000)
  assert.deepEqual((await object.ask()).reason, { code: 'APPROVAL_REJECTED', message: 'APPROVAL_REJECTED' })
  const text = await (await paid('44')).ask()
  assert.deepEqual([typeof text.amount, typeof text.financialTransactionId], ['string', 'string'])
  const number = await (await paid('numbersAsNumbers')).ask()
  assert.deepEqual([typeof number.amount, typeof number.financialTransactionId], ['number', 'number'])
  assert.deepEqual(await (await paid('45')).words(1), ['UNDER_REVIEW'])
})
