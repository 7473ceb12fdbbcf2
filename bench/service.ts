import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { get } from 'node:http'
import { createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { atEnd } from './endings.ts'

/** The service under measurement: the product's own program in a process of its own, as everybody starts it. */
export type Service = {
  pid: number
  port: number
  /** Milliseconds from its spawning to its first answered request. */
  startMs: number
  /** SIGTERM, and resolves when it has ended. */
  stop(): Promise<void>
}
export type ServiceOptions = {
  dataDir: string
  port: number
  settings?: Record<string, string>
  nodeFlags?: readonly string[]
  /** Further words of the start, such as `--processes`. */
  words?: readonly string[]
  /** A key whose balance is asked for: the first answered request. */
  token?: string
}

// As `npm start` runs it.
const PACKAGE = JSON.parse(readFileSync(fileURLToPath(new URL('../../package.json', import.meta.url)), 'utf8'))
const START_FLAGS = String(PACKAGE.scripts.start)
  .split(' ')
  .filter((word) => word.startsWith('--'))
const PROGRAM = fileURLToPath(new URL('../../bin/gateway.mjs', import.meta.url))
const START_WITHIN_MS = 30_000
const STOP_WITHIN_MS = 35_000
const LIMITS = [
  'CHARGES',
  'PAYOUTS',
  'REFUNDS',
  'WEBHOOK_RESEND',
  'READS',
  'ALL',
  'FAILED_AUTH',
  'PAYMENT_LINKS',
  'PUBLIC_PAGES',
  'POLLS',
  'POLLS_ALL',
  'CALLBACKS',
]
// Requests are counted as in production, and the limits are never reached.
const LIMIT = '1000000'
const SETTINGS = {
  ...Object.fromEntries(LIMITS.map((name) => [`RATE_LIMIT_${name}`, LIMIT])),
  LOG_LEVEL: 'warn',
  SANDBOX_OUTCOME_SECONDS: '0',
}

/** Starts it and waits for its first answered request. Ends it and throws when that does not come. */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { dataDir, port, settings = {}, nodeFlags = [], words = [] } = options
  const startedAt = performance.now()
  // Detached: Ctrl-C reaches only the bench, which then stops it in order.
  const child = spawn(process.execPath, [...START_FLAGS, ...nodeFlags, PROGRAM, 'serve', ...words], {
    env: { ...SETTINGS, DATA_DIR: dataDir, PORT: String(port), ...settings },
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
  })
  const complaint = collect(child)
  const stop = () => stopChild(child)
  atEnd(stop)
  while (!(await answered(options))) {
    if (child.exitCode !== null || performance.now() - startedAt > START_WITHIN_MS) {
      await stop()
      throw new Error(`the service did not start: ${complaint()}`)
    }
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  return { pid: child.pid as number, port, startMs: performance.now() - startedAt, stop }
}

/** A port that nobody listens on at this moment. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address !== null ? address.port : 0
}

function answered({ port, token }: ServiceOptions): Promise<boolean> {
  const path = token === undefined ? '/readyz' : '/v1/balance'
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  return new Promise((resolve) => {
    const request = get({ host: '127.0.0.1', port, path, headers, agent: false }, (response) => {
      response.resume()
      resolve(response.statusCode === 200)
    })
    request.on('error', () => resolve(false))
  })
}

async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = once(child, 'exit')
  child.kill('SIGTERM')
  const force = setTimeout(() => child.kill('SIGKILL'), STOP_WITHIN_MS)
  await exit
  clearTimeout(force)
}

function collect(child: ChildProcess): () => string {
  let text = ''
  child.stderr?.on('data', (part) => {
    text = (text + part).slice(-2000)
  })
  return () => text.trim()
}
