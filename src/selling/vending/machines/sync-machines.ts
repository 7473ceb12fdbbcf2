import type { Actor } from '../../../api/access/actor.ts'
import { allow } from '../../../api/access/allow.ts'
import { auditRow } from '../../../api/access/audit-row.ts'
import { toColumns } from '../../../platform/db/columns.ts'
import { call } from '../../../platform/db/database.ts'
import { statement } from '../../../platform/db/statement.ts'
import { Refusal } from '../../../platform/refusal.ts'
import { ExactNumber } from '../../../platform/text/exact-json.ts'
import { hasForbiddenControl } from '../../../platform/text/text.ts'
import type { App } from '../../../program/app.ts'
import { supplierNotConfigured } from '../orders/order-rules.ts'
import { newHttpSupplier } from '../suppliers/http-supplier.ts'
import { findSupplierAccess } from '../suppliers/vending-settings.ts'

/** The result of a synchronisation. `ignored`: rows of the supplier without a usable number. */
export type SyncResult = { listed: number; added: number; updated: number; inactive: number; ignored: number }

type ListedMachine = {
  machine: string
  name: string
  category: string | null
  type: string | null
  address: string | null
  latitude: string | null
  longitude: string | null
}

const MAX_NUMBER_CHARACTERS = 64
const MAX_NAME_CHARACTERS = 200
const MAX_FACT_CHARACTERS = 500

const LOCK_MACHINES = statement(
  'lock machines to sync',
  'select machine from machines where merchant_id = $1 order by machine for no key update',
)
// A machine removed by a person stays removed until a person adds it again; its name is still updated.
const WRITE_MACHINES = statement<{ isNew: boolean }>(
  'write synced machines',
  `insert into machines as m (merchant_id, machine, name, category, type, address, latitude, longitude, last_synced_at, created_at)
   select $1, n.machine, n.name, n.category, n.type, n.address, n.latitude, n.longitude, $9::timestamptz, $9::timestamptz
   from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[])
     as n (machine, name, category, type, address, latitude, longitude) order by n.machine
   on conflict (merchant_id, machine) do update set name = excluded.name, category = excluded.category, type = excluded.type,
     address = excluded.address, latitude = excluded.latitude, longitude = excluded.longitude, active = true,
     last_synced_at = excluded.last_synced_at
   returning (xmax = 0) as "isNew"`,
)
// A machine that was never in the supplier's list was added by a person and is left alone.
const MARK_VANISHED = statement<{ machine: string }>(
  'machines that have vanished',
  `update machines m set active = false where m.merchant_id = $1 and m.active and m.removed_at is null
     and m.last_synced_at is not null and m.machine <> all($2::text[]) returning m.machine`,
)

/**
 * Updates the registry from the supplier's list (contract.md G34): adds and updates machines, marks vanished ones inactive,
 * deletes none. Refuses if no supplier is set, and changes nothing if the supplier's answer is unclear.
 */
export async function syncMachines(app: App, actor: Actor, merchantId: number): Promise<SyncResult> {
  allow(actor, 'machine.sync', merchantId)
  const access = await findSupplierAccess(app, merchantId)
  if (access === null) throw supplierNotConfigured()
  const rows = await newHttpSupplier(app, access).machines()
  if (rows === null) throw supplierUnavailable()
  const parsed = rows.map(parseRow).filter((machine) => machine !== null)
  // If a number is listed twice the last row counts: one statement cannot write a machine twice.
  const listed = [...new Map(parsed.map((machine) => [machine.machine, machine])).values()]
  return writeMachines(app, actor, { merchantId, listed, ignored: rows.length - parsed.length })
}

/** 502: the supplier's answer was unclear, nothing was changed. */
export const supplierUnavailable = () => new Refusal(502, 'supplier_error', 'machine supplier unavailable')

function writeMachines(
  app: App,
  actor: Actor,
  { merchantId, listed, ignored }: { merchantId: number; listed: readonly ListedMachine[]; ignored: number },
): Promise<SyncResult> {
  const at = app.clock.now()
  const each = toColumns(listed)
  return app.db.transaction(async (tx) => {
    await tx.send(call(LOCK_MACHINES, merchantId))
    const [written, vanished] = await tx.send(
      call(
        WRITE_MACHINES,
        merchantId,
        ...each.values('machine', 'name', 'category', 'type', 'address', 'latitude', 'longitude'),
        at.toISOString(),
      ),
      call(
        MARK_VANISHED,
        merchantId,
        listed.map(({ machine }) => machine),
      ),
    )
    const added = written.filter(({ isNew }) => isNew).length
    const updated = written.length - added
    const result = { listed: listed.length, added, updated, inactive: vanished.length, ignored }
    return {
      value: result,
      last: [auditRow({ actor, action: 'machine.sync', at, merchantId, after: result })],
    }
  })
}

/** Parses a row; null without a usable number. A machine without a name gets its number as name. */
function parseRow(row: Readonly<Record<string, unknown>>): ListedMachine | null {
  const machine = parseFact(row.jqbh)
  if (machine === null || machine.length > MAX_NUMBER_CHARACTERS) return null
  return {
    machine,
    name: parseFact(row.jqmc)?.slice(0, MAX_NAME_CHARACTERS) ?? machine,
    category: parseFact(row.jqlb),
    type: parseFact(row.jqlx),
    address: parseFact(row.dwmc),
    latitude: parseFact(row.dwwd),
    longitude: parseFact(row.dwjd),
  }
}

/** Parses a text or number of the supplier to text; null for any other value, and for text with control characters. */
function parseFact(value: unknown): string | null {
  const isFact = typeof value === 'number' || typeof value === 'string' || value instanceof ExactNumber
  const text = isFact ? String(value).trim() : ''
  if (text === '' || hasForbiddenControl(text, false)) return null
  return text.slice(0, MAX_FACT_CHARACTERS)
}
