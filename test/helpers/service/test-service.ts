import { createHash, randomUUID } from 'node:crypto'
import pg from 'pg'
import {
  type CreatedMerchant,
  createMerchant,
  type NewMerchant,
} from '../../../src/merchants/account/create-merchant.ts'
import { getMerchantNamed, type MerchantChange } from '../../../src/merchants/account/set-merchant.ts'
import { setMerchantAndVerification } from '../../../src/merchants/verification/decide-application.ts'
import { findDueSweeps, POLLED_SWEEPS } from '../../../src/operations/jobs/due-work.ts'
import { MONEY_TABLES } from '../../../src/platform/db/tables.ts'
import { newLogLimiter } from '../../../src/platform/log/log-limiter.ts'
import { newServiceLog } from '../../../src/platform/log/service-log.ts'
import { addMs, type MovableClock, movableClock } from '../../../src/platform/time/clock.ts'
import type { App, Gateway } from '../../../src/program/app.ts'
import type { OpenOptions } from '../../../src/program/open-gateway.ts'
import { type Role, serve } from '../../../src/program/serve.ts'
import { readConfig } from '../../../src/program/settings/config.ts'
import { buildSweeps, type CellSweep } from '../../../src/program/sweeps.ts'
import { askOnce } from '../database/ask-once.ts'
import { cellAddress } from '../database/cell-server.ts'
import { type TestDatabase, testDatabase } from '../database/test-database.ts'
import { BY_HAND } from './actors.ts'
import { askHttp } from './ask-http.ts'
import { NO_LIMITS } from './no-limits.ts'

/** The whole service over real HTTP on its own database, with a clock that the test moves and sweeps that it runs. */
export type TestService = {
  url: string
  clock: MovableClock
  gateway: Gateway
  app: App
  database: TestDatabase
  /** A merchant with its four keys. */
  merchant(input?: Partial<NewMerchant>): Promise<CreatedMerchant>
  set(merchant: CreatedMerchant, change: MerchantChange): Promise<void>
  client(key: string): Client
  /** Runs one background task once and waits for everything it started. Returns how many items it handled. */
  run(sweep: string): Promise<number>
  /** The same while others write and move the clock: what the look for work saw is old when the task begins, and is not compared. */
  runBeside(sweep: string): Promise<number>
  /** Writes what the log has counted instead of writing. */
  tell(): void
  /** Moves the clock. */
  pass(ms: number): void
  /** Rows read directly from the database, in the schema of the cell. */
  rows<Row = Record<string, unknown>>(sql: string, values?: unknown[]): Promise<Row[]>
  /** The contents of all money tables but those named, as one text: the same before and after means nothing was written. */
  digest(...without: string[]): Promise<string>
  close(): Promise<void>
}

export type Reply = { status: number; headers: Headers; body: any; text: string }
export type Client = {
  get(path: string, headers?: Record<string, string>): Promise<Reply>
  /** A POST with a fresh X-Timestamp and Idempotency-Key unless given; `undefined` leaves a header out. */
  post(path: string, body?: unknown, headers?: Record<string, string | undefined>): Promise<Reply>
  charge(body?: Record<string, unknown>, headers?: Record<string, string | undefined>): Promise<Reply>
}

export type TestServiceOptions = Pick<OpenOptions, 'liveRails' | 'resolve'> & {
  env?: Record<string, string>
  role?: Role
  database?: TestDatabase
  clock?: MovableClock
  /** Receives what the service logs, each line as it is written. */
  lines?: string[]
}

/** A charge that succeeds. */
export const CHARGE = { amount: 5000, channel: 'op1_momo', customer: { phone: '0700000000' } }
const LONG_SQL = 2000
// On a cluster only the coordinator does that.
const CHANGES_SCHEMA = /^\s*(create|alter|drop)\b/i
// A row whose time comes between the look for work and the work is no mistake.
const LOOK_AHEAD_MS = 5000
const MASTER_KEY = Buffer.alloc(32, 7).toString('base64')
export async function startService(options: TestServiceOptions = {}): Promise<TestService> {
  const database = options.database ?? (await testDatabase())
  const clock = options.clock ?? movableClock()
  const config = readConfig({
    PORT: '0',
    DATABASE_URL: database.url,
    MASTER_KEY,
    LOG_LEVEL: 'silent',
    // Every call of a rail, a supplier or a receiver inside a transaction throws.
    TEST_HOOKS: '1',
    ...NO_LIMITS,
    ...options.env,
  })
  const { lines } = options
  const few = newLogLimiter(() => clock.nowMs())
  const log = newServiceLog(
    { level: lines ? 'debug' : config.logLevel, limiter: few },
    lines && { write: (line: string) => void lines.push(line) },
  )
  const service = await serve({
    config,
    log,
    say: () => {},
    clock,
    role: options.role ?? 'web',
    ...(options.liveRails ? { liveRails: options.liveRails } : {}),
    ...(options.resolve ? { resolve: options.resolve } : {}),
  })
  const gateway = service.gateway() as Gateway
  const app = gateway.cells[0] as App
  const sweeps = buildSweeps(app)
  const atAddress = { connectionString: database.url, options: `-c search_path=${app.cell},directory` }
  const admin = new pg.Pool({
    ...atAddress,
    connectionString: cellAddress({ gateway, app, database }),
    max: 2,
  })
  // A test may cut the connection while it is idle.
  admin.on('error', () => {})
  let merchants = 0
  const rows = async <Row>(sql: string, values: unknown[] = []) =>
    gateway.nodes !== null && CHANGES_SCHEMA.test(sql)
      ? askOnce<Row>(atAddress, sql, values)
      : ((await admin.query({ text: sql, values, ...plannedOnce(sql) })).rows as Row[])
  return {
    url: service.url,
    clock,
    gateway,
    app,
    database,
    merchant: (input = {}) => {
      merchants += 1
      return createMerchant(gateway, BY_HAND, {
        name: `Shop ${merchants}`,
        email: `shop${merchants}@shops.invalid`,
        ...input,
      })
    },
    set: async (merchant, change) => {
      const found = await getMerchantNamed(gateway, merchant.id)
      await setMerchantAndVerification(found.app, BY_HAND, { merchant: found.merchant, change })
      await runSweep(app, sweeps, 'tend-addresses')
    },
    client: (key) => clientOf(service.url, key, clock),
    run: (name) => runSweep(app, sweeps, name),
    runBeside: (name) => runOnce(sweepNamed(sweeps, name)),
    tell: () => few.reportLeftOut(log),
    pass: (ms) => clock.advance(ms),
    rows,
    digest: (...without) =>
      digestOf(
        rows,
        MONEY_TABLES.filter((table) => !without.includes(table)),
      ),
    close: async () => {
      await admin.end()
      await service.stop()
      if (!options.database) await database.drop()
    },
  }
}

/** Whatever a task finds to do, the look that wakes it must have seen. */
async function runSweep(app: App, sweeps: readonly CellSweep[], name: string): Promise<number> {
  const sweep = sweepNamed(sweeps, name)
  const seen = POLLED_SWEEPS.includes(sweep.name) ? await findDueSweeps(lookingAhead(app)).catch(() => null) : null
  const handled = await runOnce(sweep)
  if (handled > 0 && seen !== null && !seen.includes(sweep.name))
    throw new Error(`${name} found ${handled} to do, and the look for work saw none`)
  return handled
}

async function runOnce(sweep: CellSweep): Promise<number> {
  const handled = await sweep.runOnce()
  await sweep.finish?.()
  return handled
}

function sweepNamed(sweeps: readonly CellSweep[], name: string): CellSweep {
  const sweep = sweeps.find((one) => one.name === name)
  if (!sweep) throw new Error(`there is no sweep ${name}`)
  return sweep
}

const lookingAhead = (app: App): App => ({
  ...app,
  clock: { ...app.clock, now: () => addMs(app.clock.now(), LOOK_AHEAD_MS) },
})

/** What reads all tables takes longer to plan than to run. */
const plannedOnce = (sql: string) =>
  sql.length < LONG_SQL ? {} : { name: createHash('md5').update(sql).digest('hex') }

/** The contents of these tables as one text: the same before and after means nothing was written. */
export async function digestOf(rows: TestService['rows'], tables: readonly string[]): Promise<string> {
  const each = tables.map(
    (table) =>
      `select '${table}' as name, count(*)::int as rows, md5(coalesce(string_agg(t::text, '|' order by t::text), '')) as md5 from ${table} t`,
  )
  return JSON.stringify(await rows(each.join(' union all ')))
}

function clientOf(url: string, key: string, clock: MovableClock): Client {
  const send = async (
    method: string,
    path: string,
    init: { body?: string; headers: Record<string, string | undefined> },
  ) => {
    const headers = Object.fromEntries(
      Object.entries(init.headers).filter(([, value]) => value !== undefined),
    ) as Record<string, string>
    const heard = await askHttp(`${url}${path}`, {
      method,
      headers,
      ...(init.body === undefined ? {} : { body: init.body }),
    })
    return { ...heard, body: readJson(heard.text) }
  }
  const authorization = `Bearer ${key}`
  const post: Client['post'] = (path, body, headers = {}) =>
    send('POST', path, {
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      headers: {
        authorization,
        'content-type': 'application/json',
        'x-timestamp': String(Math.floor(clock.nowMs() / 1000)),
        'idempotency-key': randomUUID(),
        ...headers,
      },
    })
  return {
    get: (path, headers = {}) => send('GET', path, { headers: { authorization, ...headers } }),
    post,
    charge: (body = {}, headers) => post('/v1/charges', { ...CHARGE, ...body }, headers),
  }
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
