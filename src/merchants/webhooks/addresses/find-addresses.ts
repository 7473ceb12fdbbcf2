import type { Caller } from '../../../api/access/actor.ts'
import { assert } from '../../../platform/assert.ts'
import { type Call, call } from '../../../platform/db/database.ts'
import { statement } from '../../../platform/db/statement.ts'
import { notFound } from '../../../platform/refusal.ts'
import { addMs } from '../../../platform/time/clock.ts'
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

const SILENT = statement<SilentAddress>(
  'further webhook addresses that take nothing',
  `select a.id, a.url, coalesce(a.failing_since, a.state_since) as since from webhook_addresses a
   where a.merchant_id = $1 and a.mode = $2 and a.removed_at is null
     and (a.state = 'switched_off' or (a.state = 'active' and a.failing_since <= $3))
   order by a.number`,
)
const FAILING_FOR_LONG_MS = 24 * 3_600_000

/** A further address that takes nothing since then, although nobody has paused it. */
export type SilentAddress = { id: string; url: string; since: Date }

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

/** Finds the further addresses of a merchant in this mode that were switched off, or have answered nothing but errors for a day: at most four. */
export const findSilentAddresses = (app: App, { merchantId, mode }: AddressOwner): Promise<SilentAddress[]> =>
  app.db.query(SILENT, [merchantId, mode, addMs(app.clock.now(), -FAILING_FOR_LONG_MS).toISOString()])

/** Whether an address has answered nothing but errors for a day. */
export const isFailingForLong = ({ failingSince }: WebhookAddress, now: Date): boolean =>
  failingSince !== null && now.getTime() - failingSince.getTime() >= FAILING_FOR_LONG_MS

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
