import { execFile } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { chmodSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type EmbeddedServer, joinEmbeddedPostgres } from '../../src/platform/embedded-postgres.ts'
import type { Clock } from '../../src/platform/time/clock.ts'
import { type Receiver, startReceiver } from '../fakes/receiver.ts'
import { askOnce } from '../helpers/database/ask-once.ts'
import { NO_LIMITS } from '../helpers/service/no-limits.ts'
import { makeProcessClocks, type ProcessClocks } from './process-clocks.ts'
import { launch, PROGRAM, type Running } from './processes.ts'

/** A merchant of the installation with its own webhook receiver. */
export type Merchant = {
  handle: string
  keys: { test: string; live: string; test_collections: string }
  webhookSecret: string
  receiver: Receiver
}
export type StartOptions = {
  role?: 'all' | 'web' | 'worker'
  port?: number
  /** `name:n`: the process kills itself when it passes this point for the nth time. */
  crashPoint?: string
  env?: Record<string, string>
  /** A program of the tests, with its arguments, instead of the ordinary start command. */
  program?: { path: string; args: readonly string[] }
}
type CommandResult = { code: number | null; signal: string | null; json: any; stderr: string }

/** A whole installation as an operator would run it: a data folder, real PostgreSQL with full durability, real processes. */
export type Installation = {
  dataDir: string
  /** The port of the service; it stays the same after a restart. */
  port: number
  url: string
  clock: Clock
  server: EmbeddedServer
  /** From now on the running services die at this point; a service started with a point of its own dies at its own. */
  arm(crashPoint: string): void
  disarm(): void
  /** Moves the clock that all its processes follow. */
  advance(ms: number): void
  start(options?: StartOptions): Running
  /** Starts a service and waits until it is ready. */
  startReady(options?: StartOptions): Promise<Running>
  /** Runs one command of the program with `--json`. */
  command(args: readonly string[], env?: Record<string, string>): Promise<CommandResult>
  merchant(handle: string, options?: readonly string[]): Promise<Merchant>
  merchants: Merchant[]
  sql<Row = Record<string, any>>(text: string, values?: unknown[]): Promise<Row[]>
  killAll(): Promise<void>
  /** Kills what still runs and removes the folder. */
  end(): Promise<void>
}

// On a crowded machine a command that compares all books takes its time.
const COMMAND_MS = 180_000
const FIRST_PORT = 12_000
const LAST_PORT = 32_000
const run = promisify(execFile)
// Normal durability, no rate limits, test charges that end at once.
const USUAL = { ...NO_LIMITS, TEST_HOOKS: '1', SANDBOX_OUTCOME_SECONDS: '0', LOG_LEVEL: 'warn' }

/** What starting a process of the installation needs. */
type Place = {
  port: number
  crashFile: string
  logs: string
  clocks: ProcessClocks
  environment(own?: Record<string, string>): Record<string, string>
  started: Set<Running>
}

export async function makeInstallation(settings: Record<string, string> = {}): Promise<Installation> {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-crash-'))
  // If root starts it, PostgreSQL runs under its own account, which must be able to enter this folder.
  chmodSync(folder, 0o711)
  const [dataDir, logs] = ['data', 'logs'].map((name) => join(folder, name)) as [string, string]
  mkdirSync(logs)
  const clocks = makeProcessClocks(folder)
  const server = await joinEmbeddedPostgres({ dataDir, say: () => {} })
  const port = await freePort()
  const merchants: Merchant[] = []
  const standing = { DATA_DIR: dataDir, PORT: String(port), TEST_CLOCK: clocks.file, ...USUAL, ...settings }
  const receivers = () => merchants.map(({ receiver }) => receiver.place).join(',')
  const environment = (own = {}) => ({ ...standing, WEBHOOK_ALLOW_PRIVATE: receivers(), ...own })
  const crashFile = join(folder, 'crash-point')
  const place: Place = { port, logs, clocks, crashFile, environment, started: new Set() }
  const killAll = async () => {
    await Promise.all([...place.started].map((running) => running.kill()))
  }
  return {
    dataDir,
    port,
    url: `http://127.0.0.1:${port}`,
    server,
    merchants,
    clock: clocks.clock,
    start: (options) => start(place, options),
    startReady: (options) => startReady(place, options),
    command: (args, env) => command(place, args, env),
    arm: (crashPoint) => {
      // A process looks at it any time: it must find all of it or nothing.
      writeFileSync(`${crashFile}.new`, crashPoint)
      renameSync(`${crashFile}.new`, crashFile)
    },
    disarm: () => rmSync(crashFile, { force: true }),
    advance: clocks.advance,
    merchant: async (handle, options = []) => {
      const merchant = await makeMerchant(place, handle, options)
      merchants.push(merchant)
      return merchant
    },
    sql: (text, values) =>
      askOnce({ connectionString: server.url('gateway'), options: '-c search_path=cell_0,directory' }, text, values),
    killAll,
    end: async () => {
      await killAll()
      await Promise.all(merchants.map(({ receiver }) => receiver.close()))
      await server.leave()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function start(place: Place, options: StartOptions = {}): Running {
  const { role = 'all', port = place.port, crashPoint, env, program } = options
  const name = `${String(place.started.size).padStart(4, '0')}-${role}`
  const clock = place.clocks.own(name)
  const hooks = { CRASH_POINT: crashPoint ?? `@${place.crashFile}`, TEST_CLOCK: clock.file }
  const running = launch({
    program: program?.path ?? PROGRAM,
    args: program?.args ?? ['serve', '--role', role],
    env: place.environment({ PORT: String(port), ...hooks, ...env }),
    logFile: join(place.logs, `${name}.log`),
    setClockWrong: clock.setWrong,
  })
  void running.ended.then(clock.drop)
  place.started.add(running)
  return running
}

async function startReady(place: Place, options?: StartOptions): Promise<Running> {
  const running = start(place, options)
  if (!(await running.ready)) throw new Error(`the service did not start: ${running.said()}`)
  return running
}

async function command(place: Place, args: readonly string[], env = {}): Promise<CommandResult> {
  const options = { env: place.environment(env), timeout: COMMAND_MS, maxBuffer: 64 * 1024 * 1024 }
  const ended = await run(process.execPath, [PROGRAM, ...args, '--json'], options).catch((error) => error)
  const { code = 0, signal = null, stdout, stderr } = ended
  return { code, signal, stderr, json: stdout === '' ? null : JSON.parse(stdout) }
}

async function makeMerchant(place: Place, handle: string, options: readonly string[]): Promise<Merchant> {
  const named = ['--name', handle, '--email', `${handle}@shops.invalid`, '--handle', handle]
  const made = await command(place, ['merchants', 'create', ...named, ...options])
  if (made.code !== 0) throw new Error(`merchants create: ${made.stderr}`)
  const receiver = await startReceiver()
  const set = await command(place, ['merchants', 'set', handle, '--webhook-url', receiver.url], {
    WEBHOOK_ALLOW_PRIVATE: receiver.place,
  })
  if (set.code !== 0) throw new Error(`merchants set: ${set.stderr}`)
  return { handle, keys: made.json.keys, webhookSecret: made.json.webhook_secret, receiver }
}

/**
 * A port for processes that are killed and started again. It lies outside the range that systems hand out by themselves, so
 * that nobody else gets it while the process is down.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST_PORT, LAST_PORT)
    const server = createServer()
    const free = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true))
    })
    await new Promise((resolve) => server.close(resolve))
    if (free) return port
  }
}
