import assert from 'node:assert/strict'
import test from 'node:test'
import { holdLink, lockLink } from '../../../src/selling/payment-links/hold-link.ts'
import { countLockWaits } from '../../helpers/database/lock-waits.ts'
import { newPayer } from '../../helpers/service/live-service.ts'
import { LINKS, openPaidLinks } from '../../helpers/web/paid-links.ts'

const { service, shop, link, read, stateOf, hold, merchantOf, attemptOn, submit, outcome, refund, flip } =
  openPaidLinks()

test('a one-shot link goes from pending to authorized to succeeded to refunded', async () => {
  const { id } = await link()
  const charge = await attemptOn(id)
  assert.deepEqual(await stateOf(id), ['authorized', null, null])
  await outcome()
  assert.deepEqual(await stateOf(id), ['succeeded', 'succeeded', charge])
  await refund(charge)
  assert.deepEqual(await stateOf(id), ['refunded', 'refunded', charge])
})

test('a failed attempt shows on a one-shot link until the customer tries again', async () => {
  const { id } = await link()
  await attemptOn(id, '0700000002')
  await outcome()
  assert.deepEqual(await stateOf(id), ['failed', null, null])
  await hold(id, null)
  assert.deepEqual(await stateOf(id), ['pending', null, null])
  const second = await attemptOn(id)
  assert.deepEqual(await stateOf(id), ['authorized', null, null])
  await outcome()
  assert.deepEqual(await stateOf(id), ['succeeded', 'succeeded', second])
})

test('an attempt that was taken back because the operator could not be reached does not show', async () => {
  const { id } = await link({}, shop.live)
  const phone = newPayer()
  service.operator.onSubmit({ answer: 'refuse to serve' }, phone)
  assert.equal((await submit(id, phone)).status, 502)
  const [row] = await service.rows('select charge_id from payment_links where id = $1', [id])
  assert.notEqual(row?.charge_id, null, 'its row still names what was taken back')
  const { status, charge_id } = await read(id, shop.live)
  assert.deepEqual([status, charge_id], ['pending', null])
})

test('a reusable link is active and names the newest payment that ever succeeded', async () => {
  const { id } = await link({ allow_multiple_uses: true })
  assert.deepEqual(await stateOf(id), ['active', null, null])
  const first = await attemptOn(id)
  assert.deepEqual(await stateOf(id), ['active', null, null])
  await outcome()
  assert.deepEqual(await stateOf(id), ['active', 'succeeded', first])
  const second = await attemptOn(id)
  await outcome()
  await attemptOn(id, '0700000001')
  await outcome()
  assert.deepEqual(await stateOf(id), ['active', 'succeeded', second], 'one that failed later is none')
  await refund(first)
  assert.deepEqual(await stateOf(id), ['active', 'succeeded', second])
  await refund(second)
  assert.deepEqual(await stateOf(id), ['active', 'refunded', second])
})

test('a link looks the same by id and in both lists, whatever has become of it', async () => {
  const api = shop.test
  const ids = [await link({ reference: 'all' }), await link({ reference: 'all' })].map(({ id }) => id)
  ids.push((await link({ reference: 'all', allow_multiple_uses: true })).id)
  await attemptOn(ids[1] as string)
  await attemptOn(ids[2] as string)
  await outcome()
  await attemptOn(ids[0] as string)
  await flip(ids[2] as string, 'off')
  const single = new Map(await Promise.all(ids.map(async (id) => [id, await read(id)] as const)))
  assert.deepEqual(
    ids.map((id) => single.get(id).status),
    ['authorized', 'succeeded', 'inactive'],
  )
  for (const query of ['reference=all', 'limit=3']) {
    const { data } = (await api.get(`${LINKS}?${query}`)).body
    assert.equal(data.length, 3)
    for (const row of data) assert.deepEqual(row, single.get(row.id), query)
  }
})

test('a link that is switched off is inactive until it is switched on again; the first time is kept', async () => {
  const { id } = await link()
  for (const to of ['off', 'off'] as const) {
    assert.notEqual((await flip(id, to)).switchedOffAt, null)
    assert.deepEqual([(await read(id)).status, (await read(id)).is_active], ['inactive', false])
    service.pass(1000)
  }
  const [first] = await service.rows<{ at: Date }>('select switched_off_at as at from payment_links where id = $1', [
    id,
  ])
  assert.ok(first)
  assert.ok(service.clock.nowMs() - first.at.getTime() >= 2000)
  await flip(id, 'on')
  assert.deepEqual([(await read(id)).status, (await read(id)).is_active], ['pending', true])
})

test('a paid one-shot link still says that it is paid after it is switched off and on', async () => {
  const { id } = await link()
  const charge = await attemptOn(id)
  await flip(id, 'off')
  assert.deepEqual(await stateOf(id), ['inactive', null, null], 'a payment is under way')
  await outcome()
  assert.deepEqual(await stateOf(id), ['succeeded', 'succeeded', charge])
  await flip(id, 'on')
  assert.deepEqual(await stateOf(id), ['succeeded', 'succeeded', charge])
})

test('switching off waits for a payment that is just being started, and does not undo it', async () => {
  const { id } = await link()
  const merchantId = await merchantOf(id)
  const charge = (await shop.test.charge({ customer: { phone: '0700000000' } })).body.id
  let switching = Promise.resolve<unknown>(null)
  await service.app.db.transaction(async (tx) => {
    const [[row]] = await tx.send(lockLink(merchantId, id))
    assert.equal(row?.switchedOffAt, null)
    switching = flip(id, 'off')
    while ((await countLockWaits(service)) === 0) await service.rows('select 1')
    return { value: null, last: [holdLink({ merchantId, id, chargeId: charge })] }
  })
  await switching
  const [row] = await service.rows('select charge_id, switched_off_at from payment_links where id = $1', [id])
  assert.equal(row?.charge_id, charge)
  assert.notEqual(row?.switched_off_at, null)
  await hold(id, null)
})
