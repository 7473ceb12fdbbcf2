import type { Caller } from '../../../api/access/actor.ts'
import { allow } from '../../../api/access/allow.ts'
import { auditRow } from '../../../api/access/audit-row.ts'
import type { Answer } from '../../../api/http/answer.ts'
import { createUnderOptionalKey, findAnswerUnderKey, type KeyedRequest } from '../../../api/idempotency/under-key.ts'
import { assert } from '../../../platform/assert.ts'
import { type Call, call, type Tx } from '../../../platform/db/database.ts'
import { firstRow } from '../../../platform/db/first-row.ts'
import { statement } from '../../../platform/db/statement.ts'
import { domainRefusal } from '../../../platform/refusal.ts'
import { writeExactJson } from '../../../platform/text/exact-json.ts'
import { newId } from '../../../platform/text/ids.ts'
import type { App } from '../../../program/app.ts'
import { draftOnce } from '../../account/command-keys.ts'
import { findMerchantsById, merchantInactive } from '../../account/merchant.ts'
import { newWebhookSecret } from '../../account/rotate-webhook-secret.ts'
import { lockMerchant } from '../../account/set-merchant.ts'
import {
  bindAddressSecret,
  MAX_ADDRESSES,
  parseEvents,
  presentAddress,
  type WebhookAddress,
  type WebhookAddressCreate,
} from './address.ts'
import { checkUrl, refuseTwice } from './change-addresses.ts'
import { getAddress, lockFurtherAddresses } from './find-addresses.ts'

/** An address before it is added, with the secret that is shown once. */
type AddressDraft = { id: string; secret: string; url: string; events: string[] | null }

const ADD = statement(
  'add webhook address',
  `insert into webhook_addresses (merchant_id, id, mode, number, url, events, state_since, secret, secret_since, created_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $7, $7)`,
)
const FIND_ADDED = statement<{ id: string }>(
  'webhook address, removed or not',
  'select id from webhook_addresses where merchant_id = $1 and id = $2',
)
const FIRST_SECRET = statement<{ secret: Buffer }>(
  'secret with which webhook address was made',
  'select secret from webhook_addresses where merchant_id = $1 and id = $2 and secret_since = created_at and removed_at is null',
)

/**
 * Adds an address in the caller's mode with a secret of its own, which is shown this once. It gets what happens from now on. Throws 400
 * where there are five already, for an address of this merchant, and for one that may not be called. With `commandKey` a repeat adds nothing
 * and returns the same secret.
 */
export async function addAddress(
  app: App,
  caller: Caller,
  input: WebhookAddressCreate & { commandKey?: string | undefined },
): Promise<{ address: WebhookAddress; secret: string }> {
  const { merchantId, mode, tag } = caller
  allow(caller, 'webhook.address', merchantId)
  const wanted = { url: input.url, events: parseEvents(input.events) }
  await checkUrl(app, wanted.url)
  const command = {
    key: input.commandKey,
    command: 'webhooks add-address',
    input: { merchant: merchantId, mode, ...wanted },
  }
  const { draft } = await draftOnce(app, command, () => ({ secret: newWebhookSecret(), id: newId('wha_', tag) }))
  const at = app.clock.now()
  await app.db.transaction(async (tx) => {
    await lockMerchant(tx, merchantId)
    const [[added]] = await tx.send(call(FIND_ADDED, merchantId, draft.id))
    if (added) return { value: null }
    return { value: null, last: (await decideAddress(app, tx, caller, { draft: { ...draft, ...wanted }, at })).writes }
  })
  return { address: await getAddress(app, caller, draft.id), secret: draft.secret }
}

/**
 * The same for a key, once for each Idempotency-Key. The stored answer has no secret: a repeat opens the sealed one, until it is replaced
 * or the address is removed. Throws 400, 403.
 */
export async function postAddress(
  app: App,
  request: KeyedRequest & { caller: Caller; given: WebhookAddressCreate },
): Promise<Answer> {
  const { caller, given } = request
  allow(caller, 'webhook.address', caller.merchantId)
  const answer = (await findAnswerUnderKey(app, request)) ?? (await createAddress(app, request, given))
  if (answer.status !== 201) return answer
  const view = JSON.parse(answer.body)
  const row = await firstRow(app.db.query(FIRST_SECRET, [caller.merchantId, view.id]))
  if (row === null)
    throw domainRefusal(
      'secret_gone',
      'this address was added under this key; its secret was replaced since, or it was removed',
    )
  const secret = app.vault.open(row.secret, bindAddressSecret({ merchantId: caller.merchantId, id: view.id }, 'secret'))
  return { ...answer, body: writeExactJson({ ...view, secret }), objectId: view.id }
}

async function createAddress(
  app: App,
  request: KeyedRequest & { caller: Caller },
  given: WebhookAddressCreate,
): Promise<Answer> {
  const { caller } = request
  const wanted = { url: given.url, events: parseEvents(given.events) }
  await checkUrl(app, wanted.url)
  const draft = { ...wanted, secret: newWebhookSecret(), id: newId('wha_', caller.tag) }
  return createUnderOptionalKey(app, request, async (tx, at) => {
    await lockMerchant(tx, caller.merchantId)
    const { address, writes } = await decideAddress(app, tx, caller, { draft, at })
    // The key has no object: a removed address is forgotten before its key is.
    return { id: null, view: presentAddress(address), writes }
  })
}

/** Judges a new address in a transaction that has locked its merchant. Throws 400. */
async function decideAddress(
  app: App,
  tx: Tx,
  caller: Caller,
  { draft: { id, secret, url, events }, at }: { draft: AddressDraft; at: Date },
): Promise<{ address: WebhookAddress; writes: Call[] }> {
  const { merchantId, mode } = caller
  const [[merchant], others] = await tx.send(findMerchantsById([merchantId]), lockFurtherAddresses(caller, at))
  assert(merchant, 'a merchant is never deleted')
  if (!merchant.active) throw merchantInactive(merchant)
  const number = [2, 3, 4, 5].find((free) => others.every((other) => other.number !== free))
  if (number === undefined)
    throw domainRefusal('too_many_addresses', `you have ${MAX_ADDRESSES} addresses for webhooks already`)
  refuseTwice(url, [merchant.webhookUrl, ...others.map((other) => other.url)])
  const sealed = app.vault.seal(secret, bindAddressSecret({ merchantId, id }, 'secret'))
  const after = { url, events, state: 'active' }
  const row = auditRow({ actor: caller, action: 'webhook.address', at, merchantId, mode, subject: id, after })
  return {
    address: {
      ...{ id, number, url, events, state: 'active', secretSince: at, previousUntil: null },
      ...{ lastSuccessAt: null, failingSince: null, createdAt: at },
    },
    writes: [call(ADD, merchantId, id, mode, number, url, events, at.toISOString(), sealed), row],
  }
}
