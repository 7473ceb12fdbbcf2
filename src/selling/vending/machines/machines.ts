import { Type } from 'typebox'
import type { Actor } from '../../../api/access/actor.ts'
import { allow } from '../../../api/access/allow.ts'
import { auditRow } from '../../../api/access/audit-row.ts'
import { cutNewerPage, cutPage, invalidCursor, type ListPage, type ListWindow } from '../../../api/http/lists/lists.ts'
import { call } from '../../../platform/db/database.ts'
import { statement } from '../../../platform/db/statement.ts'
import { invalidRequest, notFound } from '../../../platform/refusal.ts'
import { hasForbiddenControl } from '../../../platform/text/text.ts'
import type { App } from '../../../program/app.ts'
import { machineNotRegistered } from '../orders/order-rules.ts'

/** A machine of a merchant; both modes share it. `active`: false once the supplier no longer has it. */
export type Machine = {
  machine: string
  name: string
  address: string | null
  category: string | null
  type: string | null
  latitude: string | null
  longitude: string | null
  active: boolean
  lastSyncedAt: Date | null
  removedAt: Date | null
  createdAt: Date
}
type MachineKey = { merchantId: number; machine: string }

const MAX_NUMBER_CHARACTERS = 64
const MAX_NAME_CHARACTERS = 200

const MACHINE_COLUMNS = `m.machine, m.name, m.address, m.category, m.type, m.latitude, m.longitude, m.active,
  m.last_synced_at as "lastSyncedAt", m.removed_at as "removedAt", m.created_at as "createdAt"`

const MACHINE_BY_NUMBER = statement<Machine>(
  'machine by number',
  `select ${MACHINE_COLUMNS} from machines m where m.merchant_id = $1 and m.machine = $2`,
)
// A merchant has hundreds of machines, not thousands: all of them are read and sorted. A removed machine keeps its row for
// its orders and tallies.
const LIST_MACHINES = statement<Machine>(
  'machines of merchant',
  `select ${MACHINE_COLUMNS} from machines m where m.merchant_id = $1 and m.removed_at is null
     and ($2::timestamptz is null or (m.created_at, m.machine) < ($2, $3))
   order by m.created_at desc, m.machine desc limit $4`,
)
const LIST_NEWER_MACHINES = statement<Machine>(
  'newer machines of merchant',
  `select ${MACHINE_COLUMNS} from machines m where m.merchant_id = $1 and m.removed_at is null
     and (m.created_at, m.machine) > ($2, $3)
   order by m.created_at, m.machine limit $4`,
)
const ADD_MACHINE = statement<Machine>(
  'add machine',
  `insert into machines as m (merchant_id, machine, name, created_at) values ($1, $2, coalesce($3, $2), $4)
   on conflict (merchant_id, machine) do update
     set name = coalesce($3, m.name), active = true, removed_at = null
   returning ${MACHINE_COLUMNS}`,
)
const REMOVE_MACHINE = statement<Machine>(
  'remove machine',
  `update machines m set removed_at = $4 where m.merchant_id = $1 and m.removed_at is null and m.machine = (
     select k.machine from machines k where k.merchant_id = $1 and k.machine in ($2, $3) and k.removed_at is null
     order by k.machine = $2 desc limit 1)
   returning ${MACHINE_COLUMNS}`,
)

const textOrNull = (description?: string) =>
  Type.Union([Type.String(description === undefined ? {} : { description }), Type.Null()])

/** The machine as the API shows it (contract.md G34). */
export const MachineShape = Type.Object(
  {
    machine: Type.String({ description: 'its number, which orders name' }),
    name: Type.String(),
    address: textOrNull(),
    category: textOrNull(),
    type: textOrNull(),
    latitude: textOrNull(),
    longitude: textOrNull(),
    active: Type.Boolean({ description: 'false: the supplier no longer has it' }),
    registered: Type.Boolean({ description: 'true: orders can name it' }),
    last_synced_at: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
    created_at: Type.String({ format: 'date-time' }),
  },
  { $id: 'Machine' },
)

/** Formats a machine for the API. */
export function presentMachine(machine: Machine) {
  return {
    machine: machine.machine,
    name: machine.name,
    address: machine.address,
    category: machine.category,
    type: machine.type,
    latitude: machine.latitude,
    longitude: machine.longitude,
    active: machine.active,
    registered: machine.active && machine.removedAt === null,
    last_synced_at: machine.lastSyncedAt?.toISOString() ?? null,
    created_at: machine.createdAt.toISOString(),
  }
}

/** A page of a merchant's machines, newest first. */
export async function listMachines(
  app: App,
  merchantId: number,
  { limit, startingAfter, endingBefore = null }: Pick<ListWindow, 'limit' | 'startingAfter' | 'endingBefore'>,
): Promise<ListPage<Machine>> {
  const isNewer = endingBefore !== null
  const name = endingBefore ?? startingAfter
  const cursor =
    name === null
      ? null
      : await getCursor(app, { merchantId, machine: name }, isNewer ? 'ending_before' : 'starting_after')
  const values = [merchantId, cursor?.createdAt.toISOString() ?? null, cursor?.machine ?? null, limit + 1]
  const found = await app.db.query(isNewer ? LIST_NEWER_MACHINES : LIST_MACHINES, values)
  const rows = found.map((row) => ({ ...row, id: row.machine }))
  return isNewer ? cutNewerPage(rows, limit) : cutPage(rows, limit)
}

/** Returns one machine of the merchant, also a removed one. Throws 404 `machine not found`. */
export async function getMachine(app: App, key: MachineKey): Promise<Machine> {
  const [row] = isStorable(key.machine) ? await app.db.query(MACHINE_BY_NUMBER, [key.merchantId, key.machine]) : []
  if (!row) throw notFound('machine')
  return row
}

// A machine removed between two pages is still a valid cursor.
async function getCursor(app: App, key: MachineKey, name: Parameters<typeof invalidCursor>[0]): Promise<Machine> {
  const [row] = isStorable(key.machine) ? await app.db.query(MACHINE_BY_NUMBER, [key.merchantId, key.machine]) : []
  if (!row) throw invalidCursor(name)
  return row
}

/**
 * Registers a machine, or restores a removed one; a repeat adds nothing. Blanks around its number are dropped. Without a name the
 * machine keeps its name, or gets its number as name.
 */
export async function addMachine(
  app: App,
  actor: Actor,
  { merchantId, machine: typed, name }: MachineKey & { name: string | null },
): Promise<Machine> {
  allow(actor, 'machine.add', merchantId)
  const machine = typed.trim()
  checkText('machine', machine, MAX_NUMBER_CHARACTERS)
  if (name !== null) checkText('name', name, MAX_NAME_CHARACTERS)
  const at = app.clock.now()
  return app.db.transaction(async (tx) => {
    const [[added]] = await tx.send(call(ADD_MACHINE, merchantId, machine, name, at.toISOString()))
    const act = { actor, action: 'machine.add', at, merchantId, subject: machine } as const
    return { value: added as Machine, last: [auditRow({ ...act, after: { name: added?.name } })] }
  })
}

/** Removes a machine from the registry. Paid orders still dispense; the tallies keep the machine with its last name. */
export async function removeMachine(
  app: App,
  actor: Actor,
  { merchantId, machine: typed }: MachineKey,
): Promise<Machine> {
  allow(actor, 'machine.remove', merchantId)
  if (!isStorable(typed)) throw machineNotRegistered()
  const at = app.clock.now()
  return app.db.transaction(async (tx) => {
    const [[removed]] = await tx.send(call(REMOVE_MACHINE, merchantId, typed, typed.trim(), at.toISOString()))
    if (!removed) throw machineNotRegistered()
    const row = auditRow({ actor, action: 'machine.remove', at, merchantId, subject: removed.machine })
    return { value: removed, last: [row] }
  })
}

const isStorable = (text: string) => !hasForbiddenControl(text, false)

function checkText(name: string, text: string, longest: number): void {
  const trimmed = text.trim()
  if (trimmed === '' || text.length > longest || !isStorable(text))
    throw invalidRequest(`${name} must be 1 to ${longest} characters`)
}
