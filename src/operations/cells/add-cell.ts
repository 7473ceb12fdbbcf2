import type pg from 'pg'
import type { Actor } from '../../api/access/actor.ts'
import { allow } from '../../api/access/allow.ts'
import { auditRow } from '../../api/access/audit-row.ts'
import { readCellRooms } from '../../merchants/account/choose-cell.ts'
import { repairFreezeCopy } from '../../merchants/account/payout-freeze.ts'
import { APPLICATION_ROLE, grantRights, type ServiceLogin } from '../../platform/db/application-role.ts'
import { call } from '../../platform/db/database.ts'
import { migrateSchema } from '../../platform/db/migrate.ts'
import type { ServerPlace } from '../../platform/db/servers/server-address.ts'
import { statement } from '../../platform/db/statement.ts'
import { CannotStart } from '../../platform/processes/cannot-start.ts'
import { crashPoint } from '../../platform/processes/crash-point.ts'
import { badRequest } from '../../platform/refusal.ts'
import type { Gateway } from '../../program/app.ts'
import { type OwnerAccess, workAsOwner } from './owner-work.ts'
import { getWorker, putOnNode } from './place-cell.ts'

const ADD = statement<{ name: string }>(
  'add cell',
  'insert into cells (name, added_at) values ($1, $2) on conflict do nothing returning name',
)
const CELL_NAME = /^cell_(0|[1-9][0-9]{0,8})$/

type NewCell = { name: string | null; node: ServerPlace | null; login: ServiceLogin }

/**
 * Makes a cell: its schema with all tables, distributed where the database has Citus, with the present freeze of payouts; last it is entered
 * in the directory, from where every process takes it up. Whatever a killed call has left is finished by the same call again. Returns the
 * name, and whether it was there already. Throws 400, CannotStart.
 */
export async function addCell(
  gateway: Gateway,
  actor: Actor,
  { owner, ...input }: NewCell & { owner: OwnerAccess },
): Promise<{ name: string; added: boolean }> {
  allow(actor, 'cell.add')
  if (input.name !== null && !CELL_NAME.test(input.name))
    throw badRequest('a cell is called cell_ and a number, such as cell_1')
  return workAsOwner(owner, async (client, { citus }) => {
    const cells = (await readCellRooms(gateway.directory, 1)).map(({ cell }) => cell)
    const name = input.name ?? nameAfter(cells)
    if (cells.includes(name)) return { name, added: false }
    if (citus && input.node !== null) await getWorker(client, input.node)
    await makeSchema(client, name, { cells, login: input.login })
    crashPoint('cell.made')
    if (citus) await distribute(client, gateway, { name, node: input.node, url: owner.ownerUrl })
    crashPoint('cell.placed')
    await register(gateway, actor, name)
    crashPoint('cell.entered')
    return { name, added: true }
  })
}

/** Makes the schema with all its tables, and gives the service its rights there. */
async function makeSchema(
  client: pg.Client,
  name: string,
  { cells, login }: { cells: readonly string[]; login: ServiceLogin },
): Promise<void> {
  await migrateSchema(client, name, 'cell')
  const granted = await grantRights(client, { schemas: ['directory', ...cells, name], login, applied: true })
  if (!granted)
    throw new CannotStart(`the role ${APPLICATION_ROLE} could not be given its rights in ${name}: this login may not`)
}

/** The number after the largest one: a cell that a killed call has begun to make has it too. */
const nameAfter = (cells: readonly string[]) =>
  `cell_${Math.max(-1, ...cells.map((cell) => Number(cell.replace('cell_', '')))) + 1}`

/** Where the directory is no distributed schema yet, the cluster is not used yet either. */
async function distribute(
  client: pg.Client,
  { nodes }: Gateway,
  { name, node, url }: { name: string; node: ServerPlace | null; url: string },
): Promise<void> {
  if (node === null && nodes?.nodeOf('directory') == null) return
  await putOnNode(client, name, { node, url })
  await nodes?.look()
}

/** Gives the cell the freeze before anybody can be in it. */
async function register(gateway: Gateway, actor: Actor, name: string): Promise<void> {
  const app = gateway.openCell(name)
  try {
    await repairFreezeCopy(app)
  } finally {
    await app.db.close()
  }
  crashPoint('cell.freeze-copied')
  const at = gateway.clock.now()
  await gateway.directory.transaction(async (tx) => {
    const [[added]] = await tx.send(call(ADD, name, at.toISOString()))
    const act = { actor, action: 'cell.add', at, merchantId: null, subject: name } as const
    return { value: null, last: added === undefined ? [] : [auditRow(act)] }
  })
}
