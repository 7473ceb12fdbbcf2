import type pg from 'pg'
import type { Actor } from '../../api/access/actor.ts'
import { allow } from '../../api/access/allow.ts'
import { auditRow } from '../../api/access/audit-row.ts'
import { carrySequences, MAX_GROUP } from '../../platform/db/servers/carry-sequences.ts'
import {
  closeNode,
  distributeSchema,
  findMoveHindrance,
  listWorkers,
  moveSchema,
  type WorkerNode,
} from '../../platform/db/servers/citus-nodes.ts'
import { isSamePlace, readPlaces } from '../../platform/db/servers/node-places.ts'
import { formatPlace, type ServerPlace } from '../../platform/db/servers/server-address.ts'
import { badRequest } from '../../platform/refusal.ts'
import type { Gateway } from '../../program/app.ts'
import { type OwnerAccess, workOnCluster } from './owner-work.ts'
import { watchPause } from './watch-pause.ts'

/** A move that was made. `hindrance`: why writes waited for all of it; null where they waited only for its end. */
export type CellMove = { schema: string; from: string | null; to: string; pauseMs: number; hindrance: string | null }

type PlaceInput = { owner: OwnerAccess; schema: string; node: ServerPlace | null }

/**
 * Makes the directory or a cell a distributed schema, if it is none yet, and puts it on this node; without a node it stays where Citus has put
 * it. Returns its node, and the move where one was made. Throws 400, CannotStart.
 */
export async function placeSchema(
  gateway: Gateway,
  actor: Actor,
  { owner, schema, node }: PlaceInput,
): Promise<{ node: string; move: CellMove | null }> {
  allow(actor, 'cell.move')
  return workOnCluster(owner, async (client) => {
    requireSchema(gateway, schema)
    const was = (await readPlaces(client, 0)).get(schema) ?? null
    const move = await putOnNode(client, schema, { node, url: owner.ownerUrl })
    const at = (await readPlaces(client, 0)).get(schema) ?? null
    if (was === null || move !== null) await record(gateway, actor, { schema, from: was, to: at })
    return { node: formatPlace(at) ?? 'the coordinator', move }
  })
}

/** Moves the directory or a cell to this node, while payments go on. Throws 400, CannotStart. */
export async function moveCell(
  gateway: Gateway,
  actor: Actor,
  { owner, schema, node }: PlaceInput & { node: ServerPlace },
): Promise<CellMove | null> {
  allow(actor, 'cell.move')
  return workOnCluster(owner, async (client) => {
    requireSchema(gateway, schema)
    const from = (await readPlaces(client, 0)).get(schema)
    if (from === undefined)
      throw badRequest(
        `${schema} lies on the coordinator and is not distributed yet: "gateway cells place ${schema}" first`,
      )
    const move = await moveTo(client, schema, { node, url: owner.ownerUrl })
    if (move !== null) await record(gateway, actor, { schema, from, to: node })
    return move
  })
}

/**
 * Takes a node out of use: no new schema comes there, and each that is there moves to the node with the fewest. A call that was killed is
 * finished by the same call again. `closed`: false where this login may not keep new schemas away. Throws 400, CannotStart.
 */
export async function drainNode(
  gateway: Gateway,
  actor: Actor,
  { owner, node }: { owner: OwnerAccess; node: ServerPlace },
): Promise<{ moves: CellMove[]; closed: boolean }> {
  allow(actor, 'cell.move')
  return workOnCluster(owner, async (client) => {
    const known = await getWorker(client, node)
    if (!(await listWorkers(client)).some((worker) => worker.takesSchemas && worker.group !== known.group))
      throw badRequest('there is no other node that takes cells')
    const closed = await closeNode(client, known)
    const moves: CellMove[] = []
    for (const schema of await listSchemasOn(client, known)) {
      const to = await findEmptiest(client, known)
      owner.say(`${schema} moves to ${formatPlace(to)}`)
      const move = await moveTo(client, schema, { node: to, url: owner.ownerUrl })
      await record(gateway, actor, { schema, from: known, to })
      if (move !== null) moves.push(move)
    }
    return { moves, closed }
  })
}

/** Distributes a schema if it is not, and moves it if it lies elsewhere. Returns the move where one was made. */
export async function putOnNode(
  client: pg.Client,
  schema: string,
  { node, url }: { node: ServerPlace | null; url: string },
): Promise<CellMove | null> {
  if (node !== null) await getWorker(client, node)
  await distributeSchema(client, schema)
  return node === null ? null : moveTo(client, schema, { node, url })
}

async function moveTo(
  client: pg.Client,
  schema: string,
  { node, url }: { node: ServerPlace; url: string },
): Promise<CellMove | null> {
  const to = await getWorker(client, node)
  const from = (await readPlaces(client, 0)).get(schema) ?? null
  if (from !== null && isSamePlace(from, to)) return null
  if (from !== null) await carrySequences(url, schema, { from, to })
  const hindrance = await findMoveHindrance(client, schema)
  const pauseMs = await watchPause(url, schema, () =>
    moveSchema(client, schema, { to, way: hindrance === null ? 'logical' : 'blocking' }),
  )
  return { schema, from: formatPlace(from), to: formatPlace(to) ?? '', pauseMs, hindrance }
}

function requireSchema(gateway: Gateway, schema: string): void {
  const known = ['directory', ...gateway.cells.map(({ cell }) => cell)]
  if (!known.includes(schema)) throw badRequest(`there is no cell ${schema}; there are ${known.join(', ')}`)
}

/** Finds the worker at this place. Throws 400 where there is none, or it cannot hold cells. */
export async function getWorker(client: pg.Client, node: ServerPlace): Promise<WorkerNode> {
  const workers = await listWorkers(client)
  const found = workers.find((worker) => isSamePlace(worker, node))
  if (found !== undefined && found.group > MAX_GROUP)
    throw badRequest(
      `${formatPlace(node)} has the number ${found.group} in this cluster, and only numbers up to ${MAX_GROUP} can hold cells: what a later one counts is too large. A coordinator that was killed or replaced skips numbers: take the node out (select citus_remove_node('${node.host}', ${node.port})) and add it with a free one (select citus_add_node('${node.host}', ${node.port}, NUMBER))`,
    )
  if (found !== undefined) return found
  const names = workers.map(formatPlace).join(', ')
  throw badRequest(
    `${formatPlace(node)} is no worker of this cluster; ${names === '' ? 'it has none yet: select citus_add_node(host, port)' : `it has ${names}`}`,
  )
}

async function listSchemasOn(client: pg.Client, node: ServerPlace): Promise<string[]> {
  const places = await readPlaces(client, 0)
  return [...places].filter(([, at]) => isSamePlace(at, node)).map(([schema]) => schema)
}

async function findEmptiest(client: pg.Client, drained: WorkerNode): Promise<WorkerNode> {
  const held = [...(await readPlaces(client, 0)).values()]
  const count = ({ group }: WorkerNode) => held.filter((node) => node.group === group).length
  const [emptiest] = (await listWorkers(client))
    .filter(({ takesSchemas, group }) => takesSchemas && group !== drained.group)
    .sort((a, b) => count(a) - count(b))
  if (emptiest === undefined) throw badRequest('there is no other node that takes cells')
  return emptiest
}

async function record(
  gateway: Gateway,
  actor: Actor,
  { schema, from, to }: { schema: string; from: ServerPlace | null; to: ServerPlace | null },
): Promise<void> {
  const act = { actor, action: 'cell.move', at: gateway.clock.now(), merchantId: null, subject: schema } as const
  const row = auditRow({ ...act, before: { node: formatPlace(from) }, after: { node: formatPlace(to) } })
  await gateway.nodes?.look()
  await gateway.directory.transaction(async () => ({ value: null, last: [row] }))
}
