import { freePort } from '../../crash/installation.ts'
import { type CuttingProxy, cuttingProxy } from '../../fakes/cutting-proxy.ts'
import { askOnce } from './ask-once.ts'
import { type TestDatabase, testDatabase } from './test-database.ts'

// On a cluster each node has a wire of its own, and the service finds the node behind it: this database knows its nodes by their wires. All
// processes on it do, so a role tells whose connections are cut.
const WIRED = 'wired'
const OF_WIRED = new RegExp(`user\\0${WIRED}\\0`)
const MAKE_WIRED = `do $$ begin create role ${WIRED} login superuser; exception when duplicate_object or unique_violation then null; end $$`
const NODES = `select nodeid as id, nodename as host, nodeport as port, groupid from pg_dist_node where noderole = 'primary' order by groupid`
const MOVE_NODE = 'update pg_dist_node set nodeport = $2 where nodeid = $1'
type Node = { id: number; host: string; port: number; groupid: number }

/** The same database behind a wire that a test can cut; it starts open. `close` closes only the wire. */
export async function behindWire(database: TestDatabase): Promise<TestDatabase & { proxy: CuttingProxy }> {
  if (process.env.TEST_CITUS_URL) return behindWires(database)
  const { searchParams, pathname } = new URL(database.url)
  const to = { path: `${searchParams.get('host')}/.s.PGSQL.5432` }
  const proxy = cuttingProxy([{ to, port: await freePort() }])
  await proxy.open()
  const url = `postgresql://${searchParams.get('user')}@127.0.0.1:${proxy.port}${pathname}`
  return { ...database, url, proxy }
}

async function behindWires(database: TestDatabase): Promise<TestDatabase & { proxy: CuttingProxy }> {
  const url = new URL(database.url)
  const nodes = await askOnce<Node>(url.href, NODES)
  for (const { host, port } of nodes)
    await askOnce({ host, port, user: url.username, database: 'postgres' }, MAKE_WIRED)
  const wires = await Promise.all(nodes.map(async ({ host, port }) => ({ to: { host, port }, port: await freePort() })))
  const proxy = cuttingProxy(wires, OF_WIRED)
  await proxy.open()
  // Past citus_update_node, which has brought down a server whose database was a second old (13.2.2).
  for (const { host, port } of nodes)
    for (const [nth, { id, groupid }] of nodes.entries())
      if (groupid > 0)
        await askOnce({ host, port, user: url.username, database: database.name }, MOVE_NODE, [id, wires[nth]?.port])
  url.username = WIRED
  url.port = `${proxy.port}`
  return { ...database, url: url.href, proxy }
}

/** A new database behind such a wire: `behind` is the access through the wire. */
export async function openWire(): Promise<{
  database: TestDatabase
  behind: TestDatabase
  proxy: CuttingProxy
  close(): Promise<void>
}> {
  const database = await testDatabase()
  const { proxy, ...behind } = await behindWire(database)
  const close = async () => {
    await proxy.close()
    await database.drop()
  }
  return { database, behind, proxy, close }
}
