import assert from 'node:assert/strict'
import pg from 'pg'
import { type Callback, postCallback } from '../../../fakes/supplier-callbacks.ts'
import { countLockWaits } from '../../../helpers/database/lock-waits.ts'
import { eventually } from '../../../helpers/service/live-service.ts'
import { opened, openedAndVerified, prepare } from '../../../helpers/service/opened.ts'
import { longTest, test } from '../../../helpers/service/parts.ts'
import { startService } from '../../../helpers/service/test-service.ts'
import { dispenseSecret, keptOf, RECEIVED, report, vendingEventsOf } from '../../../helpers/vending/callbacks.ts'
import {
  dispensingOrder,
  makeOrder,
  readOrder,
  type VendingShop,
  vendingShop,
} from '../../../helpers/vending/vending.ts'

const SHOPS = 3
const OF_EACH = 4

let shops: { shop: VendingShop; secret: string }[]
// Two processes on one database, which share nothing in memory.
const service = openedAndVerified(() => startService())
const second = opened(() => startService({ database: service.database, clock: service.clock }))
prepare(async () => {
  shops = await Promise.all(
    Array.from({ length: SHOPS }, async () => {
      const shop = await vendingShop(service)
      return { shop, secret: await dispenseSecret(shop) }
    }),
  )
})

type Sent = { body: Callback | string; status: number; end?: { shop: VendingShop; order: any; is: string } }

/** Messages of every kind about orders of every shop, each with its expected answer and the expected end of its order. */
async function messages(): Promise<Sent[]> {
  const sent: Sent[] = []
  for (let nth = 0; nth < OF_EACH; nth += 1)
    for (const { shop, secret } of shops) {
      const [done, jam, forged, open] = [
        await dispensingOrder(service, shop),
        await dispensingOrder(service, shop),
        await dispensingOrder(service, shop),
        await dispensingOrder(service, shop),
      ]
      const unpaid = await makeOrder(shop)
      const about = (order: any) => ({ ...order, secret })
      const delivered = report(service, 'done', about(done))
      sent.push(
        { body: delivered, status: 200, end: { shop, order: done, is: 'dispensed' } },
        { body: delivered, status: 200 },
        { body: report(service, 'jam', about(jam)), status: 200, end: { shop, order: jam, is: 'failed' } },
        {
          body: report(service, 'wrong sign', about(forged)),
          status: 401,
          end: { shop, order: forged, is: 'dispensing' },
        },
        { body: report(service, 'stale', about(forged)), status: 401 },
        {
          body: report(service, 'not finished', about(open)),
          status: 200,
          end: { shop, order: open, is: 'dispensing' },
        },
        {
          body: report(service, 'done', { ...about(unpaid), charge_id: null }),
          status: 200,
          end: { shop, order: unpaid, is: 'pending' },
        },
        { body: report(service, 'done', { ...about(done), order_id: 'lnk_nobody' }), status: 200 },
        { body: 'no JSON', status: 400 },
      )
    }
  return sent
}

longTest('of many messages at once, each is answered and has the same effect as alone', async () => {
  const sent = await messages()
  const replies = await Promise.all(sent.map(({ body }) => postCallback(service.url, body)))
  for (const [index, { status, body }] of replies.entries()) {
    const wanted = sent[index] as Sent
    assert.equal(status, wanted.status, JSON.stringify([wanted.body, body]))
    if (status === 200) assert.deepEqual(body, RECEIVED)
    else assert.equal(body?.code, '0')
  }
  for (const { end } of sent) {
    if (end === undefined) continue
    const { vending_status } = await readOrder(end.shop, end.order.order_id)
    assert.equal(vending_status, end.is)
    const events = (await vendingEventsOf(service, end.order.order_id)).map(({ event }) => event)
    const told = { dispensed: ['vending.dispensed'], failed: ['vending.dispense_failed'] }[end.is] ?? []
    assert.deepEqual(events, told)
  }
})

longTest('a hundred copies of one message, and as many of another, each count once', async () => {
  const [{ shop, secret }] = shops as [{ shop: VendingShop; secret: string }]
  const orders = [await dispensingOrder(service, shop), await dispensingOrder(service, shop)]
  const [done, jam] = [
    report(service, 'done', { ...orders[0], secret }),
    report(service, 'jam', { ...orders[1], secret }),
  ]
  const copies = Array.from({ length: 200 }, (_, nth) => (nth % 2 === 0 ? done : jam))
  // A crowded machine does not take some of so many; a supplier sends them again.
  const taken = async (body: Callback, tries = 10): Promise<number> => {
    const { status } = await postCallback(service.url, body)
    return status === 500 && tries > 1 ? taken(body, tries - 1) : status
  }
  for (const status of await Promise.all(copies.map((body) => taken(body)))) assert.equal(status, 200)
  for (const [order, outcome] of [
    [orders[0], 'dispensed'],
    [orders[1], 'jam'],
  ]) {
    assert.deepEqual(await keptOf(service, order.order_id), [outcome])
    assert.equal((await vendingEventsOf(service, order.order_id)).length, 1)
  }
})

test('two processes that take the same message at once: it counts once, and both answer that they have it', async () => {
  const [{ shop, secret }] = shops as [{ shop: VendingShop; secret: string }]
  const order = await dispensingOrder(service, shop)
  const done = report(service, 'done', { ...order, secret })
  const holder = new pg.Client({ connectionString: service.database.url, options: '-c search_path=cell_0' })
  await holder.connect()
  try {
    await holder.query('begin')
    await holder.query('select from vending_orders where id = $1 for update', [order.order_id])
    const sent = [service, second].map(({ url }) => postCallback(url, done))
    // Both have looked whether it is known, and it is not.
    await eventually('both wait for the order', async () => (await countLockWaits(service)) === sent.length)
    await holder.query('rollback')
    for (const { status, body } of await Promise.all(sent)) assert.deepEqual([status, body], [200, RECEIVED])
  } finally {
    await holder.end()
  }
  assert.deepEqual(await keptOf(service, order.order_id), ['dispensed'])
  assert.equal((await vendingEventsOf(service, order.order_id)).length, 1)
})
