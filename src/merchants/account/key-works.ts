import type { KeyCaller } from '../../api/access/actor.ts'
import { statement } from '../../platform/db/statement.ts'
import { parseAddressRange } from '../../platform/text/address-ranges.ts'
import type { App } from '../../program/app.ts'

// The keys of a merchant that was made for tests work until its time. Of an IPv6 address the caller has its network, in which an address of the list may lie.
const WORKS = statement(
  'does a key work',
  `select 1 from api_keys k where k.id = $1 and k.revoked_at is null
     and not exists (select from merchants m where m.id = k.merchant_id and m.expires_at <= $3)
     and (k.allowed_from is null or exists (select from unnest(k.allowed_from) as n (network) where n.network && $2::inet))`,
)

/** Whether this key still works, and from its address: for a request that has waited since it was asked for its key. */
export const keyWorks = async (
  { directory, clock }: Pick<App, 'directory' | 'clock'>,
  { keyId, origin }: Pick<KeyCaller, 'keyId' | 'origin'>,
): Promise<boolean> =>
  (await directory.query(WORKS, [keyId, parseAddressRange(origin) === null ? null : origin, clock.now().toISOString()]))
    .length > 0
