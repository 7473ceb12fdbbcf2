import { createHash } from 'node:crypto'
import type { Actor } from '../../api/access/actor.ts'
import { allow } from '../../api/access/allow.ts'
import { auditRow } from '../../api/access/audit-row.ts'
import { assert } from '../../platform/assert.ts'
import { type Call, call } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import { onUniqueViolation } from '../../platform/db/unique-violation.ts'
import type { Mode } from '../../platform/mode.ts'
import { domainRefusal } from '../../platform/refusal.ts'
import { newId } from '../../platform/text/ids.ts'
import type { App } from '../../program/app.ts'
import { findMerchantsById, type Merchant } from '../account/merchant.ts'
import { addEvents, type EventType, type Happening, newEventId } from './events.ts'

/** `everywhere`: also to the addresses beside the first one that get such an event in this mode. */
type PingInput = {
  merchant: Pick<Merchant, 'id'>
  mode: Mode
  commandKey?: string | undefined
  everywhere?: boolean
}

type TestEventInput = {
  merchant: Pick<Merchant, 'id' | 'tag' | 'handle' | 'webhookUrl'>
  mode: Mode
  subject: string
  at: Date
  sample?: { event: EventType; data: Record<string, unknown> }
  everywhere: boolean
}

const MESSAGE = 'test event'

const FIND_PING = statement<{ id: string }>(
  'find ping',
  `select id from events where merchant_id = $1 and subject = $2 and type = 'test.ping'`,
)

// Of an address that is not active the delivery waits, as a real event does. $5: the name in the envelope, by which each address chooses.
const ADD_TO_FURTHER = statement(
  'add test event to further addresses',
  `insert into address_deliveries (merchant_id, address_id, event_id, mode, event, next_attempt_at, created_at)
   select a.merchant_id, a.id, $2, a.mode, 'test.ping', case a.state when 'active' then $4::timestamptz end, $4::timestamptz
   from webhook_addresses a
   where a.merchant_id = $1 and a.mode = $3 and a.removed_at is null and (a.events is null or $5 = any(a.events))`,
)

/** Sends the event that tests a receiver (contract.md section 5). It is delivered like any other. With `commandKey` a repeat sends nothing new. */
export async function sendPing(
  app: App,
  actor: Actor,
  { merchant, mode, commandKey, everywhere = false }: PingInput,
): Promise<{ eventId: string; url: string }> {
  const merchantId = merchant.id
  allow(actor, 'webhook.ping', merchantId)
  const subject = commandKey === undefined ? newId('ping_', '') : makePingSubject(commandKey, mode)
  const url = await onUniqueViolation(
    async () => {
      const address = await storePing(app, actor, { merchantId, mode, subject, everywhere })
      app.nudge('send-deliveries')
      return address
    },
    () => readWebhookUrl(app, merchantId),
  )
  return { eventId: await getPingId(app, merchantId, subject), url }
}

async function readWebhookUrl(app: App, merchantId: number): Promise<string> {
  const find = findMerchantsById([merchantId])
  const [merchant] = await app.db.query(find.statement, find.values)
  return merchant?.webhookUrl ?? ''
}

async function storePing(
  app: App,
  actor: Actor,
  { merchantId, mode, subject, everywhere }: { merchantId: number; mode: Mode; subject: string; everywhere: boolean },
): Promise<string> {
  const at = app.clock.now()
  return app.db.transaction(async (tx) => {
    const [[merchant]] = await tx.send(findMerchantsById([merchantId]))
    assert(merchant, 'a merchant is never deleted')
    const { handle, webhookUrl } = merchant
    if (webhookUrl === null)
      throw domainRefusal(
        'no_webhook_url',
        `${handle} has no webhook address: an owner enters one on the dashboard under Developers, Webhooks`,
      )
    const { writes } = writeTestEvent(actor, { merchant, mode, subject, at, everywhere })
    return { value: webhookUrl, last: writes }
  })
}

/**
 * Makes the writes of an event that tests a receiver; it waits where there is no first address. With `sample` the envelope has its name and data, whose
 * keys are in code-point order at every level; it is stored as `test.ping` all the same, because nothing has happened.
 */
export function writeTestEvent(
  actor: Actor,
  { merchant, mode, subject, at, sample, everywhere }: TestEventInput,
): { eventId: string; writes: Call[] } {
  const { id: merchantId, tag, handle, webhookUrl } = merchant
  allow(actor, 'webhook.ping', merchantId)
  const eventId = newEventId(tag, at)
  // Keys in code-point order, as every event has them.
  const data = sample?.data ?? buildPingData(handle, mode, at)
  const happening: Happening = {
    ...{ merchantId, tag, mode, type: 'test.ping', eventId, subject, data },
    ...(sample === undefined ? {} : { named: sample.event }),
    hasWebhookUrl: webhookUrl !== null,
  }
  const after = sample === undefined ? {} : { after: { event: sample.event } }
  const row = auditRow({ actor, action: 'webhook.ping', at, merchantId, mode, subject, ...after })
  const name = sample?.event ?? 'test.ping'
  const further = everywhere ? [call(ADD_TO_FURTHER, merchantId, eventId, mode, at.toISOString(), name)] : []
  return { eventId, writes: [...addEvents([happening], at), ...further, row] }
}

/** The data of the event that tests a receiver. */
export const buildPingData = (handle: string, mode: Mode, at: Date) => ({
  ...{ merchant: handle, message: MESSAGE, mode, sent_at: at.toISOString() },
})

async function getPingId(app: App, merchantId: number, subject: string): Promise<string> {
  const [ping] = await app.db.query(FIND_PING, [merchantId, subject])
  assert(ping, 'the ping was stored')
  return ping.id
}

const makePingSubject = (commandKey: string, mode: Mode) =>
  `ping_${createHash('sha256').update(`${mode} ${commandKey}`).digest('hex').slice(0, 32)}`
