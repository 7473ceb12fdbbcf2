import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, readlinkSync } from 'node:fs'

// macOS has no /proc; there `ps` answers the same questions more slowly.
const HAS_PROC = existsSync('/proc/self/stat')
const START_TIME_FIELD = 19 // Field 22 of proc(5) stat, counted from the state, which follows the closing bracket.

/**
 * Reads a text that identifies one running process for good: its id, the boot, and when it started, so that a re-used process id is not
 * taken for the old process. Null when no such process runs; a zombie does not run.
 */
export function readIdentity(pid: number): string | null {
  const started = HAS_PROC ? startedByProc(pid) : startedByPs(pid)
  return started === null ? null : `${pid} ${started}`
}

/** Whether the process that this identity names still runs. */
export function isRunning(identity: string): boolean {
  const pid = Number.parseInt(identity, 10)
  return Number.isInteger(pid) && readIdentity(pid) === identity
}

/**
 * Tells what the process id stands for: `postgres` on that data folder, `other` process, `gone` (none), or `unknown` when we may not
 * see it. Send signals only to `postgres`; base no decision on an `unknown` id.
 */
export function classifyProcess(cluster: string, pid: number): 'postgres' | 'other' | 'gone' | 'unknown' {
  if (readIdentity(pid) === null) return isSignalable(pid) && !HAS_PROC ? 'unknown' : 'gone'
  const line = commandLine(pid)
  if (line === null) return 'unknown'
  if (!/(^|\/)postgres$/.test(line[0] ?? '')) return 'other'
  return workingFolder(pid) === cluster || namesFolder(line, cluster) ? 'postgres' : 'other'
}

function startedByProc(pid: number): string | null {
  const stat = readOrNull(`/proc/${pid}/stat`)
  if (stat === null) return null
  // The name in brackets may itself hold spaces and brackets.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  if (fields[0] === 'Z' || fields[0] === 'X') return null
  return `${bootId()} ${fields[START_TIME_FIELD]}`
}

function startedByPs(pid: number): string | null {
  const ps = spawnSync('ps', ['-o', 'state=,lstart=', '-p', String(pid)], { encoding: 'utf8' })
  const [state, ...started] = (ps.stdout ?? '').trim().split(/\s+/)
  return !state || state.startsWith('Z') ? null : started.join(' ')
}

// Start times count from the boot, and after a reboot the same pair of numbers can come again.
function bootId(): string {
  return readOrNull('/proc/sys/kernel/random/boot_id')?.slice(0, 8) ?? 'boot'
}

function commandLine(pid: number): string[] | null {
  if (HAS_PROC) return readOrNull(`/proc/${pid}/cmdline`)?.split('\0') ?? null
  const ps = spawnSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' })
  return ps.status === 0 ? ps.stdout.trim().split(' ') : null
}

function namesFolder(line: string[], cluster: string): boolean {
  return HAS_PROC ? line.includes(cluster) : line.join(' ').includes(` -D ${cluster}`)
}

function workingFolder(pid: number): string | null {
  try {
    return readlinkSync(`/proc/${pid}/cwd`)
  } catch {
    return null // Another account's process, or no /proc: the command line then decides.
  }
}

/** Sends the signal. A process that has just ended is no error, as children of a killed postmaster end by themselves. */
export function signalIfThere(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

function isSignalable(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

function readOrNull(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}
