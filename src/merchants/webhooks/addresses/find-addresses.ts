import type { Caller } from '../../../api/access/actor.ts'
import { assert } from '../../../platform/assert.ts'
import { type Call, call } from '../../../platform/db/database.ts'
import { statement } from '../../../platform/db/statement.ts'
import { notFound } from '../../../platform/refusal.ts'
import type { App } from '../../../program/app.ts'
import { findMerchantsById } from '../../account/merchant.ts'
import { readWebhookSecretTimes } from '../../account/reveal-secrets.ts'
import { firstAddressId, type WebhookAddress } from './address.ts'

const COLUMNS = `a.id, a.number, a.url, a.events, a.state, a.secret_since as "secretSince",
  case when a.previous_until > $3 then a.previous_until end as "previousUntil", a.last_success_at as "lastSuccessAt",
  a.failing_since as "failingSince", a.created_at as "createdAt"`
const FURTHER = statement<WebhookAddress>(
  'further webhook addresses',
  `select ${COLUMNS} from webhook_addresses a where a.merchant_id = $1 and a.mode = $2 and a.removed_at is null
     order by a.number`,
)
const LOCK_FURTHER = statement<WebhookAddress>(
  'lock further webhook addresses',
  `select ${COLUMNS} from webhook_addresses a where a.merchant_id = $1 and a.mode = $2 and a.removed_at is null
     order by a.id for no key update`,
)
const FIRST_RECEIVER = statement<{ lastSuccessAt: Date | null; failingSince: Date | null }>(
  'receiver at the first address',
  `select last_success_at as "lastSuccessAt", failing_since as "failingSince" from receivers where merchant_id = $1`,
)

/** A merchant in one mode: the first address is for both, each further one for the mode in which it was made. */
type AddressOwner = Pick<Caller, 'merchantId' | 'mode'>

/** Reads the further addresses of a merchant in this mode and locks them until the commit, in no order of their numbers. */
export const lockFurtherAddresses = ({ merchantId, mode }: AddressOwner, at: Date): Call<WebhookAddress> =>
  call(LOCK_FURTHER, merchantId, mode, at.toISOString())

/** Reads the addresses of the caller in its mode, the first one first: at most five. */
export async function listAddresses(app: App, caller: AddressOwner): Promise<WebhookAddress[]> {
  const further = await app.db.query(FURTHER, [caller.merchantId, caller.mode, app.clock.now().toISOString()])
  return [await readFirstAddress(app, caller), ...further]
}

/** Returns one of the caller's addresses. Throws 404. */
export async function getAddress(app: App, caller: AddressOwner, id: string): Promise<WebhookAddress> {
  const address = (await listAddresses(app, caller)).find((own) => own.id === id)
  if (address === undefined) throw addressNotFound()
  return address
}

export const addressNotFound = () => notFound('webhook address')

async function readFirstAddress(app: App, { merchantId }: AddressOwner): Promise<WebhookAddress> {
  const find = findMerchantsById([merchantId])
  const [[merchant], [receiver], times] = await Promise.all([
    app.db.query(find.statement, find.values),
    app.db.query(FIRST_RECEIVER, [merchantId]),
    readWebhookSecretTimes(app, merchantId),
  ])
  assert(merchant, 'a merchant is never deleted')
  return {
    id: firstAddressId(merchant.tag),
    number: 1,
    url: merchant.webhookUrl,
    events: null,
    state: 'active',
    secretSince: times.since,
    previousUntil: times.previousUntil,
    lastSuccessAt: receiver?.lastSuccessAt ?? null,
    failingSince: receiver?.failingSince ?? null,
    createdAt: merchant.createdAt,
  }
}
