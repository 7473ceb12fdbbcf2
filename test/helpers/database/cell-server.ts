import pg from 'pg'
import type { TestService } from '../service/test-service.ts'

// The server that holds the cell: that of the address, and on a cluster the node where the cell lies. There its transactions run, there they
// wait for locks, and an error keeps the name of the constraint that it broke.

type OfCell = Pick<TestService, 'gateway' | 'app' | 'database'>
/** A table that nobody else may use until it is let go. */
type HeldTable = {
  /** Whether somebody waits for it. */
  isWanted(): Promise<boolean>
  letGo(): Promise<void>
}

/** The address of the server that holds the cell. */
export function cellAddress({ gateway, app, database }: OfCell): string {
  const node = gateway.nodes?.nodeOf(app.cell) ?? null
  if (node === null) return database.url
  const url = new URL(database.url)
  url.host = `${node.host}:${node.port}`
  return url.href
}

/** A connection to that server, in the schema of the cell. */
export async function connectToCell(service: OfCell): Promise<pg.Client> {
  const options = `-c search_path=${service.app.cell},directory`
  const client = new pg.Client({ connectionString: cellAddress(service), options })
  // Whoever tests a server that goes away ends it too.
  client.on('error', () => {})
  await client.connect()
  return client
}

const SHARD = `select shard_name(logicalrelid, shardid) as name from pg_dist_shard where logicalrelid = $1::regclass`

/**
 * Holds a table of the cell. On a cluster the lock of its name holds nobody: the rows lie in a table beside it, which is locked by its own
 * name, on the node.
 */
export async function holdTable(service: OfCell, table: string, mode = 'access exclusive'): Promise<HeldTable> {
  const client = await connectToCell(service)
  let name = `${service.app.cell}.${table}`
  if (service.gateway.nodes) {
    await client.query('set citus.enable_manual_changes_to_shards = on')
    name = (await client.query<{ name: string }>(SHARD, [name])).rows[0]?.name ?? name
  }
  await client.query('begin')
  await client.query(`lock table ${name} in ${mode} mode`)
  return {
    isWanted: async () => {
      const waits = `select 1 from pg_locks where relation = '${name}'::regclass and not granted`
      return (await client.query(waits)).rows.length > 0
    },
    letGo: () => client.end(),
  }
}
