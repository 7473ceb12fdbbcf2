import assert from 'node:assert/strict'
import test from 'node:test'
import { stopStandingOrder } from '../../../../src/payments/withdrawals/standing-orders/set-standing-order.ts'
import { STANDING_ORDER_MOVES } from '../../../../src/payments/withdrawals/standing-orders/standing-order.ts'
import { mayMove, statesOf } from '../../../../src/platform/moves.ts'
import { movableClock } from '../../../../src/platform/time/clock.ts'
import { startPayingService } from '../../../helpers/payments/payouts.ts'
import { OWN_NUMBER, orderingShop, runAfter } from '../../../helpers/payments/standing-orders.ts'
import { opened, openedAndVerified } from '../../../helpers/service/opened.ts'
import { startService } from '../../../helpers/service/test-service.ts'

const HOUR = 3_600_000
const clock = movableClock()
const service = openedAndVerified(() => startPayingService({ clock }))
const other = opened(() =>
  startService({
    clock,
    database: service.database,
    liveRails: { op1_momo: service.rail },
    env: { LIVE_HOLD_HOURS: '0' },
  }),
)

/** Four workers of two processes. */
const runFour = () => Promise.all([service, other, service, other].map((at) => at.run('run-standing-orders')))

test('four workers that look at the same time make one withdrawal of each order, and never more than its day', async () => {
  const shops = []
  for (let nth = 0; nth < 3; nth += 1) shops.push(await orderingShop(service))
  for (const shop of shops) {
    await shop.set({ dayLimit: 40_000, keepBack: 1000 })
    await shop.approve(30_000)
  }
  service.pass(HOUR)
  await runFour()
  for (const shop of shops) assert.deepEqual(await shop.amounts(), [[40_000, false]])
})

test('an order that is stopped, changed, or whose number changes while it runs, sends as it was or not at all', async () => {
  for (let round = 0; round < 6; round += 1) {
    const shop = await orderingShop(service)
    const { id } = await shop.set({ keepBack: 1000 })
    await shop.approve()
    service.pass(HOUR)
    const { merchantId } = shop
    const changes = [
      () => stopStandingOrder(service.app, shop.caller, { merchantId, id, note: null }),
      () => shop.set({ keepBack: 400_000 }),
      () => shop.setNumber('0772 000 888'),
    ]
    await Promise.all([runFour(), changes[round % changes.length]?.()])
    await runAfter(service, 2 * HOUR)
    const runs = await shop.runs()
    assert.ok(runs.length <= 1, `${runs.length} runs`)
    assert.deepEqual(
      runs.filter(({ phone, byItself }) => phone !== OWN_NUMBER || !byItself),
      [],
    )
    assert.notEqual((await shop.find()).state, 'approved')
  }
})

test('payouts that compete with a run never take what it keeps back: the run sends what is there when it locks', async () => {
  const shop = await orderingShop(service, 200_000)
  await shop.set({ keepBack: 50_000 })
  await shop.approve()
  service.pass(HOUR)
  const single = { amount: 20_000, recipient: { phone: '0700000000' } }
  await Promise.all([runFour(), ...Array.from({ length: 4 }, () => shop.live.post('/v1/payouts', single))])
  const [run] = await shop.runs()
  assert.ok(run && run.amount <= 150_000)
  assert.ok((await shop.available()) >= 0)
})

test('a clock that goes back makes no second run of a time, and none before the next one', async () => {
  const shop = await orderingShop(service)
  await shop.set({ rhythm: 'daily', weekday: null, hour: 12, dayLimit: 50_000 })
  await shop.approve()
  await runAfter(service, 24 * HOUR)
  const { dueAt } = await shop.find()
  for (const back of [1, 5, 30]) {
    clock.advance(-back * HOUR)
    await service.run('run-standing-orders')
    clock.advance(back * HOUR)
  }
  await service.run('run-standing-orders')
  assert.deepEqual([(await shop.runs()).length, (await shop.find()).dueAt], [1, dueAt])
  clock.advance(-24 * HOUR)
  await shop.set({ rhythm: 'daily', weekday: null, hour: 12, dayLimit: 60_000 })
  assert.deepEqual((await shop.approve()).dueAt, dueAt, 'a time that has run does not come again')
  clock.advance(24 * HOUR)
})

test('the database refuses a second run of a time, more than the limit of a day, and other terms than were approved', async () => {
  const shop = await orderingShop(service)
  const { id } = await shop.set({ dayLimit: 100_000 })
  await shop.approve(60_000)
  await shop.set({ dayLimit: 50_000 })
  await shop.approve()
  await runAfter(service, HOUR)
  const again = (changes: string) =>
    service.rows(
      `insert into standing_order_runs select (jsonb_populate_record(r, $2::jsonb)).* from standing_order_runs r where r.merchant_id = $1`,
      [shop.merchantId, changes],
    )
  await assert.rejects(again('{"withdrawal_id": "pout_other"}'), /standing_order_runs_pkey/)
  await assert.rejects(again('{"due_at": "2030-01-01T00:00:00Z"}'), /standing_order_runs_withdrawal/)
  const later = { due_at: '2030-01-01T00:00:00Z', withdrawal_id: 'pout_other', day_total: 100_000 }
  await assert.rejects(again(JSON.stringify(later)), /standing_order_runs_limit/)
  await assert.rejects(again(JSON.stringify({ ...later, day: '2020-01-01' })), /standing_order_runs_/)
  const change = (to: string) =>
    service.rows(`update standing_orders set ${to} where merchant_id = $1 and id = $2`, [shop.merchantId, id])
  for (const to of [
    `approved_phone = '256772999999'`,
    'approved_limit = 49999',
    'keep_back = 1',
    `rhythm = 'daily', hour = 3`,
  ])
    await assert.rejects(change(to), /standing_orders is append-only/, to)
  await assert.rejects(change('approved_limit = 50001'), /standing_orders_(?:approved_limit|keep)|append-only/)
})

test('an order moves only as its table says', async () => {
  const fields = {
    waiting: `waits_for = 'new', waits_since = now()`,
    approved: `approved_at = now(), approved_limit = 1, approved_phone = '1', due_at = now(), try_at = now()`,
    refused: '',
    stopped: 'stopped_at = now()',
  }
  const none = `waits_for = null, waits_since = null, approved_at = null, approved_limit = null, approved_phone = null, due_at = null, try_at = null, stopped_at = null`
  const shop = await orderingShop(service)
  const client = await service.app.db.pool.connect()
  try {
    const { id } = await shop.set({})
    const move = (state: keyof typeof fields) => {
      const given = fields[state]
      const names = given.split(', ').map((one) => one.split(' = ')[0])
      const rest = none.split(', ').filter((one) => !names.includes(one.split(' = ')[0] ?? ''))
      return client.query(
        `update standing_orders set ${[`state = '${state}'`, given, ...rest].filter(Boolean).join(', ')} where id = '${id}'`,
      )
    }
    for (const from of statesOf(STANDING_ORDER_MOVES))
      for (const to of statesOf(STANDING_ORDER_MOVES)) {
        if (from === to) continue
        await client.query('begin')
        // Every state is reached from the first one.
        if (from !== 'waiting') await move(from)
        const moved = await move(to).then(
          () => true,
          () => false,
        )
        await client.query('rollback')
        assert.equal(moved, mayMove(STANDING_ORDER_MOVES, from, to), `${from} to ${to}`)
      }
  } finally {
    client.release()
  }
})
