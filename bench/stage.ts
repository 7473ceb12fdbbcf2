import { chmodSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { pino } from 'pino'
import { createMerchant } from '../src/merchants/account/create-merchant.ts'
import { type EmbeddedServer, joinEmbeddedPostgres } from '../src/platform/embedded-postgres.ts'
import { type OpenedGateway, openGateway } from '../src/program/open-gateway.ts'
import { type Config, readConfig } from '../src/program/settings/config.ts'
import { BY_HAND } from '../test/helpers/service/actors.ts'
import { type Driver, startDriver } from './drive.ts'
import { atEnd } from './endings.ts'
import { peakMemoryMb } from './processes.ts'
import { freePort, type Service, startService } from './service.ts'

export type BenchMerchant = { id: number; publicId: string; tag: string; token: string }

/** Everything the scenarios play on. */
export type Stage = {
  dataDir: string
  say(line: string): void
  config: Config
  postgres: EmbeddedServer
  service: Service
  driver: Driver
  merchants: BenchMerchant[]
  /** Merchants that no payment round touches. */
  others: BenchMerchant[]
  /** Our own connection to the product's database, with all rights; it counts and seeds. */
  db: pg.Client
  /** The server process of `db`. */
  backend: number
  /** A database beside it that belongs to an ordinary role, for TPC-B and plain transactions. */
  plainUrl: string
  /** The most memory any service of this run has held so far, in MB. */
  peakMemoryMb(): number | null
  /** Stops the service and starts it again with other settings and words. */
  restart(settings?: Record<string, string>, words?: readonly string[]): Promise<void>
}
export type StageOptions = {
  say(line: string): void
  merchants: number
  others?: number
  postgresSettings?: Record<string, string>
  nodeFlags?: readonly string[]
}

export const PLAIN = 'bench'
// The product has this many connections to its directory. More merchants at once would wait for one and be refused.
const AT_ONCE = 2
const TRIES = 5
/** A fresh embedded server, merchants, the service and the load generator. `clear` of endings.ts ends them. */
export async function buildStage(options: StageOptions): Promise<Stage> {
  const { say, postgresSettings = {}, nodeFlags = [] } = options
  const dataDir = join(temporaryFolder(), 'data')
  const config = readConfig({ DATA_DIR: dataDir, LOG_LEVEL: 'silent' })
  // Registered before it has started: if the bench ends meanwhile, it waits for the start and then stops it.
  const joining = joinEmbeddedPostgres({ dataDir, say, settings: postgresSettings })
  atEnd(async () => (await joining).leave())
  const postgres = await joining
  const made = await makeMerchants(config, options)
  const merchants = made.slice(0, options.merchants)
  await makePlainDatabase(postgres)
  const db = await connect(postgres.url('gateway'))
  await db.query('set search_path = cell_0, directory')
  const { backend } = (await db.query('select pg_backend_pid() as backend')).rows[0]
  const port = await freePort()
  const started = { dataDir, port, nodeFlags, token: merchants[0]?.token ?? '' }
  const service = await startService(started)
  say(`the service answers after ${Math.round(service.startMs)} ms`)
  const driver = startDriver()
  atEnd(() => driver.end())
  let peak: number | null = null
  const stage: Stage = {
    dataDir,
    config,
    postgres,
    service,
    driver,
    merchants,
    others: made.slice(options.merchants),
    db,
    backend,
    plainUrl: `${postgres.url(PLAIN).replace(/user=[^&]+/, `user=${PLAIN}`)}`,
    say,
    peakMemoryMb: () => {
      peak = Math.max(peak ?? 0, peakMemoryMb(stage.service.pid) ?? 0) || null
      return peak
    },
    restart: async (settings = {}, words = []) => {
      stage.peakMemoryMb()
      await stage.service.stop()
      stage.service = await startService({ ...started, settings, words })
    },
  }
  return stage
}

/** A connection that `clear` closes. */
export async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  atEnd(() => client.end())
  return client
}

/** Opens the product in this process on the stage's data, for as long as `work` takes. */
export async function withGateway<T>(config: Config, work: (opened: OpenedGateway) => Promise<T>): Promise<T> {
  const opening = openGateway({ config, log: pino({ level: 'silent' }), say: () => {} })
  let closing: Promise<void> | null = null
  const close = () => {
    closing ??= opening.then((opened) => opened.close())
    return closing
  }
  atEnd(close)
  try {
    return await work(await opening)
  } finally {
    await close()
  }
}

function temporaryFolder(): string {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'gateway-bench-')))
  // If root starts it, the server runs under another account, which must be able to enter the folder.
  chmodSync(base, 0o711)
  atEnd(() => rmSync(base, { recursive: true, force: true, maxRetries: 10 }))
  return base
}

async function makeMerchants(config: Config, { say, merchants, others = 0 }: StageOptions): Promise<BenchMerchant[]> {
  const startedAt = performance.now()
  const made = await withGateway(config, async ({ gateway }) => {
    const all: BenchMerchant[] = []
    let left = merchants + others
    const work = async () => {
      while (left > 0) {
        left -= 1
        all.push(await makeMerchant(gateway, left))
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, work))
    return withNumbers(gateway, all)
  })
  say(`${made.length} merchants in ${((performance.now() - startedAt) / 1000).toFixed(1)} s`)
  return made
}

/** These merchants with their numbers and tags, which the command that makes one does not tell. */
export async function withNumbers(
  gateway: OpenedGateway['gateway'],
  made: readonly BenchMerchant[],
): Promise<BenchMerchant[]> {
  const [app] = gateway.cells
  const { rows } = (await app?.db.pool.query('select id, public_id as "publicId", tag from merchants')) ?? {
    rows: [],
  }
  const numbers = new Map(rows.map((row) => [row.publicId, row]))
  return made.map((benchMerchant) => ({ ...benchMerchant, ...numbers.get(benchMerchant.publicId) }))
}

async function makeMerchant(gateway: OpenedGateway['gateway'], number: number): Promise<BenchMerchant> {
  const input = { name: `Bench ${number}`, email: `merchant${number}@example.com` }
  for (let attempt = 1; ; attempt += 1) {
    try {
      const made = await createMerchant(gateway, BY_HAND, input)
      return { id: 0, publicId: made.id, tag: '', token: made.keys.test }
    } catch (error) {
      // On a machine that is busy with other things a new connection may take too long for the product's patience.
      if (attempt === TRIES) throw error
    }
  }
}

async function makePlainDatabase(postgres: EmbeddedServer): Promise<void> {
  const client = new pg.Client({ connectionString: postgres.url('postgres') })
  await client.connect()
  await client.query(`create role ${PLAIN} login`)
  await client.query(`create database ${PLAIN} owner ${PLAIN}`)
  await client.end()
}
