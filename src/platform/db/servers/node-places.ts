import type pg from 'pg'
import { classifyDatabaseError, DatabaseAway } from '../errors.ts'
import type { ServerPlace } from './server-address.ts'

/** A node of Citus. `group`: its number, which stays when another server takes its place. */
export type Node = ServerPlace & { group: number }
/** The node that holds each schema. A schema that is not distributed has none. */
export type SchemaPlaces = ReadonlyMap<string, Node>

/** Whether both are the same server. */
export const isSamePlace = (a: ServerPlace, b: ServerPlace) => a.host === b.host && a.port === b.port

export const isNode = (place: ServerPlace): place is Node => 'group' in place

// A distributed schema lies on one node whole, so any one of its tables says where. Group 0 is the coordinator, where the address leads.
const PLACES = `select n.nspname as schema, d.groupid as "group", d.nodename as host, d.nodeport as port
  from pg_catalog.pg_dist_schema s
  join pg_catalog.pg_namespace n on n.oid = s.schemaid
  cross join lateral (
    select p.groupid from pg_catalog.pg_dist_partition t
    join pg_catalog.pg_dist_shard h on h.logicalrelid = t.logicalrelid
    join pg_catalog.pg_dist_placement p on p.shardid = h.shardid
    where t.colocationid = s.colocationid limit 1) placed
  join pg_catalog.pg_dist_node d on d.groupid = placed.groupid and d.noderole = 'primary' and d.groupid <> 0`

/** Reads where the schemas lie; `timeoutMs` 0: without a limit. Every node of Citus can answer, because each has the whole catalog. */
export async function readPlaces(client: pg.ClientBase, timeoutMs: number): Promise<SchemaPlaces> {
  const query = { text: PLACES, ...(timeoutMs === 0 ? {} : { query_timeout: timeoutMs }) }
  const { rows } = await client.query<Node & { schema: string }>(query as pg.QueryConfig)
  return new Map(rows.map(({ schema, group, host, port }) => [schema, { group, host, port }]))
}

/** What Citus is to a database. `coordinator`: this server takes changes of the schema. */
export type Cluster = { citus: boolean; coordinator: boolean }

const HAS_CITUS = `select to_regclass('pg_catalog.pg_dist_schema') is not null as citus`
const LOCAL_GROUP = `select groupid = 0 as coordinator from pg_catalog.pg_dist_local_group`

/** Reads whether the database has Citus, and whether this server is its coordinator. A server without Citus is asked nothing more. */
export async function readCluster(client: pg.ClientBase): Promise<Cluster> {
  const [found] = (await client.query<{ citus: boolean }>(HAS_CITUS)).rows
  if (found?.citus !== true) return { citus: false, coordinator: true }
  const [local] = (await client.query<{ coordinator: boolean }>(LOCAL_GROUP)).rows
  return { citus: true, coordinator: local?.coordinator ?? true }
}

// The coordinator waits half a minute for a node that is silent.
const NODE_TIMEOUT_MS = 3000

/** Finds the cells whose node does not answer the coordinator. Each node is asked once. */
export async function findUnreached(client: pg.ClientBase, cells: readonly string[]): Promise<string[]> {
  const places = await readPlaces(client, NODE_TIMEOUT_MS)
  const answers = new Map<number, boolean>()
  await client.query(`set statement_timeout = ${NODE_TIMEOUT_MS}`)
  for (const cell of cells) {
    const group = places.get(cell)?.group
    if (group !== undefined && !answers.has(group)) answers.set(group, await doesAnswer(client, cell))
  }
  await client.query('reset statement_timeout')
  return cells.filter((cell) => answers.get(places.get(cell)?.group ?? 0) === false)
}

async function doesAnswer(client: pg.ClientBase, cell: string): Promise<boolean> {
  try {
    await client.query(`select 1 from ${cell}.migration_checksums limit 1`)
    return true
  } catch (error) {
    if (classifyDatabaseError(error) instanceof DatabaseAway) return false
    throw error
  }
}
