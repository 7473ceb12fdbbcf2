import pg from 'pg'
import type { TestService } from '../service/test-service.ts'
import { askOnce } from './ask-once.ts'

// The server that holds the cell: that of the address, and on a cluster the node where the cell lies. There its transactions run.

type OfCell = Pick<TestService, 'gateway' | 'app' | 'database' | 'rows'>
/** A table that nobody else may use until it is let go. */
type HeldTable = {
  /** Waits until somebody wants it. */
  isWanted(): Promise<boolean>
  letGo(): Promise<void>
}

/** Rows of what that server knows of itself: who is connected to it, and who waits for a lock. */
export async function rowsAtCell<Row = any>(service: OfCell, text: string): Promise<Row[]> {
  return nodeOf(service) === null ? service.rows<Row>(text) : askOnce<Row>(addressOf(service), text)
}

/**
 * Holds a table of the cell. On a cluster its name at the coordinator holds nobody: payments come by the node, where the rows lie in a table
 * beside it.
 */
export async function holdTable(service: OfCell, table: string, mode = 'access exclusive'): Promise<HeldTable> {
  const client = new pg.Client({ connectionString: addressOf(service) })
  // Whoever tests a server that goes away ends it too.
  client.on('error', () => {})
  await client.connect()
  const name = `${service.app.cell}.${table}`
  const shard = `select shard_name(logicalrelid, shardid) as name from pg_dist_shard where logicalrelid = '${name}'::regclass`
  const held = nodeOf(service) === null ? name : (await client.query(shard)).rows[0].name
  await client.query('begin')
  await client.query(`lock table ${held} in ${mode} mode`)
  return {
    isWanted: async () => {
      const waits = `select 1 from pg_locks where relation = '${held}'::regclass and not granted`
      return (await client.query(waits)).rows.length > 0
    },
    letGo: () => client.end(),
  }
}

const nodeOf = ({ gateway, app }: OfCell) => gateway.nodes?.nodeOf(app.cell) ?? null

function addressOf(service: OfCell): string {
  const node = nodeOf(service)
  if (node === null) return service.database.url
  const url = new URL(service.database.url)
  url.host = `${node.host}:${node.port}`
  return url.href
}
