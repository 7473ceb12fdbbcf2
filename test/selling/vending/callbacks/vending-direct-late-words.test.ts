import assert from 'node:assert/strict'
import test from 'node:test'
import type { DispenseClaim } from '../../../../src/selling/vending/dispensing/claim.ts'
import { moveDispense } from '../../../../src/selling/vending/dispensing/move-dispense.ts'
import { stillClock } from '../../../api/rate-limits/still-clock.ts'
import { made, openedAndVerified, prepare } from '../../../helpers/service/opened.ts'
import { putBack } from '../../../helpers/service/put-back.ts'
import { startService } from '../../../helpers/service/test-service.ts'
import { dispenseSecret, keptOf, report, send, vendingEventsOf } from '../../../helpers/vending/callbacks.ts'
import { DISPENSE, dispenseBody, paidCharge } from '../../../helpers/vending/direct-dispenses.ts'
import { claimsOf, commandsOf } from '../../../helpers/vending/dispense-claims.ts'
import { DELIVERED, JAM } from '../../../helpers/vending/machine-words.ts'
import { vendingShop } from '../../../helpers/vending/vending.ts'

let secret: string
const service = openedAndVerified(() => startService({ clock: stillClock() }))
const shop = made(() => vendingShop(service))
prepare(async () => {
  secret = await dispenseSecret(shop)
})

const dispense = async (charge: string, number: string, more: object = {}) =>
  (
    await shop.api.post(DISPENSE, dispenseBody(charge, { order_id: number, ...more }), {
      'idempotency-key': number,
    })
  ).status
const says = (kind: 'done' | 'jam', charge_id: string, more: object = {}) =>
  report(service, kind, { secret, charge_id, ...more })
const statesOf = async (charge: string) => (await claimsOf(service, charge)).map(({ state }) => state)
const namesOf = async (number: string) => (await vendingEventsOf(service, number)).map(({ event }) => event)

/** The process that claims the next command of a charge dies before it sends the command. */
async function claimUnsent(charge: string, number: string): Promise<void> {
  assert.equal(await dispense(charge, number), 200)
  await putBack(
    service,
    `update dispense_claims set state = 'claimed', commanded_at = null, answered_at = null, supplier_code = null,
       supplier_message = null, lease_until = (claimed_at at time zone 'UTC' + interval '60 seconds') at time zone 'UTC' where charge_id = $1 and order_id = $2`,
    [charge, number],
  )
  await service.rows('update idempotency_keys set status = null, body = null where key = $1', [number])
}

test("M9 a jam that is older than a charge's newest command does not end that command", async () => {
  const charge = await paidCharge(service, shop)
  assert.equal(await dispense(charge, 'old-jam-1'), 200)
  service.pass(1000)
  await send(service, says('jam', charge))
  service.pass(1)
  const older = says('jam', charge)
  service.pass(1000)
  assert.equal(await dispense(charge, 'old-jam-2'), 200)
  await send(service, older)
  assert.deepEqual(await statesOf(charge), ['released', 'accepted'])
  assert.equal(await dispense(charge, 'old-jam-3'), 409, 'one charge, two commands and no third')
  assert.deepEqual(await keptOf(service, 'old-jam-2'), ['contradiction'])
  service.pass(1)
  await send(service, says('jam', charge))
  assert.deepEqual(await statesOf(charge), ['released', 'released'], 'a jam of its own counts')
  assert.deepEqual(await namesOf('old-jam-2'), ['vending.dispense_failed'])
})

test("M9 a jam of a charge's first direct command counts, however slow the machine's clock is", async () => {
  const charge = await paidCharge(service, shop)
  const behind = says('jam', charge)
  service.pass(200_000)
  assert.equal(await dispense(charge, 'slow-clock'), 200)
  await send(service, behind)
  assert.deepEqual(await statesOf(charge), ['released'])
})

test('M9 while the next direct command waits, a repeated jam is ignored and a late delivery stops it', async () => {
  const charge = await paidCharge(service, shop)
  assert.equal(await dispense(charge, 'waits-1'), 200)
  service.pass(1000)
  await send(service, says('jam', charge))
  service.pass(1000)
  await claimUnsent(charge, 'waits-2')
  service.pass(1)
  await send(service, says('jam', charge, { order_id: 'waits-1' }))
  assert.deepEqual(await statesOf(charge), ['released', 'claimed'])
  service.pass(1)
  await send(service, says('done', charge, { order_id: 'waits-1' }))
  assert.deepEqual(await statesOf(charge), ['released', 'delivered'])
  assert.deepEqual(await namesOf('waits-2'), ['vending.dispensed'])
  service.pass(61_000)
  await service.run('dispense')
  await service.run('finish-keys')
  assert.equal(await commandsOf(service, charge), 1)
  const again = await shop.api.post(DISPENSE, dispenseBody(charge, { order_id: 'waits-2' }), {
    'idempotency-key': 'waits-2',
  })
  assert.deepEqual(
    [again.status, again.body.vending_status, again.body.ambiguous, again.body.supplier_response],
    [200, 'dispensed', false, null],
  )
})

test('M9 a late report of the machine commanded before stops the charge if it delivered, and ends nothing if it jammed', async () => {
  const charge = await paidCharge(service, shop)
  assert.equal(await dispense(charge, 'moved-1', { machine: 'M-1' }), 200)
  service.pass(1000)
  await send(service, says('jam', charge, { machine: 'M-1' }))
  service.pass(1000)
  assert.equal(await dispense(charge, 'moved-2', { machine: 'M-2' }), 200)
  service.pass(1000)
  await send(service, says('jam', charge, { machine: 'M-1' }))
  assert.deepEqual(await statesOf(charge), ['released', 'accepted'])
  service.pass(1000)
  await send(service, says('done', charge, { machine: 'M-1' }))
  assert.deepEqual(await statesOf(charge), ['released', 'delivered'])
  service.pass(1000)
  await send(service, says('jam', charge, { machine: 'M-2' }))
  assert.equal(await dispense(charge, 'moved-3', { machine: 'M-2' }), 409)
  assert.deepEqual(await namesOf('moved-2'), ['vending.dispensed'])
})

test('M9 a machine that this charge never commanded cannot report about it', async () => {
  const charge = await paidCharge(service, shop)
  assert.equal(await dispense(charge, 'never-told'), 200)
  for (const kind of ['jam', 'done'] as const) {
    service.pass(1)
    await send(service, says(kind, charge, { machine: 'M-2' }))
  }
  assert.deepEqual(await statesOf(charge), ['accepted'])
  assert.deepEqual(await keptOf(service, 'never-told'), ['mismatch', 'mismatch'])
})

test('M9 a simulated report of an earlier direct command does not end a later one', async () => {
  const charge = await paidCharge(service, shop)
  assert.equal(await dispense(charge, 'simulated-1'), 200)
  const [first] = await service.rows<Pick<DispenseClaim, 'id'>>('select id from dispense_claims where charge_id = $1', [
    charge,
  ])
  assert.ok(first)
  service.pass(1000)
  await send(service, says('jam', charge))
  service.pass(1000)
  assert.equal(await dispense(charge, 'simulated-2'), 200)
  const about = { claimId: first.id, while: ['commanding', 'accepted', 'ambiguous'] } as const
  const { merchantId } = shop
  for (const to of [JAM, DELIVERED])
    assert.equal(
      await moveDispense(service.app, {
        kind: 'direct',
        merchantId,
        id: charge,
        to,
        source: 'callback',
        about,
      }),
      'final',
    )
  assert.deepEqual(await statesOf(charge), ['released', 'accepted'])
})

test('M9 a jam belongs to the first command that was sent, even if an earlier claim was released unsent', async () => {
  const charge = await paidCharge(service, shop)
  await claimUnsent(charge, 'unsent-1')
  service.pass(41_000)
  await service.run('finish-keys')
  assert.deepEqual(await statesOf(charge), ['released'])
  const behind = says('jam', charge)
  service.pass(120_000)
  assert.equal(await dispense(charge, 'unsent-2'), 200)
  await send(service, behind)
  assert.deepEqual(await statesOf(charge), ['released', 'released'])
})

test('M9 the newest command counts, even if the clock stepped back before it was claimed', async () => {
  for (const [kind, states] of [
    ['done', ['released', 'delivered']],
    ['jam', ['released', 'released']],
  ] as const) {
    const charge = await paidCharge(service, shop)
    assert.equal(await dispense(charge, `back-${kind}-1`), 200)
    service.pass(1000)
    await send(service, says('jam', charge))
    service.pass(-5000)
    assert.equal(await dispense(charge, `back-${kind}-2`), 200)
    service.pass(10)
    await send(service, says(kind, charge))
    const rows = await service.rows<{ state: string }>(
      'select state from dispense_claims where charge_id = $1 order by order_id',
      [charge],
    )
    assert.deepEqual(
      rows.map(({ state }) => state),
      states,
    )
    service.pass(10_000)
  }
})
