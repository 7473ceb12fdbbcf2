import assert from 'node:assert/strict'
import { type SupplierAccess, setVending } from '../../../../src/selling/vending/suppliers/vending-settings.ts'
import type { CommandHow } from '../../../fakes/supplier.ts'
import { succeed } from '../../../helpers/payments/following-charges.ts'
import { BY_HAND } from '../../../helpers/service/actors.ts'
import { longTest, test } from '../../../helpers/service/parts.ts'
import { setProfile } from '../../../helpers/vending/vending.ts'
import { DEAD, openVendors } from '../../../helpers/vending/vendors.ts'

// How an order ends for each answer of its supplier, or without an answer.
const { supplier, other, service, vendor, submitted, paid, read, claimOf, commandsFor } = openVendors()
const ACCEPTED = /^$/
const SAID = 'machine supplier refused the command: '
const DOUBT = /did not answer clearly/
type Row = [how: CommandHow, status: string, state: string, error: RegExp]
const ROWS: Row[] = [
  ['hang', 'dispensing', 'ambiguous', DOUBT],
  ['hang in the answer', 'dispensing', 'ambiguous', DOUBT],
  ['accept', 'dispensing', 'accepted', ACCEPTED],
  ['accept as number', 'dispensing', 'accepted', ACCEPTED],
  ['refuse', 'failed', 'released', new RegExp(`^${SAID}machine offline$`)],
  ['bad request', 'failed', 'released', new RegExp(`^${SAID}no such machine$`)],
  ['not found', 'failed', 'released', new RegExp(`^${SAID}HTTP 404$`)],
  ['echo', 'failed', 'released', new RegExp(`^${SAID}refused`)],
  ['error', 'dispensing', 'ambiguous', DOUBT],
  ['garbage', 'dispensing', 'ambiguous', DOUBT],
  ['list', 'dispensing', 'ambiguous', DOUBT],
  ['no code', 'dispensing', 'ambiguous', DOUBT],
  ['empty', 'dispensing', 'ambiguous', DOUBT],
  ['redirect', 'dispensing', 'ambiguous', DOUBT],
  ['cut', 'dispensing', 'ambiguous', DOUBT],
  ['too long', 'dispensing', 'ambiguous', DOUBT],
  ['reset after reading', 'dispensing', 'ambiguous', DOUBT],
]

longTest('every answer of a supplier counts only for what it proves, and no command is ever sent twice', async () => {
  const { live, machines } = await vendor()
  await machines(...ROWS.map(([how]) => how))
  const orders = []
  for (const [how] of ROWS) {
    supplier.behave(how, how)
    orders.push(await submitted(live, how))
  }
  for (const { chargeId } of orders) await succeed(service, chargeId)
  const startedAt = performance.now()
  await service.run('dispense')
  await service.run('dispense')
  const seconds = (performance.now() - startedAt) / 1000
  assert.ok(seconds > 29 && seconds < 55, `a supplier that is silent is given 30 s, not ${seconds}`)
  for (const [index, [how, status, state, error]] of ROWS.entries()) {
    const { id } = orders[index] as { id: string }
    const order = await read(live, id)
    assert.equal(order.vending_status, status, how)
    assert.match(order.vending_error ?? '', error, how)
    assert.equal((await claimOf(id)).state, state, how)
    assert.equal(commandsFor(id).length, 1, how)
    assert.ok(commandsFor(id)[0]?.genuine, how)
    assert.doesNotMatch(order.vending_error ?? '', /supplier-key|s3cr3t/, 'secrets are shown to nobody')
  }
  service.pass(3_600_000)
  await service.run('dispense')
  service.pass(24 * 3_600_000)
  await service.run('dispense')
  for (const { id } of orders) assert.equal(commandsFor(id).length, 1)
})

test('a connection reset before a byte was read is ambiguous, because the supplier may have read something', async () => {
  const { live, machines } = await vendor(other.access)
  await machines('R')
  const { id } = await paid(live, 'R')
  other.behave('reset before reading')
  await service.run('dispense')
  other.behave('accept')
  await service.run('dispense')
  assert.equal((await read(live, id)).vending_status, 'dispensing')
  assert.equal((await claimOf(id)).state, 'ambiguous')
  assert.equal(commandsFor(id).length, 0)
})

test('a command that was never sent has certainly failed, and the charge is free for another try', async () => {
  const at = (baseUrl: string) => ({ ...supplier.access, baseUrl })
  const cases: [SupplierAccess | null, RegExp][] = [
    [at(`http://${DEAD}`), /not reachable: connect$/],
    [at('https://nobody.shop.ug'), /not reachable: dns$/],
    [at('https://inside.shop.ug'), /its address is refused: private address$/],
  ]
  for (const [access, error] of cases) {
    const { live, machines, merchantId } = await vendor(access)
    await machines('M-1')
    const { id } = await paid(live, 'M-1')
    await service.run('dispense')
    const order = await read(live, id)
    assert.equal(order.vending_status, 'failed')
    assert.match(order.vending_error, error)
    assert.equal((await claimOf(id)).state, 'released')
    await setVending(service.app, BY_HAND, {
      merchant: { id: merchantId },
      change: { supplier: supplier.access },
    })
    const retried = await live.post(`/v1/vending/orders/${id}/dispense`)
    assert.deepEqual([retried.status, retried.body.ok, retried.body.vending_status], [200, true, 'dispensing'])
    assert.equal(commandsFor(id).length, 1)
  }
})

test('an order whose merchant lost its supplier after the payment fails, and is not left open', async () => {
  const { live, machines, merchantId } = await vendor()
  await machines('M-1')
  const { id } = await paid(live, 'M-1')
  // Nobody of the service takes it away; `verify` finds whoever does.
  const [taken] = await service.rows<{ row: object }>(
    'select to_jsonb(s) as row from vending_suppliers s where merchant_id = $1',
    [merchantId],
  )
  await service.rows('delete from vending_suppliers where merchant_id = $1', [merchantId])
  await service.run('dispense')
  await service.rows('insert into vending_suppliers select * from jsonb_populate_record(null::vending_suppliers, $1)', [
    taken?.row,
  ])
  const order = await read(live, id)
  assert.deepEqual([order.vending_status, order.vending_error], ['failed', `${SAID}no supplier is configured`])
  assert.equal(commandsFor(id).length, 0)
})

test('a profile without reports counts an acceptance as delivery, and nothing else', async () => {
  const { live, machines, merchantId } = await vendor()
  await setProfile(service, { merchantId }, 'optimistic')
  await machines('quick', 'slow')
  supplier.behave('error', 'slow')
  const [quick, slow] = [await paid(live, 'quick'), await paid(live, 'slow')]
  await service.run('dispense')
  assert.equal((await read(live, quick.id)).vending_status, 'dispensed')
  assert.equal((await read(live, slow.id)).vending_status, 'dispensing')
})
