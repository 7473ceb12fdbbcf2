import type { Caller } from '../../../api/access/actor.ts'
import { allow } from '../../../api/access/allow.ts'
import { auditRow } from '../../../api/access/audit-row.ts'
import { type Call, call } from '../../../platform/db/database.ts'
import { statement } from '../../../platform/db/statement.ts'
import { domainRefusal, Refusal } from '../../../platform/refusal.ts'
import type { App } from '../../../program/app.ts'
import { findMerchantsById, type Merchant, requireActive } from '../../account/merchant.ts'
import { refusedAddress, requireCallable } from '../../account/refused-address.ts'
import { setMerchant } from '../../account/set-merchant.ts'
import { firstAddressId, parseEvents, type WebhookAddress, type WebhookAddressChange } from './address.ts'
import { addressNotFound, getAddress, lockFurtherAddresses } from './find-addresses.ts'

const CHANGE = statement(
  'change webhook address',
  `update webhook_addresses set url = $3, events = $4 where merchant_id = $1 and id = $2`,
)
const REMOVE = statement(
  'remove webhook address',
  `update webhook_addresses set removed_at = $3 where merchant_id = $1 and id = $2`,
)
const REMOVE_ALL = statement(
  'remove webhook addresses of merchant',
  'update webhook_addresses set removed_at = $2 where merchant_id = $1 and removed_at is null',
)

/** Removes the further addresses of a merchant that was made for tests and ends. The caller's row of the audit records that. */
export const removeAllAddresses = (merchantId: number, at: Date): Call => call(REMOVE_ALL, merchantId, at.toISOString())

/** Refuses (400) a key of a merchant that is not active; a person may change addresses all the same, as on the dashboard. */
export async function requireActiveKey(app: App, caller: Caller): Promise<void> {
  if (caller.kind === 'key') await requireActive(app, caller.merchantId)
}

/** What a change of one further address finds, with the rows of all of them locked. */
type AddressTurn = { at: Date; before: WebhookAddress; others: readonly WebhookAddress[]; firstUrl: string | null }

/** Changes where an address leads and which events it gets; what happened before stays as it was. Throws 400, 403, 404. */
export async function changeAddress(
  app: App,
  caller: Caller,
  { id, change }: { id: string; change: WebhookAddressChange },
): Promise<WebhookAddress> {
  allow(caller, 'webhook.address', caller.merchantId)
  await requireActiveKey(app, caller)
  const events = parseEvents(change.events)
  if (change.url !== undefined) await checkUrl(app, change.url)
  if (id === firstAddressId(caller.tag)) {
    if (events !== null)
      throw domainRefusal('bad_request', 'the first address gets every event: add another one for some of them', {
        field: 'events',
      })
    if (change.url !== undefined) await setFirst(app, caller, change.url)
  } else
    await turnAddress(app, caller, id, ({ at, before, others, firstUrl }) => {
      const url = change.url ?? before.url ?? ''
      if (url !== before.url) refuseTwice(url, [firstUrl, ...others.map((other) => other.url)])
      const next = { url, events: change.events === undefined ? before.events : events }
      const facts = { before: { url: before.url, events: before.events }, after: next }
      return [call(CHANGE, caller.merchantId, id, next.url, next.events), addressRow(caller, id, { at, ...facts })]
    })
  return getAddress(app, caller, id)
}

/** Removes an address; what waits for it is not sent. Of the first one its events wait for another. Throws 403, 404. */
export async function removeAddress(app: App, caller: Caller, id: string): Promise<WebhookAddress> {
  allow(caller, 'webhook.address', caller.merchantId)
  await requireActiveKey(app, caller)
  const removed = await getAddress(app, caller, id)
  if (removed.number === 1) await setFirst(app, caller, null)
  else
    await turnAddress(app, caller, id, ({ at, before }) => [
      call(REMOVE, caller.merchantId, id, at.toISOString()),
      addressRow(caller, id, { at, before: { url: before.url, events: before.events }, after: { removed: true } }),
    ])
  return removed.number === 1 ? { ...removed, url: null } : removed
}

/** Sends these writes in a transaction that has locked the further addresses of the caller. Throws 404 for one that is not among them. */
export async function turnAddress(
  app: App,
  caller: Caller,
  id: string,
  write: (turn: AddressTurn) => readonly Call[],
): Promise<void> {
  const at = app.clock.now()
  await app.db.transaction(async (tx) => {
    const [[merchant], own] = await tx.send(findMerchantsById([caller.merchantId]), lockFurtherAddresses(caller, at))
    const before = own.find((address) => address.id === id)
    if (before === undefined) throw addressNotFound()
    const others = own.filter((address) => address.id !== id)
    return { value: null, last: write({ at, before, others, firstUrl: merchant?.webhookUrl ?? null }) }
  })
}

/** The row of the audit about a change of an address. */
const addressRow = (
  caller: Caller,
  id: string,
  { at, before, after }: { at: Date; before: object; after: object },
): Call => {
  const { merchantId, mode } = caller
  return auditRow({ actor: caller, action: 'webhook.address', at, merchantId, mode, subject: id, before, after })
}

async function setFirst(app: App, caller: Caller, webhookUrl: string | null): Promise<void> {
  refuseKey(caller)
  const find = findMerchantsById([caller.merchantId])
  const [merchant] = await app.db.query(find.statement, find.values)
  await setMerchant(app, caller, { merchant: merchant as Merchant, change: { webhookUrl } }) // A merchant is never deleted.
}

/**
 * Refuses (403) a key at the first address: a person changes it, and its secret, with the second factor. Whoever has stolen a key could
 * otherwise take a new secret and write events that the merchant believes.
 */
export function refuseKey(caller: Caller): void {
  if (caller.kind === 'key')
    throw new Refusal(403, 'forbidden', 'the first address is changed on the dashboard, under Developers, Webhooks')
}

/** Refuses (400) an address that the merchant has already. */
export function refuseTwice(url: string, taken: readonly (string | null)[]): void {
  if (taken.includes(url)) throw domainRefusal('bad_request', 'this is one of your addresses already', { field: 'url' })
}

/** Refuses (400) an address that may not be called. */
export const checkUrl = (app: App, url: string): Promise<void> =>
  requireCallable(app, url, refusedAddress(app, url, 'WEBHOOK_ALLOW_PRIVATE'))
