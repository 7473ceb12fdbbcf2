import { execFileSync } from 'node:child_process'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { createMerchant } from '../src/merchants/account/create-merchant.ts'
import { readConfig } from '../src/program/settings/config.ts'
import { type CitusCluster, startCitus, type Worker } from '../test/drill/cells/citus-cluster.ts'
import { commandOn, MASTER_KEY } from '../test/drill/on-program.ts'
import { askOnce } from '../test/helpers/database/ask-once.ts'
import { BY_HAND } from '../test/helpers/service/actors.ts'
import { type Driver, startDriver } from './drive.ts'
import { atEnd } from './endings.ts'
import { median, ratio, rounded, since } from './figures.ts'
import { cpuOfTree } from './processes.ts'
import { atLeast, atMost } from './report.ts'
import { freePort, type Service, startService } from './service.ts'
import { withGateway } from './stage.ts'

const CELLS = ['cell_0', 'cell_1', 'cell_2'] as const
const BIN = '/usr/lib/postgresql/15/bin'
const MERCHANTS_OF_CELL = 24
const CONNECTIONS_OF_CELL = 64
// Until then everything costs more: caches fill, and statements are planned anew.
const WARM_PAYMENTS = 6000
const ROUND_MS = 8000
// Of each cell, so that its node has the same to do however many others there are; this machine carries three of them.
const RATE_OF_CELL = 350
const COUNTS = [1, 2, 3] as const
const ROUNDS = 3
const LANDED_WITHIN_MS = 60_000
const LOOK_EVERY_MS = 50
const MERCHANT_EMAIL = 'bench@shops.invalid'
// For charges of the sandbox: the net amount and the fee of each.
const TRANSFERS_OF_PAYMENT = 2
const POSTED = 'select coalesce(sum(seq), 0)::float8 as seq from'

/** A server that holds cells, and our own connection to it. */
type Node = { cells: readonly string[]; pid: number; db: pg.Client }
type Side = {
  nodes: readonly Node[]
  /** Postmaster of the coordinator, where there is one. */
  coordinator: number | null
  service: Service
  tokens: Readonly<Record<string, readonly string[]>>
}

/** What a payment costs where its cells lie on one, two or three workers of Citus, and on plain PostgreSQL with the same settings. */
export async function measureCells(say: (line: string) => void) {
  const cluster = await startCitus()
  if (typeof cluster === 'string') throw new Error(cluster)
  atEnd(() => cluster.end())
  const driver = startDriver()
  atEnd(() => driver.end())
  const citus = await openCluster(cluster)
  const plain = await openPlain(cluster)
  const plans: { name: string; side: Side; count: number; perSecond?: number }[] = [
    { name: 'plain', side: plain, count: 1 },
    { name: 'citus', side: citus, count: 1 },
    ...COUNTS.map((count) => ({ name: `${count}_workers`, side: citus, count, perSecond: RATE_OF_CELL * count })),
  ]
  await pay(driver, plain, 1, { requests: WARM_PAYMENTS })
  await pay(driver, citus, CELLS.length, { requests: WARM_PAYMENTS * CELLS.length })
  const rounds: Record<string, Awaited<ReturnType<typeof pay>>[]> = {}
  for (let nth = 0; nth < ROUNDS; nth += 1)
    for (const { name, side, count, perSecond } of plans) {
      const round = await pay(driver, side, count, { ms: ROUND_MS, ...(perSecond && { perSecond }) })
      rounds[name] = [...(rounds[name] ?? []), round]
      say(`${name}: ${JSON.stringify(round)}`)
    }
  return { scenarios: rounds, ...compare(rounds) }
}

function compare(rounds: Record<string, Awaited<ReturnType<typeof pay>>[]>) {
  const of = (name: string, read: (round: Awaited<ReturnType<typeof pay>>) => number | null) =>
    median((rounds[name] ?? []).map(read))
  const linear = (name: string) =>
    rounded(
      ratio(
        of('1_workers', ({ cpu_ms_postgres }) => cpu_ms_postgres),
        of(name, ({ cpu_ms_postgres }) => cpu_ms_postgres),
      ),
    )
  const toPlain = rounded(
    ratio(
      of('citus', ({ cpu_ms }) => cpu_ms),
      of('plain', ({ cpu_ms }) => cpu_ms),
    ),
  )
  const share = Math.max(
    ...COUNTS.map((count) => of(`${count}_workers`, (round) => round.coordinator_percent) ?? Number.NaN),
  )
  return {
    ratios: { citus_to_plain: toPlain, linear_two: linear('2_workers'), linear_three: linear('3_workers') },
    bars: [
      atMost('citus_to_plain', 1.25, toPlain),
      atLeast('linear_two_workers', 0.85, linear('2_workers')),
      atLeast('linear_three_workers', 0.85, linear('3_workers')),
      atMost('coordinator_percent', 3, rounded(share)),
    ],
  }
}

/** Pays on the first `count` cells until all that was accepted is posted, and says what a payment has cost. */
async function pay(
  driver: Driver,
  side: Side,
  count: number,
  order: { ms: number; perSecond?: number } | { requests: number },
) {
  const nodes = side.nodes.slice(0, count)
  const postedBefore = await countPosted(nodes)
  const cpu = side.nodes.map(({ pid }) => cpuOfTree(pid))
  const [server, coordinator] = [cpuOfTree(side.service.pid), readCoordinator(side)]
  const load = await driver.run({
    ...{ port: side.service.port, connections: CONNECTIONS_OF_CELL * count, ...order },
    tokens: nodes.flatMap(({ cells }) => cells.flatMap((cell) => side.tokens[cell] ?? [])),
  })
  const accepted = load.statuses['201'] ?? 0
  if (accepted === 0) throw new Error(`no charge was accepted: ${load.refusal}`)
  const giveUpAt = performance.now() + LANDED_WITHIN_MS
  while ((await countPosted(nodes)) < postedBefore + accepted) {
    if (performance.now() > giveUpAt)
      throw new Error(`${accepted} payments were accepted, and not all are in the ledger`)
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
  }
  const each = (seconds: number | null) => rounded(seconds === null ? null : (seconds * 1000) / accepted, 4)
  const used = side.nodes.map(({ pid }, nth) => since(cpu[nth] ?? null, cpuOfTree(pid)))
  const postgres = used.reduce((sum, one) => (sum === null || one === null ? null : sum + one), 0)
  const ofServer = since(server, cpuOfTree(side.service.pid))
  const ofCoordinator = since(coordinator, readCoordinator(side))
  const all = [postgres, ofServer, ofCoordinator].reduce((sum, one) => (sum ?? 0) + (one ?? 0), 0)
  return {
    payments: accepted,
    refused: Object.values(load.statuses).reduce((sum, many) => sum + many, 0) - accepted,
    accepted_per_second: rounded(accepted / load.seconds, 0),
    post_p99_ms: rounded(load.p99Ms, 2),
    cpu_ms_server: each(ofServer),
    cpu_ms_postgres: each(postgres),
    cpu_ms: each(all),
    coordinator_percent: rounded(ratio((ofCoordinator ?? 0) * 100, all)),
  }
}

const readCoordinator = ({ coordinator }: Side) => (coordinator === null ? 0 : cpuOfTree(coordinator))

async function countPosted(nodes: readonly Node[]): Promise<number> {
  let seq = 0
  for (const { cells, db } of nodes)
    for (const cell of cells) seq += (await db.query(`${POSTED} ${cell}.ledger_heads`)).rows[0].seq
  return seq / TRANSFERS_OF_PAYMENT
}

/** The directory and the first cell on the first worker, each other cell on one of its own. */
async function openCluster(cluster: CitusCluster): Promise<Side> {
  const settings = { DATABASE_URL: cluster.url, MASTER_KEY }
  await commandOn(settings, 'migrate')
  await cluster.ask('alter role gateway_app login')
  const nodes: Node[] = []
  for (const [nth, cell] of CELLS.entries()) {
    const worker = cluster.workers[nth] as Worker
    if (nth > 0) await commandOn(settings, 'cells', 'create', cell, '--node', worker.node)
    else
      for (const schema of ['directory', cell])
        await commandOn(settings, 'cells', 'place', schema, '--node', worker.node)
    nodes.push(await openNode([cell], worker))
  }
  await cluster.ask(`update directory.cells set added_at = null`)
  return { ...(await serve(settings, CELLS)), nodes, coordinator: readPid(cluster.data) }
}

/** A server of the same settings that has never heard of Citus. */
async function openPlain(cluster: CitusCluster): Promise<Side> {
  const data = join(cluster.data, '..', 'plain')
  const { uid, gid } = statSync(cluster.data)
  const as = { uid, gid, cwd: '/', stdio: 'ignore' } as const
  execFileSync(join(BIN, 'initdb'), ['-D', data, '-U', 'postgres', '--auth=trust', '-E', 'UTF8', '--no-sync'], as)
  const port = await freePort()
  const like = readFileSync(join(cluster.data, 'postgresql.conf'), 'utf8')
  const lines = like.split('\n').filter((line) => !/citus|^port=/.test(line))
  writeFileSync(join(data, 'postgresql.conf'), [...lines, `port=${port}`, 'synchronous_commit=on', ''].join('\n'))
  execFileSync(join(BIN, 'pg_ctl'), ['-D', data, '-l', `${data}.log`, '-w', '-s', 'start'], as)
  atEnd(() => execFileSync(join(BIN, 'pg_ctl'), ['-D', data, '-m', 'immediate', '-s', 'stop'], as))
  const url = `postgres://postgres@127.0.0.1:${port}/gateway`
  await askOnce(url.replace(/gateway$/, 'postgres'), 'create database gateway')
  const settings = { DATABASE_URL: url, MASTER_KEY }
  await commandOn(settings, 'migrate')
  const [first] = CELLS
  const node = await openNode([first], { node: `127.0.0.1:${port}`, data })
  return { ...(await serve(settings, [first])), nodes: [node], coordinator: null }
}

async function openNode(cells: readonly string[], { node, data }: Pick<Worker, 'node' | 'data'>): Promise<Node> {
  const db = new pg.Client(`postgres://postgres@${node}/gateway`)
  db.on('error', () => {})
  await db.connect()
  atEnd(() => db.end())
  return { cells, pid: readPid(data), db }
}

const readPid = (data: string) => Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n', 1)[0])

async function serve(settings: Record<string, string>, cells: readonly string[]) {
  const config = readConfig({ ...settings, LOG_LEVEL: 'silent' })
  const tokens: Record<string, string[]> = {}
  await withGateway(config, async ({ gateway }) => {
    for (const cell of cells) {
      tokens[cell] = []
      for (let nth = 0; nth < MERCHANTS_OF_CELL; nth += 1) {
        const made = await createMerchant(gateway, BY_HAND, { name: `${cell} ${nth}`, email: MERCHANT_EMAIL, cell })
        tokens[cell].push(made.keys.test)
      }
    }
  })
  const token = tokens[cells[0] ?? '']?.[0] ?? ''
  const service = await startService({ dataDir: '', port: await freePort(), settings, token })
  return { service, tokens }
}
