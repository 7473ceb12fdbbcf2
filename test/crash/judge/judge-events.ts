import { serviceSignature } from '../../../src/merchants/webhooks/signature.ts'
import type { Installation, Merchant } from '../installation.ts'
import type { ChargeRow } from './judge-charges.ts'
import type { Vending } from './judge-orders.ts'
import type { PayoutRow } from './judge-payouts.ts'

type EventRow = { id: string; handle: string; subject: string; type: string; body: string }

const EVENTS = `select e.id, m.handle, e.subject, e.type, e.body from events e join merchants m on m.id = e.merchant_id
  where e.type like 'charge.%' or e.type like 'payout.%' or e.type like 'vending.%'`

const EVENT_OF_ORDER: Record<string, string> = {
  dispensed: 'vending.dispensed',
  failed: 'vending.dispense_failed',
}

/** Each end has its event, and each event was received by its merchant alone, signed and as it was stored. */
export async function judgeEvents(
  installation: Installation,
  { charges, payouts, vending }: { charges: ChargeRow[]; payouts: PayoutRow[]; vending: Vending },
) {
  const events = await installation.sql<EventRow>(EVENTS)
  const due = new Map([
    ...charges.map(({ id, status }) => [id, eventsOfCharge(status)] as const),
    ...payouts.map(
      ({ id, status }) => [id, status === 'succeeded' || status === 'failed' ? `payout.${status}` : ''] as const,
    ),
    ...vending.orders.map(({ id, status }) => [id, EVENT_OF_ORDER[status] ?? ''] as const),
    // A direct dispense that was never sent ends without an event, and no machine here jams a direct dispense.
    ...vending.claims.flatMap(({ id, kind, status }) =>
      kind === 'direct' ? [[id, status === 'dispensed' ? 'vending.dispensed' : ''] as const] : [],
    ),
  ])
  const merchants = new Map(installation.merchants.map((merchant) => [merchant.handle, merchant]))
  const delivered = judgeDeliveries(merchants, events)
  return { ...delivered, lost: [...withoutEvent(due, events), ...delivered.lost] }
}

function eventsOfCharge(status: string): string {
  if (status === 'refunded') return 'charge.refunded,charge.succeeded'
  return status === 'succeeded' || status === 'failed' ? `charge.${status}` : ''
}

function withoutEvent(due: Map<string, string>, events: EventRow[]): string[] {
  const told = new Map<string, string[]>()
  for (const { subject, type } of events) told.set(subject, [...(told.get(subject) ?? []), type])
  return [...due].flatMap(([id, wanted]) => {
    const types = (told.get(id) ?? []).sort().join()
    return types === wanted ? [] : [`${id}: events "${types}", due "${wanted}"`]
  })
}

function judgeDeliveries(merchants: Map<string, Merchant>, events: EventRow[]) {
  const byId = new Map(events.map((event) => [event.id, event]))
  const received = new Map<string, number>()
  const wrong: string[] = []
  for (const merchant of merchants.values())
    for (const { body, headers } of merchant.receiver.received) {
      const event = byId.get(JSON.parse(body).id)
      const signature = serviceSignature(merchant.webhookSecret, Buffer.from(body))
      if (event?.handle !== merchant.handle) wrong.push(`${merchant.handle} received ${body}`)
      else if (event.body !== body) wrong.push(`${event.id}: other bytes than stored`)
      else if (headers['x-service-signature'] !== signature) wrong.push(`${event.id}: wrong signature`)
      else received.set(event.id, (received.get(event.id) ?? 0) + 1)
    }
  const lost = events.filter(({ id, handle }) => merchants.has(handle) && !received.has(id))
  const sends = [...received.values()].reduce((sum, times) => sum + times, 0)
  return { wrong, lost: lost.map(({ id }) => `${id}: never received`), duplicates: sends - received.size }
}
