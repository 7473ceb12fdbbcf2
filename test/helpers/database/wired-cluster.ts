import { freePort } from '../../crash/installation.ts'
import { type CuttingProxy, cuttingProxy } from '../../fakes/cutting-proxy.ts'
import { askOnce } from './ask-once.ts'
import type { TestDatabase } from './test-database.ts'

/** A worker, as this database knows it: behind a wire that a test can cut, which no other database of the cluster uses. */
export type WiredWorker = { node: string; wire: CuttingProxy; own: number }
/** A database of its own on every node of the cluster of TEST_CITUS_URL. */
export type WiredCluster = TestDatabase & {
  workers: readonly WiredWorker[]
  /** The port of the coordinator itself; the address leads over `wire`. */
  coordinator: number
  wire: CuttingProxy
  /** Asks one of its nodes, past all wires. */
  ask(port: number, text: string): Promise<any[]>
}

const CITUS = process.env.TEST_CITUS_URL ?? null
/** What a test that needs a cluster says where there is none. */
export const skipWithoutCitus = CITUS === null ? 'TEST_CITUS_URL names no cluster of Citus' : false
const HOST = '127.0.0.1'
const WORKERS = 2
let made = 0

export async function wiredCluster(): Promise<WiredCluster> {
  const { port: at, username: user } = new URL(CITUS ?? '')
  const coordinator = Number(at)
  const name = `nodes_${process.pid}_${made++}`
  const ask = (port: number, text: string, database = name) => askOnce({ host: HOST, port, user, database }, text)
  const known = await ask(coordinator, 'select nodeport as port from pg_dist_node where groupid > 0', 'gateway')
  const ports: number[] = known.slice(0, WORKERS).map(({ port }) => port)
  for (const port of [coordinator, ...ports]) {
    await ask(port, `create database ${name}`, 'postgres')
    await ask(port, 'create extension citus')
  }
  await ask(coordinator, `select citus_set_coordinator_host('${HOST}', ${coordinator})`)
  const openWire = async (port: number) => {
    const [socket] = await ask(port, 'show unix_socket_directories')
    const to = { path: `${socket.unix_socket_directories}/.s.PGSQL.${port}` }
    const wire = cuttingProxy([{ to, port: await freePort() }])
    await wire.open()
    return wire
  }
  const wire = await openWire(coordinator)
  const workers: WiredWorker[] = []
  for (const own of ports) {
    const wire = await openWire(own)
    await ask(coordinator, `select citus_add_node('${HOST}', ${wire.port})`)
    workers.push({ node: `${HOST}:${wire.port}`, wire, own })
  }
  return {
    ...{ name, url: `postgres://${user}@${HOST}:${wire.port}/${name}`, workers, coordinator, wire, ask },
    drop: async () => {
      for (const one of [wire, ...workers.map((worker) => worker.wire)]) await one.close()
      for (const port of [coordinator, ...ports])
        await ask(port, `drop database if exists ${name} with (force)`, 'postgres')
    },
  }
}
