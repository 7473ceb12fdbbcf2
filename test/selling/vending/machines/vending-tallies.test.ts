import assert from 'node:assert/strict'
import test from 'node:test'
import { getMerchantNamed } from '../../../../src/merchants/account/set-merchant.ts'
import type { Mode } from '../../../../src/platform/mode.ts'
import { addMachine, removeMachine } from '../../../../src/selling/vending/machines/machines.ts'
import { setVending } from '../../../../src/selling/vending/suppliers/vending-settings.ts'
import { startSupplier } from '../../../fakes/supplier.ts'
import { type CallbackKind, callbackOf, postCallback } from '../../../fakes/supplier-callbacks.ts'
import { succeed } from '../../../helpers/payments/following-charges.ts'
import { newCard } from '../../../helpers/payments/gift-cards.ts'
import { BY_HAND } from '../../../helpers/service/actors.ts'
import { newPayer, type Shop, startLiveService } from '../../../helpers/service/live-service.ts'
import { opened, openedAndVerified } from '../../../helpers/service/opened.ts'
import { sized } from '../../../helpers/service/parts.ts'
import type { Client } from '../../../helpers/service/test-service.ts'

const TALLIES = '/v1/vending/machines/tallies'
const MACHINES = ['A', 'B', 'C']
const GOODS = [{ spbh: '1' }, { spbh: '2' }]
const DAY = 24 * 3_600_000
const supplier = opened(() => startSupplier())
const service = openedAndVerified(() => startLiveService({ env: { SUPPLIER_ALLOW_PRIVATE: supplier.place } }))

type Vendor = Shop & { merchantId: number; tag: string }
async function vendor(): Promise<Vendor> {
  const shop = await service.shop({ vending: true })
  const { merchant } = await getMerchantNamed(service.gateway, shop.merchant.id)
  await setVending(service.app, BY_HAND, { merchant, change: { supplier: supplier.access } })
  for (const machine of [...MACHINES, 'EMPTY'])
    await addMachine(service.app, BY_HAND, { merchantId: merchant.id, machine, name: `Machine ${machine}` })
  return { ...shop, merchantId: merchant.id, tag: merchant.tag }
}

/** Numbers that look random and are the same in every run. */
function draws(seed: number) {
  let state = seed
  const below = (limit: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * limit)
  }
  return { below, one: <T>(of: readonly T[]) => of[below(of.length)] as T }
}
type Draws = ReturnType<typeof draws>

async function makeOrder(api: Client, machine: string, amount: number): Promise<string> {
  const made = await api.post('/v1/vending/orders', { machine, amount, goods: GOODS })
  assert.equal(made.status, 201, made.text)
  return made.body.order_id
}
async function submit(id: string, more: Record<string, string> = {}): Promise<void> {
  const body = new URLSearchParams({ phone: newPayer(), channel: 'op1_momo', ...more })
  const sent = await fetch(`${service.url}/pay/${id}/submit`, { method: 'POST', body, redirect: 'manual' })
  assert.ok(sent.status < 400, `${sent.status} ${await sent.text()}`)
}
const read = async (api: Client, id: string) => (await api.get(`/v1/vending/orders/${id}`)).body

/** One order with a random course: left alone, invalidated, refused, paid, dispensed, jammed, refunded. */
async function liveOrder(who: Vendor, { below, one }: Draws): Promise<void> {
  const amount = 300 + below(40) * 250
  const id = await makeOrder(who.live, one(MACHINES), amount)
  const fate = one(['alone', 'taken back', 'refused', 'paid', 'paid', 'paid', 'paid', 'paid'])
  if (fate === 'alone') return
  if (fate === 'taken back')
    return assert.equal((await who.live.post(`/v1/vending/orders/${id}/invalidate`)).status, 200)
  const card = below(3) === 0 ? await newCard(service, who, 200 + below(5000)) : null
  await submit(id, card === null ? {} : { voucher: card.code })
  const { charge_id: chargeId, payment_status: status } = await read(who.live, id)
  if (fate === 'refused') service.operator.refuses(chargeId, 'APPROVAL_REJECTED')
  if (status !== 'succeeded') await succeed(service, chargeId)
  if (fate === 'refused' && status !== 'succeeded') return
  if (below(6) === 0) return
  await service.run('dispense')
  const kind = one<CallbackKind | null>(['done', 'done', 'partial', 'jam', null])
  if (kind !== null) await report(kind, id, chargeId)
  if (below(4) === 0) await who.live.post(`/v1/charges/${chargeId}/refund`)
}

async function report(kind: CallbackKind, orderId: string, chargeId: string): Promise<void> {
  const machine = supplier.commands.find((command) => command.orderId === orderId)?.machine ?? ''
  const { secret } = supplier.access
  const body = callbackOf(kind, {
    at: service.clock.nowMs(),
    secret,
    machine,
    orderId,
    chargeId,
    goods: GOODS,
  })
  const answer = await postCallback(service.url, body)
  assert.deepEqual([answer.status, answer.body?.code], [200, '1'], answer.text)
}

async function history(who: Vendor, orders: number, drawn: Draws): Promise<void> {
  for (let order = 0; order < orders; order += 1) {
    await liveOrder(who, drawn)
    if (drawn.below(8) !== 0) continue
    service.pass(DAY)
    await service.run('settle-charges')
  }
}

// Computed from the ledger and the payouts: the only input shared with the tallies is which charge belongs to which order.
const LEDGER = `select o.machine, count(*)::int as orders,
    coalesce(sum(l.collected), 0)::int as collected, coalesce(sum(l.fees), 0)::int as fees,
    coalesce(sum(l.settled), 0)::int as settled, coalesce(sum(l.held), 0)::int as pending_hold,
    coalesce(sum(r.amount), 0)::int as refunded, coalesce(sum(u.amount), 0)::int as gift_cards
  from vending_orders o
  left join charges c on c.payment_link_id = o.id and c.status in ('succeeded', 'refunded')
  left join lateral (select sum(t.amount) as collected, sum(t.amount) filter (where t.kind = 'charge_fee') as fees,
      sum(t.amount) filter (where t.kind = 'charge_net' and (t.credit = 'available' or released)) as settled,
      sum(t.amount) filter (where t.kind = 'charge_net' and t.credit = 'pending' and not released) as held
    from transfers t cross join lateral (select exists (select from transfers s where s.merchant_id = t.merchant_id
      and s.kind = 'hold_release' and s.subject = c.settlement_id) as released) e
    where t.merchant_id = c.merchant_id and t.subject = c.id and t.kind in ('charge_net', 'charge_fee')) l on true
  left join payouts r on r.charge_id = c.id and r.kind = 'refund'
  left join gift_card_uses u on u.charge_id = c.id and u.state in ('taken', 'restored')
  where o.merchant_id = $1 and o.mode = $2 and o.created_at >= $3
  group by o.machine order by o.machine`

async function fromLedger(who: Vendor, mode: Mode, since = '2000-01-01'): Promise<any[]> {
  return service.rows(LEDGER, [who.merchantId, mode, since])
}
const money = ({ machine, orders, collected, fees, settled, pending_hold, refunded, gift_cards }: any) => ({
  machine,
  orders,
  collected,
  fees,
  settled,
  pending_hold,
  refunded,
  gift_cards,
})
const tallies = async (client: Client, query = '') => {
  const { status, body, text } = await client.get(`${TALLIES}${query}`)
  assert.equal(status, 200, text)
  for (const { machine, collected, fees, settled, pending_hold } of body.machines)
    assert.equal(collected - fees, settled + pending_hold, machine)
  return body
}

test('the tallies of a random history match the ledger, for each machine and since any time', async () => {
  const [who, stranger] = [await vendor(), await vendor()]
  const drawn = draws(20_261_121)
  await history(who, sized(12, 25), drawn)
  await history(stranger, 3, drawn)
  const middle = new Date(service.clock.nowMs()).toISOString()
  service.pass(1)
  await history(who, sized(12, 25), drawn)
  await sandboxOrder(who, 'A', 5000)
  const { machines } = await tallies(who.live)
  assert.deepEqual(machines.filter(({ orders }: any) => orders > 0).map(money), await fromLedger(who, 'live'))
  const sum = (name: string) => machines.reduce((total: number, one: any) => total + one[name], 0)
  for (const name of ['collected', 'settled', 'pending_hold', 'refunded', 'gift_cards', 'fees', 'cancelled'])
    assert.ok(sum(name) > 0, `the history has ${name}`)
  assert.equal((await who.live.get('/v1/balance')).body.balances[0].pending, sum('pending_hold'))
  const later = await tallies(who.live, `?since=${middle}`)
  const { length } = later.machines.filter(({ orders }: any) => orders > 0)
  assert.ok(length > 0)
  assert.deepEqual(later.machines.slice(0, length).map(money), await fromLedger(who, 'live', middle))
  assert.deepEqual((await tallies(who.live, '?machine=B')).machines, [machines[1]])
  assert.deepEqual((await tallies(who.test)).machines.slice(0, 3).map(money)[0], (await fromLedger(who, 'test'))[0])
  await sameCounts(who, machines)
})

/** Compares the counts of the tallies with each order as its own merchant reads it. */
async function sameCounts(who: Vendor, machines: any[]): Promise<void> {
  const ids = await service.rows<{ id: string }>(
    "select id from vending_orders where merchant_id = $1 and mode = 'live'",
    [who.merchantId],
  )
  const orders = await Promise.all(ids.map(({ id }) => read(who.live, id)))
  for (const machine of machines) {
    const own = orders.filter((order) => order.machine === machine.machine)
    const count = (holds: (order: any) => boolean) => own.filter(holds).length
    assert.deepEqual(
      [machine.orders, machine.paid, machine.dispensed, machine.dispense_failed, machine.cancelled],
      [
        own.length,
        count(({ payment_status }) => payment_status === 'succeeded'),
        count(({ vending_status }) => vending_status === 'dispensed'),
        count(({ vending_status }) => vending_status === 'failed'),
        count(({ expired }) => expired),
      ],
      machine.machine,
    )
    assert.equal(
      machine.units_dispensed,
      own.reduce((total, { units_dispensed }) => total + (units_dispensed ?? 0), 0),
    )
  }
}

async function sandboxOrder(who: Vendor, machine: string, amount: number): Promise<void> {
  await submit(await makeOrder(who.test, machine, amount), { phone: '0700000000' })
  service.pass(2000)
  await service.run('follow-charges')
}

const NOTHING = {
  orders: 0,
  paid: 0,
  collected: 0,
  gift_cards: 0,
  fees: 0,
  settled: 0,
  pending_hold: 0,
  refunded: 0,
  dispensed: 0,
  units_dispensed: 0,
  dispense_failed: 0,
  cancelled: 0,
}

test('registered machines always appear, removed ones with the orders and the name they had', async () => {
  const who = await vendor()
  const empty = (machine: string) => ({
    machine,
    name: `Machine ${machine}`,
    registered: true,
    ...NOTHING,
  })
  const fresh = await tallies(who.test)
  assert.deepEqual(fresh, { mode: 'test', as_of: fresh.as_of, machines: ['A', 'B', 'C', 'EMPTY'].map(empty) })
  assert.ok(Math.abs(fresh.as_of - service.clock.nowMs() / 1000) < 5)
  await sandboxOrder(who, 'A', 1000)
  await service.set(who.merchant, { vendingEnabled: false })
  for (const machine of ['A', 'EMPTY'])
    await removeMachine(service.app, BY_HAND, { merchantId: who.merchantId, machine })
  const paid = { orders: 1, paid: 1, collected: 1000, fees: 200, settled: 800 }
  const { machines } = await tallies(who.test)
  assert.deepEqual(machines, [{ ...empty('A'), registered: false, ...paid }, empty('B'), empty('C')])
  assert.deepEqual((await tallies(who.live)).machines, [empty('B'), empty('C')], 'the modes never mix')
  assert.deepEqual((await tallies(who.test, '?machine=EMPTY')).machines, [])
  assert.deepEqual((await tallies(who.test, '?machine=nobody')).machines, [])
  assert.deepEqual((await tallies(who.test, '?machine=')).machines, machines)
  const tomorrow = new Date(service.clock.nowMs() + DAY).toISOString()
  assert.deepEqual((await tallies(who.test, `?since=${tomorrow}`)).machines, [empty('B'), empty('C')])
  for (const query of ['?since=yesterday', '?since=2026-02-30']) {
    const { status, body } = await who.test.get(`${TALLIES}${query}`)
    assert.deepEqual([status, body.error], [400, 'since must be an ISO 8601 datetime'], query)
  }
})
