import { setTimeout as sleep } from 'node:timers/promises'
import type { Mode } from '../../src/platform/mode.ts'
import { newPayer, openForms, pay } from './checkout.ts'
import { countKinds, type Fleet, newKey, type Race, type Reply, type Verdict } from './fleet.ts'
import { allDecided, chargesOn, isOpenOrPaid } from './link-charges.ts'
import {
  ask,
  commandsFor,
  endsOf,
  GOODS,
  MACHINES,
  machineMerchant,
  type Paid,
  takenUp,
  toldOrders,
} from './machine-orders.ts'
import { allEnded, createCharges } from './money.ts'
import { newLinks } from './new-links.ts'
import { joined } from './several.ts'

const MODES = ['test', 'live'] as const

const CALLS = 100

/** Race 14: a hundred calls over both endpoints spend one charge: one command, and all other callers are told so. */
export const dispensesOfOneCharge: Race = {
  name: `14 ${CALLS} dispenses of one charge over both endpoints`,
  async run(fleet) {
    const ofOrder = await dispensePaidOrder(fleet)
    const ofCharges: Verdict[] = []
    for (const mode of MODES) ofCharges.push(await dispenseCharge(fleet, mode))
    return joined([ofOrder, ...ofCharges])
  },
}

/** Paid, and refused by the supplier at first: it can be dispensed again once, and only through its order. */
async function dispensePaidOrder(fleet: Fleet): Promise<Verdict> {
  const [order] = await refusedOrders(fleet, 1)
  if (order === undefined) throw new Error('no order was refused')
  const before = commandsFor(fleet, order.charge)
  const replies = await Promise.all(
    Array.from({ length: CALLS }, (_, nth) =>
      nth % 2 === 0
        ? ask(fleet, nth, { mode: 'live', path: `/v1/vending/orders/${order.id}/dispense` })
        : ask(fleet, nth, { mode: 'live', ...directOf(order.charge, nth) }),
    ),
  )
  const [direct, retried] = [1, 0].map((rest) => replies.filter((_, nth) => nth % 2 === rest)) as [Reply[], Reply[]]
  await takenUp(fleet, order.charge)
  const commands = commandsFor(fleet, order.charge) - before
  const wrong = commands === 1 ? [] : [`${commands} commands for a retried order`]
  const done = retried.filter(({ status }) => status === 200)
  // None succeeded only where the call that claimed the charge was too busy to answer.
  if (done.length > 1 || done.some(({ text }) => !JSON.parse(text).ok)) wrong.push(`retries: ${countKinds(retried)}`)
  if (retried.some(({ status }) => status !== 200 && status !== 409)) wrong.push(`retries: ${countKinds(retried)}`)
  if (direct.some(({ status }) => status !== 409)) wrong.push(`direct: ${countKinds(direct)}`)
  return { wrong, seen: `${commands} command of ${retried.length} retries and ${direct.length} direct` }
}

/** A charge not yet spent; a fifth of the calls repeat one key. */
async function dispenseCharge(fleet: Fleet, mode: Mode): Promise<Verdict> {
  const charge = mode === 'live' ? await liveCharge(fleet, 5000) : await testCharge(fleet)
  const same = newKey('dispense')
  const replies = await Promise.all(
    Array.from({ length: CALLS }, (_, nth) => {
      const { key, ...own } = directOf(charge, nth)
      return ask(fleet, nth, {
        mode,
        ...own,
        ...(nth % 5 === 0 ? { key: same } : key === undefined ? {} : { key }),
      })
    }),
  )
  await takenUp(fleet, charge)
  const first = replies.filter(({ status, replayed }) => status === 200 && !replayed)
  // The call that claimed it was too busy to send it and released claim and key: the charge is free for the next call.
  if (first.length === 0 && (await standingClaims(fleet, charge)) === 0)
    first.push(await ask(fleet, 0, { mode, ...directOf(charge, 0) }))
  const [{ commanded = 0 } = {}] = await fleet.installation.sql<{ commanded: number }>(
    'select count(commanded_at)::int as commanded from dispense_claims where charge_id = $1',
    [charge],
  )
  const commands = mode === 'live' ? commandsFor(fleet, charge) : commanded
  const wrong = commands === 1 && commanded === 1 ? [] : [`${mode}: ${commands} commands, ${commanded} claimed`]
  if (first.length > 1 || replies.some(({ status }) => status !== 200 && status !== 409))
    wrong.push(`${mode}: ${countKinds(replies)}`)
  return { wrong, seen: `${mode}: ${commands} command of ${replies.length} direct` }
}

async function standingClaims({ installation }: Fleet, charge: string): Promise<number> {
  const standing = 'select 1 from dispense_claims where charge_id = $1 and released_at is null'
  return (await installation.sql(standing, [charge])).length
}

/** Every fifth call repeats one key, some have their own, and some have none. */
const directOf = (charge: string, nth: number) => ({
  path: '/v1/vending/dispense',
  ...(nth % 3 === 0 ? {} : { key: newKey('dispense') }),
  body: { machine: MACHINES.usual, order_id: 'own-1', goods: GOODS, charge_id: charge },
})

async function testCharge(fleet: Fleet): Promise<string> {
  const merchant = await machineMerchant(fleet)
  const [charge = ''] = await createCharges(fleet, merchant, 1)
  await allEnded(fleet, merchant)
  return charge
}

/** Live money that was paid on a page and belongs to no order. */
async function liveCharge(fleet: Fleet, amount: number): Promise<string> {
  const merchant = await machineMerchant(fleet)
  const [link = ''] = await newLinks(fleet, { merchant, mode: 'live' }, [{ amount }])
  const [form] = await openForms(fleet, [link])
  await pay(fleet, 0, link, form as NonNullable<typeof form>, { phone: newPayer(fleet) })
  await allDecided(fleet, [link])
  const [charge] = (await chargesOn(fleet, [link])).filter(isOpenOrPaid)
  if (charge?.status !== 'succeeded') throw new Error('a live charge of the race was not paid')
  return charge.id
}

/** Paid orders that the supplier refused; it accepts them from now on. */
async function refusedOrders(fleet: Fleet, count: number): Promise<Paid[]> {
  fleet.supplier.behave('refuse', MACHINES.refusing)
  const orders = await toldOrders(fleet, { mode: 'live', machine: MACHINES.refusing, count })
  fleet.supplier.behave('accept', MACHINES.refusing)
  const failed = (await endsOf(fleet, orders)).filter(({ status }) => status === 'failed')
  if (failed.length !== count) throw new Error(`${failed.length} of ${count} orders were refused`)
  return orders
}

const RETRIED = 12
const LATER_MS = 8
const RETRIES = 3
const LIVE_MONEY = 500_000
const AFTER_REFUND = 'cannot dispense: charge status is refunded, not succeeded'

/** Race 20: retries against the refund of the same charge: the refund is accepted, and at most one command is sent, before it. */
export const retryAgainstRefund: Race = {
  name: `20 ${RETRIES} retries against a refund, of ${RETRIED} orders`,
  async run(fleet) {
    await liveCharge(fleet, LIVE_MONEY)
    const orders = await refusedOrders(fleet, RETRIED)
    const verdicts = await Promise.all(orders.map((order, nth) => retryAndRefund(fleet, order, nth)))
    const again = verdicts.filter(({ commands }) => commands === 1).length
    return {
      wrong: verdicts.flatMap(({ wrong }) => wrong),
      seen: `${again} of ${orders.length} were dispensed before their refund`,
    }
  },
}

async function retryAndRefund(fleet: Fleet, { id, charge }: Paid, nth: number) {
  const before = commandsFor(fleet, charge)
  const retry = (web: number) => ask(fleet, web, { mode: 'live', path: `/v1/vending/orders/${id}/dispense` })
  // The refund takes fewer steps than a retry, so it starts a little later with each order.
  const refund = sleep(nth * LATER_MS).then(() =>
    ask(fleet, nth, { mode: 'live', path: `/v1/charges/${charge}/refund` }),
  )
  const replies = await Promise.all(Array.from({ length: RETRIES }, (_, web) => retry(nth + web)))
  const { status } = await refund
  const late = await retry(nth)
  const commands = commandsFor(fleet, charge) - before
  const good = replies.filter((reply) => reply.status === 200 && JSON.parse(reply.text).ok).length
  const wrong: string[] = []
  if (status !== 202) wrong.push(`${id}: its refund was answered ${status}`)
  if (commands > 1 || good > commands) wrong.push(`${id}: ${commands} commands, told of ${good}`)
  const strange = replies.filter((reply) => ![200, 409].includes(reply.status) && !reply.text.includes(AFTER_REFUND))
  if (strange.length > 0) wrong.push(`${id}: ${strange[0]?.text}`)
  if (late.status !== 400 && late.status !== 409)
    wrong.push(`${id}: ${commands} commands, and a late retry is told ${late.text}`)
  return { wrong, commands }
}
