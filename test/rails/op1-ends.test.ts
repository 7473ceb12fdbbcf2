import assert from 'node:assert/strict'
import test from 'node:test'
import type { FaultName, FaultParams } from '../../emulator/faults.ts'
import { followUntilEnded, TOP_UPS } from '../helpers/payments/following-charges.ts'
import { sendUntilEnded } from '../helpers/payments/following-payouts.ts'
import { pay } from '../helpers/payments/payouts.ts'
import { refusalOf, topUpShop } from '../helpers/payments/top-ups.ts'
import { assertVerified, newPayer } from '../helpers/service/live-service.ts'
import { startOp1Service } from '../helpers/service/op1-service.ts'
import { openedAndVerified } from '../helpers/service/opened.ts'

// Every noun ends by every road, and afterwards the books hold (RA3): what a road writes counts for all nouns alike.
const ONLY_BY_TEST = { faultsInRow: 10_000, minCalls: 10_000 }
const service = openedAndVerified(() =>
  startOp1Service({ entry: { breaker: ONLY_BY_TEST }, env: { LIVE_HOLD_HOURS: '0' } }),
)

type Noun = 'charge' | 'payout' | 'top-up'
/** Sends one of this noun and waits until it has ended; the fault of the submit, and what the operator says of what it took. */
type Road = {
  name: string
  status: 'succeeded' | 'failed'
  fault(noun: Noun): readonly [FaultName, FaultParams, number] | null
  says: 'SUCCESSFUL' | 'FAILED' | null
}
const codeFor = (noun: Noun) => (noun === 'payout' ? 'PAYEE_NOT_FOUND' : 'PAYER_NOT_FOUND')
const ROADS: readonly Road[] = [
  { name: 'is paid', status: 'succeeded', fault: () => null, says: 'SUCCESSFUL' },
  { name: 'is failed', status: 'failed', fault: () => null, says: 'FAILED' },
  {
    name: 'is rejected as it is posted',
    status: 'failed',
    fault: (noun) => ['http', { status: noun === 'payout' ? 404 : 400, code: codeFor(noun) }, 1],
    says: null,
  },
  {
    name: 'is refused with 500, and the operator does not know it three times',
    status: 'failed',
    // A payout is posted once more first.
    fault: (noun) => ['http500', { code: codeFor(noun) }, noun === 'payout' ? 2 : 1],
    says: null,
  },
]

type Shopping = Awaited<ReturnType<typeof topUpShop>>
/** A shop with money to pay out. */
async function funded(): Promise<Shopping> {
  const shop = await topUpShop(service)
  const { body } = await shop.live.charge({ amount: 50_000, customer: { phone: newPayer() } })
  await service.emulator.resolve(body.rail_reference, { status: 'SUCCESSFUL' })
  await followUntilEnded(service, body.id)
  return shop
}

type Sent = { id: string; reference: string; statusOf(): Promise<string> }
async function send(shop: Shopping, noun: Noun): Promise<Sent> {
  if (noun === 'top-up') {
    const { id, railReference } = await shop.ask()
    const statusOf = async () => (await shop.listed()).find((topUp) => topUp.id === id)?.status ?? 'gone'
    return { id, reference: railReference, statusOf }
  }
  const { body } =
    noun === 'charge'
      ? await shop.live.charge({ customer: { phone: newPayer() } })
      : await pay(shop.live, { recipient: { phone: newPayer() } })
  const statusOf = async () => (await shop.live.get(`/v1/${noun}s/${body.id}`)).body.status
  return { id: body.id, reference: body.rail_reference, statusOf }
}

async function untilEnded(noun: Noun, id: string): Promise<void> {
  if (noun === 'payout') await sendUntilEnded(service, id)
  else if (noun === 'charge') await followUntilEnded(service, id)
  else await followUntilEnded(service, id, TOP_UPS)
}

for (const noun of ['charge', 'payout', 'top-up'] as const) {
  for (const { name, status, fault, says } of ROADS)
    test(`a ${noun} that ${name} has ${status}, and the books hold`, async () => {
      const shop = await funded()
      const planned = fault(noun)
      if (planned) await service.emulator.fault(planned[0], { params: planned[1], count: planned[2] })
      const { id, reference, statusOf } = await send(shop, noun)
      if (says) await service.emulator.resolve(reference, { status: says })
      await untilEnded(noun, id)
      assert.equal(await statusOf(), status)
      await assertVerified(service)
    })

  test(`a ${noun} that the operator does not take is taken back, and the books hold`, async () => {
    const shop = await funded()
    await service.emulator.fault('http', { params: { status: 404 } })
    if (noun === 'top-up') await refusalOf(shop.ask())
    else assert.equal((await send(shop, noun)).id, undefined)
    await assertVerified(service)
  })
}
