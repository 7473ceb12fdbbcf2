import { chmodSync, chownSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { freePort } from '../../crash/installation.ts'
import { makeAuthority, makeCertificate } from '../certificates.ts'
import { account } from '../debian-servers.ts'
import { type Host, makeHost } from './hosts.ts'
import { type Link, openLink } from './links.ts'
import { startProgram } from './programs.ts'
import { ADDRESS, databaseUrl, type HostPlace, haproxySettings, patroniSettings, SUPERUSER } from './settings.ts'

/** Three hosts with PostgreSQL under Patroni, one etcd, and HAProxy in front. */
export type Cluster = {
  hosts: readonly Host[]
  /** Two ways to reach the primary: an address with all servers, and one that moves. */
  ways: Readonly<Record<string, string>>
  etcd: { kill(): void; start(): void }
  /** Waits until all three work, in one history, and one is a synchronous standby. Returns the primary and that standby. */
  whole(): Promise<{ primary: Host; standby: Host }>
  /** The same without the host that is down. */
  wholeWithout(down: Host): Promise<{ primary: Host; standby: Host }>
  end(): Promise<void>
}

type Member = { name: string; role: string; state: string; timeline?: number }

export const DATABASE = 'gateway'
const NAMES = ['one', 'two', 'three']
const WORKS: readonly string[] = ['running', 'streaming']
const WHOLE_MS = 150_000
const LOOK_MS = 200

export async function startCluster(folder: string): Promise<Cluster> {
  chmodSync(folder, 0o711)
  const etcdPort = await freePort()
  const places: HostPlace[] = []
  const tls = makeAuthority(folder)
  for (const name of NAMES) {
    makeCertificate(tls, { name, address: ADDRESS })
    places.push(await makePlace(folder, { name, tls }))
  }
  const hosts: Host[] = []
  const links: Link[] = []
  for (const place of places) {
    const wires = await openWires(place, etcdPort, () => hosts.some((host) => host.isCutOff()))
    links.push(...wires)
    hosts.push(makeHost(place, wires))
  }
  const etcd = makeEtcd(ownFolder(join(folder, 'etcd')), etcdPort, await freePort())
  etcd.start()
  for (const host of hosts) host.start()
  const moving = await freePort()
  const config = join(folder, 'haproxy.cfg')
  writeFileSync(config, haproxySettings(moving, places))
  const haproxy = startProgram('haproxy', ['-db', '-f', config], join(folder, 'etcd', 'haproxy.log'))
  const at = (servers: string) => databaseUrl(servers, tls, DATABASE)
  return {
    hosts,
    ways: {
      'several servers': at(places.map(({ wires }) => `127.0.0.1:${wires.postgres}`).join(',')),
      HAProxy: at(`127.0.0.1:${moving}`),
    },
    etcd,
    whole: () => untilWhole(hosts),
    wholeWithout: (down) => untilWhole(hosts.filter((host) => host !== down)),
    end: async () => {
      haproxy.kill('SIGKILL')
      for (const host of hosts) host.kill()
      etcd.kill()
      await Promise.all(links.map((link) => link.close()))
    },
  }
}

function ownFolder(path: string): string {
  mkdirSync(path, { mode: 0o700 })
  const owner = account()
  if (owner !== null) chownSync(path, owner.uid, owner.gid)
  return path
}

async function makePlace(folder: string, { name, tls }: Pick<HostPlace, 'name' | 'tls'>): Promise<HostPlace> {
  const own = ownFolder(join(folder, name))
  const [postgres, rest] = [await freePort(), await freePort()]
  const wires = { postgres: await freePort(), rest: await freePort(), etcd: await freePort() }
  const place = { name, folder: own, tls, postgres, rest, wires }
  const file = join(own, 'patroni.yml')
  writeFileSync(file, JSON.stringify(patroniSettings(place)))
  chmodSync(file, 0o644)
  return place
}

/** A primary that lost etcd asks the others to let it go on: where it is cut off, that does not reach them. */
function openWires({ postgres, rest, wires }: HostPlace, etcdPort: number, isAnyCut: () => boolean): Promise<Link[]> {
  const isFromCut = (bytes: Buffer) => isAnyCut() && bytes.includes('POST /failsafe')
  return Promise.all([
    openLink({ port: wires.postgres, to: postgres }),
    openLink({ port: wires.rest, to: rest, isFromCut }),
    openLink({ port: wires.etcd, to: etcdPort }),
  ])
}

function makeEtcd(folder: string, port: number, peerPort: number): Cluster['etcd'] {
  const [client, peer] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${peerPort}`]
  const words = [
    ...['--name', 'only', '--data-dir', join(folder, 'data'), '--initial-cluster', `only=${peer}`],
    ...['--listen-client-urls', client, '--advertise-client-urls', client],
    ...['--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer],
  ]
  let child: ReturnType<typeof startProgram> | null = null
  return {
    start: () => {
      child = startProgram('etcd', words, join(folder, 'log'))
    },
    kill: () => void child?.kill('SIGKILL'),
  }
}

/** What Patroni says of the members, on the first of these hosts that answers. */
async function readMembers(hosts: readonly Host[]): Promise<Member[]> {
  for (const { place } of hosts) {
    const signal = AbortSignal.timeout(1000)
    const answer = await fetch(`http://127.0.0.1:${place.rest}/cluster`, { signal }).catch(() => null)
    const read = await answer?.json().catch(() => null)
    if (read?.members !== undefined) return read.members
  }
  return []
}

async function untilWhole(hosts: readonly Host[]): Promise<{ primary: Host; standby: Host }> {
  const giveUpAt = performance.now() + WHOLE_MS
  for (;;) {
    const members = (await readMembers(hosts)).filter(({ name }) => hosts.some(({ place }) => place.name === name))
    const named = (...roles: string[]) =>
      hosts.find(({ place }) => members.some(({ name, role }) => name === place.name && roles.includes(role)))
    const [primary, standby] = [named('leader', 'master'), named('sync_standby')]
    const works = members.length === hosts.length && members.every(({ state }) => WORKS.includes(state))
    const isOneHistory = new Set(members.map(({ timeline }) => timeline)).size === 1
    if (primary && standby && works && isOneHistory && (await hasStandbys(primary, hosts.length - 1)))
      return { primary, standby }
    if (performance.now() > giveUpAt) throw new Error(await describeState(members, primary))
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
  }
}

/** What Patroni and the primary itself say of the members of a cluster that does not become whole. */
async function describeState(members: readonly Member[], primary: Host | undefined): Promise<string> {
  const asked = `select application_name, state, sync_state, sync_priority, sent_lsn, flush_lsn, pg_current_wal_flush_lsn() as here,
      current_setting('synchronous_standby_names') as names from pg_stat_replication`
  const standbys = primary === undefined ? [] : await askHost(primary, asked).catch((error) => [{ error: `${error}` }])
  return `the cluster is not whole: ${JSON.stringify({ members, primary: primary?.place.name, standbys })}`
}

async function hasStandbys(primary: Host, count: number): Promise<boolean> {
  const rows = await askHost(
    primary,
    `select count(*) filter (where state = 'streaming') as streaming,
       count(*) filter (where sync_state in ('sync', 'quorum')) as synchronous from pg_stat_replication`,
  ).catch(() => [])
  return Number(rows[0]?.streaming) === count && Number(rows[0]?.synchronous) > 0
}

/** A statement at the server of this host itself, past all wires. */
export async function askHost(
  { place }: Host,
  text: string,
  { database = 'postgres', ms = 1000 }: { database?: string; ms?: number } = {},
): Promise<Record<string, any>[]> {
  const client = new pg.Client({
    ...{ host: place.folder, port: place.postgres, user: SUPERUSER, database },
    ...{ connectionTimeoutMillis: ms, query_timeout: ms },
  })
  client.on('error', () => {})
  try {
    await client.connect()
    return (await client.query(text)).rows
  } finally {
    // A server that stands still does not say goodbye.
    void client.end().catch(() => {})
  }
}
