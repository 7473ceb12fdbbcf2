import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Subscriber, startPushService } from '../../fakes/push-service.ts'
import { type Fleet, startFleet } from '../../helpers/service/fleet.ts'
import { eventually, newPayer } from '../../helpers/service/live-service.ts'
import { startOp1Service } from '../../helpers/service/op1-service.ts'
import { opened } from '../../helpers/service/opened.ts'
import { mainOf, signedInAs } from '../../helpers/web/dashboard.ts'

// How long after its event a payment shows on a device: two processes as they run, the operator's emulator, a push service, real seconds.
// It waits for what it wants to see and prints the times; none of them decides.
const SHOPS = 25
const PAYMENTS_OF_A_SHOP = 4
const pushes = opened(startPushService)
const service = opened(() =>
  startOp1Service({ operator: { clock: 'real' }, env: { WEBHOOK_ALLOW_PRIVATE: pushes.place } }),
)
const fleet = opened(async (): Promise<Fleet & { close(): Promise<void> }> => {
  const env = { OP1_INSTALLATIONS: service.installations, WEBHOOK_ALLOW_PRIVATE: pushes.place }
  const started = await startFleet({ databaseUrl: service.database.url, env })
  return { ...started, close: started.end }
})

/** A browser that notes when each message comes. */
function watched(): { device: Subscriber; times: number[] } {
  const times: number[] = []
  const device = pushes.subscribe()
  device.behave((response) => {
    times.push(Date.now())
    response.writeHead(201).end()
  })
  return { device, times }
}

async function newShop() {
  const { merchant } = await service.shop()
  const { device, times } = watched()
  const owner = await signedInAs(service, merchant)
  const page = await owner.get('/dashboard/device')
  const sent = await owner.send(page, '/add', { ...device.fields, payments: 'yes' })
  assert.match(mainOf(await owner.follow(sent)), /shows payments as they come/)
  return { key: merchant.keys.live, times }
}

type OneShop = Awaited<ReturnType<typeof newShop>>

async function charge(key: string, nth: string): Promise<{ id: string; reference: string }> {
  const answer = await fetch(`${fleet.url}/v1/charges`, {
    method: 'POST',
    headers: {
      ...{ authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...{ 'idempotency-key': nth, 'x-timestamp': String(Math.floor(Date.now() / 1000)) },
    },
    body: JSON.stringify({ amount: 5000, channel: 'op1_momo', customer: { phone: newPayer() } }),
  })
  const body = (await answer.json()) as { id: string; rail_reference: string }
  assert.equal(answer.status, 201, JSON.stringify(body))
  return { id: body.id, reference: body.rail_reference }
}

/** Pays one after the other, each when the one before has shown, and returns the times from event to device in ms. */
async function payInTurn({ key, times }: OneShop, shop: number): Promise<number[]> {
  const delays: number[] = []
  for (let nth = 0; nth < PAYMENTS_OF_A_SHOP; nth += 1) {
    // At any moment of the second in which the task looks.
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 1500))
    const { id, reference } = await charge(key, `push-time-${shop}-${nth}`)
    await service.emulator.resolve(reference, { status: 'SUCCESSFUL' })
    await eventually(`payment ${nth} of shop ${shop} shows`, () => times.length > nth)
    const [event] = await service.rows<{ at: Date }>('select created_at as at from events where subject = $1', [id])
    delays.push((times[nth] ?? 0) - (event?.at.getTime() ?? 0))
  }
  return delays
}

test('every payment shows on the device of its shop, and how long after its event is printed', async (t) => {
  const shops: OneShop[] = []
  for (let nth = 0; nth < SHOPS; nth += 1) shops.push(await newShop())
  const delays = (await Promise.all(shops.map(payInTurn))).flat().sort((one, other) => one - other)
  const at = (share: number) => delays[Math.ceil(delays.length * share) - 1]
  t.diagnostic(`push of ${delays.length} payments: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, longest ${at(1)} ms`)
  assert.equal(delays.length, SHOPS * PAYMENTS_OF_A_SHOP)
})
