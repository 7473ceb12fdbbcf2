import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { freePort } from './free-port.ts'
import { eventually } from './live-service.ts'
import { NO_LIMITS } from './no-limits.ts'

/** The service in several processes under one parent, as a supervisor starts it. */
export type Fleet = {
  url: string
  metricsUrl: string
  pid: number
  ended: Promise<{ code: number | null; signal: string | null }>
  signal(signal: NodeJS.Signals): void
  /** Its processes. */
  children(): number[]
  /** The lines of its log so far. */
  lines(): Record<string, any>[]
  /** Everything it has written to standard error. */
  said(): string
  /** Kills what is left. */
  end(): Promise<void>
}

export type FleetOptions = {
  databaseUrl?: string
  words?: readonly string[]
  env?: Record<string, string>
  awaited?: boolean
}

const ROOT = join(import.meta.dirname, '..', '..', '..', '..')
const PROGRAM = join(ROOT, 'bin', 'gateway.mjs')
const MASTER_KEY = Buffer.alloc(32, 7).toString('base64')

/** Starts it and waits until all processes are ready, unless `awaited` is false. */
export async function startFleet({
  databaseUrl,
  words = ['--processes', '2'],
  env = {},
  awaited = true,
}: FleetOptions): Promise<Fleet> {
  const [port, metricsPort] = [await freePort(), await freePort()]
  const settings = {
    ...{ PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', ...NO_LIMITS },
    ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl, MASTER_KEY }),
    ...{ PORT: String(port), METRICS_PORT: String(metricsPort), SANDBOX_OUTCOME_SECONDS: '0', ...env },
  }
  // In a group of its own, so that whatever it leaves behind can be ended.
  const child = spawn(process.execPath, [PROGRAM, 'serve', ...words], {
    cwd: ROOT,
    env: settings,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  let written = ''
  let said = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    written += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  const pid = child.pid as number
  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal }))
  const fleet: Fleet = {
    url: `http://127.0.0.1:${port}`,
    metricsUrl: `http://127.0.0.1:${metricsPort}/metrics`,
    pid,
    ended,
    signal: (signal) => void child.kill(signal),
    children: () => childrenOf(pid),
    lines: () =>
      written
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line)),
    said: () => said,
    end: async () => {
      killGroup(pid)
      await ended
    },
  }
  if (awaited) {
    let hasEnded = false
    ended.then(() => {
      hasEnded = true
    })
    await eventually('the fleet is ready, or has ended', () => /^ready on /m.test(said) || hasEnded).catch(
      async (error) => {
        await fleet.end()
        throw error
      },
    )
  }
  return fleet
}

function childrenOf(parent: number): number[] {
  const listed = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8', maxBuffer: 2 ** 24 })
  return listed.split('\n').flatMap((line) => {
    const [, pid, ppid] = /^\s*(\d+)\s+(\d+)\s.* serve --role /.exec(line) ?? []
    return Number(ppid) === parent ? [Number(pid)] : []
  })
}

/** Whether a process runs; one that has ended and that nobody has asked for counts as gone. */
export function isThere(pid: number): boolean {
  try {
    const state = execFileSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' })
    return !state.startsWith('Z')
  } catch {
    return false
  }
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // Nothing is left of it.
  }
}
