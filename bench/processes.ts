import { readdirSync, readFileSync } from 'node:fs'
import { since } from './figures.ts'

// Linux writes processor time into /proc/<pid>/stat in hundredths of a second, whatever the kernel was built with.
const TICKS_A_SECOND = 100
const NS_A_SECOND = 1e9

/** Processor seconds of one process so far, without its children. Null where there is no /proc. */
export const cpuOf = (pid: number): number | null => readStat(pid)?.own ?? null

/**
 * Processor seconds of a process and everything below it so far, ended children included, without those of the process
 * `except`. Null where there is no /proc.
 */
export const cpuOfTree = (root: number, except = 0): number | null => cpuOfTrees([root], except)

/** The same of several, each process counted once. */
export function cpuOfTrees(roots: readonly number[], except = 0): number | null {
  const all = readAll()
  if (!roots.every((root) => all.has(root))) return null
  let seconds = 0
  for (const [pid, stat] of all)
    if (pid !== except && roots.some((root) => descendsFrom(all, pid, root))) seconds += stat.own + stat.reaped
  return seconds
}

/** How many processes are below this one. Null where there is no /proc. */
export function countBelow(root: number): number | null {
  const all = readAll()
  return all.has(root) ? [...all.keys()].filter((pid) => descendsFrom(all, pid, root)).length - 1 : null
}

/** The most memory a process has held, in MB. Null where there is no /proc. */
export const peakMemoryMb = (pid: number): number | null => readMemory(pid, 'VmHWM')

/** The memory a process holds now, in MB. Null where there is no /proc. */
export const memoryMb = (pid: number): number | null => readMemory(pid, 'VmRSS')

/** What the ended children of this process have used so far: the difference around a child is the child's. */
export const cpuOfEndedChildren = (): number | null => readStat(process.pid)?.reaped ?? null

type Measured = {
  service: { pid: number }
  postgres: { pid: number }
  /** The server process of the bench's own connection, whose questions are not the product's work. */
  backend: number
}

/** What the service, with all its processes, and everything of the database server use from now on, in processor seconds. */
export function readCpu({ service, postgres, backend }: Measured) {
  const server = cpuOfTree(service.pid)
  const tree = cpuOfTree(postgres.pid, backend)
  return () => ({
    server: since(server, cpuOfTree(service.pid)),
    postgres: since(tree, cpuOfTree(postgres.pid, backend)),
  })
}

type Stat = { parent: number; own: number; reaped: number }

function readMemory(pid: number, line: 'VmHWM' | 'VmRSS'): number | null {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    const kilobytes = new RegExp(`^${line}:\\s+([0-9]+) kB`, 'm').exec(status)?.[1]
    return kilobytes === undefined ? null : Math.round(Number(kilobytes) / 102.4) / 10
  } catch {
    return null
  }
}

function readStat(pid: number): Stat | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name in brackets may contain anything, even brackets. The numbers come after the last one.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    const seconds = (first: number) => (Number(fields[first]) + Number(fields[first + 1])) / TICKS_A_SECOND
    // The threads know their time in nanoseconds, but without that of threads that have ended.
    return { parent: Number(fields[1]), own: Math.max(seconds(11), cpuOfThreads(pid)), reaped: seconds(13) }
  } catch {
    return null
  }
}

function cpuOfThreads(pid: number): number {
  let ns = 0
  try {
    for (const thread of readdirSync(`/proc/${pid}/task`))
      ns += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ', 1)[0])
  } catch {
    // A kernel without schedstat, or a thread that has ended meanwhile: the hundredths have to do.
  }
  return ns / NS_A_SECOND
}

function readAll(): Map<number, Stat> {
  const all = new Map<number, Stat>()
  try {
    for (const name of readdirSync('/proc')) {
      const stat = /^[0-9]+$/.test(name) ? readStat(Number(name)) : null
      if (stat !== null) all.set(Number(name), stat)
    }
  } catch {
    // No /proc: the figures of processor time are null.
  }
  return all
}

function descendsFrom(all: Map<number, Stat>, pid: number, root: number): boolean {
  for (let at = pid; at > 1; at = all.get(at)?.parent ?? 0) if (at === root) return true
  return false
}
