import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { isRunning, readIdentity, signalIfThere } from '../../src/platform/embedded-postgres/process-identity.ts'

/** How a process of the harness ended. */
export type End = { code: number | null; signal: NodeJS.Signals | null }
/** One service process, a child of the harness. */
export type Running = {
  pid: number
  /** Resolves to true when it reports that it is ready, to false when it ended before. */
  ready: Promise<boolean>
  ended: Promise<End>
  /** Everything it has written to standard error. */
  said(): string
  signal(signal: NodeJS.Signals): void
  /** Whether it is stopped by a signal, as SIGSTOP does. */
  sleeps(): Promise<boolean>
  /** From now on the clock of this process alone is wrong by so many ms; 0 sets it right. */
  setClockWrong(byMs: number): void
  /** kill -9, and waits until it is gone. */
  kill(): Promise<void>
}

type Launch = {
  program: string
  args: readonly string[]
  env: Record<string, string>
  logFile: string
  setClockWrong?: Running['setClockWrong']
}

const ROOT = join(import.meta.dirname, '..', '..', '..')
/** The program as users start it. */
export const PROGRAM = join(ROOT, 'bin', 'gateway.mjs')
/** The same service with a live rail, bundled in the same way: `live-service.ts`. */
export const LIVE_PROGRAM = join(ROOT, 'dist', 'test-program', 'live-service.js')
const PATIENCE_MS = 20_000
const run = promisify(execFile)

/** Starts a program of ours; its output goes to the log file. */
export function launch({ program, args, env, logFile, setClockWrong = () => {} }: Launch): Running {
  const log = openSync(logFile, 'a')
  const child = spawn(process.execPath, [program, ...args], { env, stdio: ['ignore', log, 'pipe'] })
  let said = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said += text
    writeSync(log, text)
  })
  const ended = once(child, 'close').then(([code, signal]) => {
    closeSync(log)
    return { code, signal } as End
  })
  return {
    pid: child.pid as number,
    ready: Promise.race([untilReady(child), ended.then(() => false)]),
    ended,
    said: () => said,
    signal: (signal) => void child.kill(signal),
    sleeps: () => isStopped(child.pid as number),
    setClockWrong,
    kill: async () => {
      child.kill('SIGKILL')
      await ended
    },
  }
}

async function isStopped(pid: number): Promise<boolean> {
  // Not there any more is not asleep.
  const { stdout } = await run('ps', ['-o', 'stat=', '-p', String(pid)]).catch(() => ({ stdout: '' }))
  return stdout.startsWith('T')
}

function untilReady(child: ChildProcess): Promise<boolean> {
  return new Promise((resolve) => {
    let seen = ''
    child.stderr?.on('data', (text: string) => {
      seen += text
      if (/^ready on /m.test(seen)) resolve(true)
    })
  })
}

/** Every process of the PostgreSQL on that data folder, including children; empty when none runs. */
export function postgresProcesses(dataDir: string): number[] {
  const postmaster = postmasterOf(dataDir)
  if (postmaster === null || readIdentity(postmaster) === null) return []
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n')
  const pairs = lines.map((line) => line.trim().split(/\s+/).map(Number))
  return [postmaster, ...pairs.filter(([, parent]) => parent === postmaster).map(([pid]) => pid as number)]
}

/** kill -9 of all these processes at once; resolves when none of them runs. It repairs nothing. */
export async function killPostgres(dataDir: string): Promise<number> {
  const identities = postgresProcesses(dataDir).map((pid) => readIdentity(pid))
  const living = identities.filter((identity): identity is string => identity !== null)
  for (const identity of living) signalIfThere(Number.parseInt(identity, 10), 'SIGKILL')
  const giveUpAt = performance.now() + PATIENCE_MS
  while (living.some(isRunning)) {
    if (performance.now() > giveUpAt) throw new Error('PostgreSQL survived kill -9')
    await sleep(2)
  }
  return living.length
}

function postmasterOf(dataDir: string): number | null {
  try {
    return Number(readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n', 1)[0])
  } catch {
    return null
  }
}
