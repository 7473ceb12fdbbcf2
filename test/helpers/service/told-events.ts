import type pg from 'pg'
import { addEvents } from '../../../src/merchants/webhooks/events.ts'
import type { Mode } from '../../../src/platform/mode.ts'
import { newAscendingId } from '../../../src/platform/text/ids.ts'
import type { Client, TestService } from './test-service.ts'

export type Teller = { merchantId: number; tag: string; mode: Mode }

/** A merchant with a client for each mode; `of` names it for `tell`. */
export async function streamShop(service: TestService) {
  const merchant = await service.merchant()
  const [row] = await service.rows<{ merchantId: number; tag: string }>(
    'select id as "merchantId", tag from merchants where handle = $1',
    [merchant.handle],
  )
  if (!row) throw new Error('the merchant has no row')
  const of = (mode: Mode): Teller => ({ merchantId: Number(row.merchantId), tag: row.tag, mode })
  return { merchant, api: service.client(merchant.keys.test), live: service.client(merchant.keys.live), of }
}

let subjects = 0
function newSubject(): string {
  subjects += 1
  return `ping_${subjects}`
}

/** Stores events of this merchant in one commit, as payments do. */
export async function tell(service: TestService, { merchantId, tag, mode }: Teller, count = 1): Promise<void> {
  const happenings = Array.from({ length: count }, () => ({
    ...({ merchantId, tag, mode, type: 'test.ping', hasWebhookUrl: false } as const),
    ...{ subject: newSubject(), data: { message: 'test event' } },
  }))
  await service.app.db.transaction(async () => ({ value: null, last: addEvents(happenings, service.clock.now()) }))
}

/** Stores one event on a connection of the test, whose transaction the test ends. Returns its id. */
export async function tellOn(client: pg.ClientBase, { merchantId, tag, mode }: Teller, at: Date): Promise<string> {
  const id = newAscendingId('evt_', tag, at)
  const body = `{"data":{},"event":"test.ping","id":"${id}","timestamp":${Math.floor(at.getTime() / 1000)}}`
  await client.query(
    `insert into events (merchant_id, id, mode, type, subject, body, created_at) values ($1, $2, $3, 'test.ping', $4, $5, $6)`,
    [merchantId, id, mode, newSubject(), body, at],
  )
  await client.query(
    `insert into deliveries (merchant_id, event_id, mode, event, created_at) values ($1, $2, $3, 'test.ping', $4)`,
    [merchantId, id, mode, at],
  )
  return id
}

/** Reads all that is new behind a cursor, page by page. */
export async function pullAll(api: Client, from: string | null, limit = 100): Promise<{ rows: any[]; cursor: string }> {
  const rows: any[] = []
  for (let cursor = from; ; ) {
    const after = cursor === null ? '' : `&starting_after=${cursor}`
    const { status, body } = await api.get(`/v1/events?limit=${limit}${after}`)
    if (status !== 200) throw new Error(JSON.stringify(body))
    rows.push(...body.data)
    cursor = body.next_cursor as string
    if (!body.has_more) return { rows, cursor }
  }
}
