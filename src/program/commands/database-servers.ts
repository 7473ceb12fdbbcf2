import type { Database } from '../../platform/db/database.ts'
import { formatPlace } from '../../platform/db/servers/server-address.ts'
import type { Gateway } from '../app.ts'

/** A server with the databases that this process opens there. `name`: how it is called. */
export type DatabaseServer = { name: string; databases: readonly Database[] }

/** Without nodes everything lies on one server. */
export function groupByServer({ directory, cells, nodes }: Gateway): DatabaseServer[] {
  const servers = new Map<string | null, Database[]>()
  const all = [{ schema: 'directory', db: directory }, ...cells.map(({ cell, db }) => ({ schema: cell, db }))]
  for (const { schema, db } of all) {
    const node = formatPlace(nodes?.nodeOf(schema) ?? null)
    servers.set(node, [...(servers.get(node) ?? []), db])
  }
  return [...servers].map(([node, databases]) => ({
    name: node === null ? 'the database' : `the node ${node}`,
    databases,
  }))
}
