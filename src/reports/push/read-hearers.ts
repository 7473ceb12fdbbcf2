import { ruleOf } from '../../api/access/actions.ts'
import type { MerchantRole } from '../../api/access/actor.ts'
import { numberColumn, textColumn } from '../../platform/db/columns.ts'
import { statement } from '../../platform/db/statement.ts'
import type { App } from '../../program/app.ts'
import type { ClaimedDevice } from './claim-devices.ts'

/** Who hears by a device, as it is now. */
export type Hearer = { device: string; role: MerchantRole }

const HEARERS = statement<Hearer>(
  'who hears by push devices',
  `select d.id as device, w.role
   from unnest($1::text[], $2::bigint[], $3::bigint[], $4::text[]) as d (id, merchant_id, person_id, session_id)
     join memberships w on w.merchant_id = d.merchant_id and w.person_id = d.person_id
     join people p on p.id = d.person_id
   where p.closed_at is null and p.realm = 'merchant' and (p.kind = 'person' or exists (
     select from sessions s where s.id = d.session_id and s.person_id = p.id and s.stage = 'in' and s.ends_at > $5))`,
)

/** Reads who hears by these devices. A device of nobody who may see payments here, or of a till whose session is over, has none. */
export async function readHearers(
  { directory, clock }: App,
  devices: readonly ClaimedDevice[],
): Promise<ReadonlyMap<string, Hearer>> {
  if (devices.length === 0) return new Map()
  const rows = await directory.query(HEARERS, [
    textColumn(devices.map(({ id }) => id)),
    numberColumn(devices.map(({ merchantId }) => merchantId)),
    numberColumn(devices.map(({ personId }) => personId)),
    textColumn(devices.map(({ sessionId }) => sessionId)),
    clock.now().toISOString(),
  ])
  const mayRead = ruleOf('read').persons ?? []
  return new Map(rows.filter(({ role }) => mayRead.includes(role)).map((hearer) => [hearer.device, hearer]))
}
