import type pg from 'pg'
import { sqlState } from '../errors.ts'
import { readPlaces } from './node-places.ts'
import type { ServerPlace } from './server-address.ts'

/** A worker of Citus. `takesSchemas`: new schemas may be placed there. */
export type WorkerNode = ServerPlace & { group: number; takesSchemas: boolean }
/** `logical`: what changes meanwhile is copied too, and writes wait only at the end. `blocking`: they wait until all is copied. */
export type MoveWay = 'logical' | 'blocking'
/** What keeps a schema from being moved while it is written, as a sentence; null where nothing does. */
export type MoveHindrance = string | null

const WORKERS = `select nodename as host, nodeport as port, groupid as "group", shouldhaveshards as "takesSchemas"
  from pg_catalog.pg_dist_node where groupid <> 0 and noderole = 'primary' order by nodename, nodeport`
const WITHOUT_IDENTITY = `select c.relname as name from pg_catalog.pg_class c
  where c.relnamespace = $1::regnamespace and c.relkind = 'r' and c.relreplident <> 'f' and not exists (
    select from pg_catalog.pg_index i where i.indrelid = c.oid and (i.indisreplident or (i.indisprimary and c.relreplident = 'd')))
  order by 1`
const WAL_LEVELS = `select result as level from run_command_on_all_nodes('show wal_level')`
const LOGICAL = 'logical'
const INSUFFICIENT_PRIVILEGE = '42501'

/** Lists the workers of the cluster. Ask the coordinator. */
export async function listWorkers(client: pg.ClientBase): Promise<WorkerNode[]> {
  return (await client.query<WorkerNode>(WORKERS)).rows
}

/** Makes an ordinary schema one that lies on a worker whole. Its tables are locked while they are copied. Does nothing where it is one. */
export async function distributeSchema(client: pg.ClientBase, schema: string): Promise<void> {
  if ((await readPlaces(client, 0)).has(schema)) return
  await makeLogged(client, schema)
  await client.query('select citus_schema_distribute($1::regnamespace)', [schema])
}

const UNLOGGED = `select quote_ident(c.relname) as name from pg_catalog.pg_class c
  where c.relnamespace = $1::regnamespace and c.relkind = 'r' and c.relpersistence = 'u'`

/** What is not in the WAL cannot be copied beside writes. On one server such tables save WAL; here they may cost it. */
async function makeLogged(client: pg.ClientBase, schema: string): Promise<void> {
  const { rows } = await client.query<{ name: string }>(UNLOGGED, [schema])
  for (const { name } of rows) await client.query(`alter table ${schema}.${name} set logged`)
}

/** Finds what hinders a move beside writes: the settings of a node, or a table whose rows cannot be told apart. */
export async function findMoveHindrance(client: pg.ClientBase, schema: string): Promise<MoveHindrance> {
  const levels = (await client.query<{ level: string }>(WAL_LEVELS)).rows
  if (!levels.every(({ level }) => level === LOGICAL)) return `wal_level is not ${LOGICAL} on every node`
  const tables = (await client.query<{ name: string }>(WITHOUT_IDENTITY, [schema])).rows
  if (tables.length === 0) return null
  return `${tables.map(({ name }) => name).join(', ')} have neither a primary key nor a replica identity`
}

/** Moves a schema to this worker. Returns when it is there. */
export async function moveSchema(
  client: pg.ClientBase,
  schema: string,
  { to, way }: { to: ServerPlace; way: MoveWay },
): Promise<void> {
  // A migration may have made another one since.
  await makeLogged(client, schema)
  const mode = way === 'logical' ? 'force_logical' : 'block_writes'
  await client.query('select citus_schema_move($1::regnamespace, $2, $3, $4)', [schema, to.host, to.port, mode])
}

/** Lets no new schema be placed on this worker. Returns whether it was done: Citus lets only a superuser do it. */
export async function closeNode(client: pg.ClientBase, { host, port }: ServerPlace): Promise<boolean> {
  try {
    await client.query(`select citus_set_node_property($1, $2, 'shouldhaveshards', false)`, [host, port])
    return true
  } catch (error) {
    if (sqlState(error) !== INSUFFICIENT_PRIVILEGE) throw error
    return false
  }
}

// On a node that holds a schema its tables are shells, and the rows lie in tables beside them, which only their functions name.
const SHARD_BYTES = `select coalesce(sum(pg_total_relation_size(to_regclass(shard_name(s.logicalrelid, s.shardid)))), 0)::bigint as bytes
  from pg_catalog.pg_dist_shard s join pg_catalog.pg_class c on c.oid = s.logicalrelid
  where c.relnamespace = current_schema()::regnamespace`

/** Reads how many bytes the schema of this connection has, on the node that holds it. */
export async function readShardBytes(client: pg.ClientBase): Promise<number> {
  return Number((await client.query<{ bytes: string }>(SHARD_BYTES)).rows[0]?.bytes ?? 0)
}
