import { migrate } from '../../../src/platform/db/migrate.ts'
import { askOnce } from './ask-once.ts'

// Databases of a cluster of Citus whose coordinator TEST_CITUS_URL names, with all its nodes. Every node has the database of a test; in it the
// directory and the cell are distributed schemas.

/** A server of the cluster, by the address under which the others know it. */
type Node = { host: string; port: number; isCoordinator: boolean }

const NODES = `select nodename as host, nodeport as port, groupid = 0 as "isCoordinator" from pg_dist_node where noderole = 'primary' order by groupid`
// Each database of a cluster has a process that keeps a connection to it, and comes back. A template must have none.
const LEAVE_ALONE = (name: string) => [
  `alter database ${name} with is_template true allow_connections false`,
  `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`,
]

/** The databases of the cluster whose coordinator has this address. */
export const citusServer = (coordinator: string) => ({
  url: (name: string) => urlAt(coordinator, {}, name),
  /** Makes a migrated template on every node, unless there is one. */
  makeTemplate: async (name: string) => {
    const [first] = await askOnce(coordinator, `select 1 from pg_database where datname = '${name}' and datistemplate`)
    if (first === undefined) await makeTemplate(coordinator, name)
  },
  clone: (template: string, name: string) =>
    atEveryNode(
      coordinator,
      'postgres',
      `create database ${name} template ${template} strategy file_copy`,
      // What a test sets for its transaction (past the triggers, for a planted fault) counts on every server.
      `alter database ${name} set citus.propagate_set_commands = 'local'`,
    ),
  drop: (name: string) => atEveryNode(coordinator, 'postgres', `drop database if exists ${name} with (force)`),
})

async function makeTemplate(coordinator: string, name: string): Promise<void> {
  await atEveryNode(coordinator, 'postgres', `drop database if exists ${name} with (force)`, `create database ${name}`)
  await atEveryNode(coordinator, name, 'create extension citus')
  const url = urlAt(coordinator, {}, name)
  for (const { host, port, isCoordinator } of await readNodes(coordinator))
    await askOnce(url, `select ${isCoordinator ? 'citus_set_coordinator_host' : 'citus_add_node'}('${host}', ${port})`)
  const { cells } = await migrate(url)
  // It connects to its nodes as the role under which the service works.
  await askOnce(url, 'alter role gateway_app login')
  for (const schema of ['directory', ...cells]) await askOnce(url, `select citus_schema_distribute('${schema}')`)
  await atEveryNode(coordinator, 'postgres', ...LEAVE_ALONE(name))
}

const readNodes = (coordinator: string) => askOnce<Node>(coordinator, NODES)

async function atEveryNode(coordinator: string, database: string, ...commands: string[]): Promise<void> {
  const nodes = await readNodes(coordinator)
  await Promise.all(
    nodes.map(async (node) => {
      for (const command of commands) await askOnce(urlAt(coordinator, node, database), command)
    }),
  )
}

function urlAt(coordinator: string, { host, port }: Partial<Node>, database: string): string {
  const url = new URL(coordinator)
  if (host !== undefined && port !== undefined) url.host = `${host}:${port}`
  url.pathname = `/${database}`
  return url.href
}
