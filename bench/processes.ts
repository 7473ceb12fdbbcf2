import { readdirSync, readFileSync } from 'node:fs'
import { since } from './figures.ts'

// Linux counts processor time in hundredths of a second, whatever the kernel was built with.
const TICKS_A_SECOND = 100

/** Processor seconds of one process so far, with those of its children that have ended. Null where there is no /proc. */
function cpuOf(pid: number): number | null {
  const stat = readStat(pid)
  return stat === null ? null : (stat.own + stat.reaped) / TICKS_A_SECOND
}

/** Processor seconds of a process and everything below it so far, ended children included. Null where there is no /proc. */
export function cpuOfTree(root: number): number | null {
  const all = readAll()
  if (!all.has(root)) return null
  let ticks = 0
  for (const [pid, stat] of all) if (descendsFrom(all, pid, root)) ticks += stat.own + stat.reaped
  return ticks / TICKS_A_SECOND
}

/** The most memory a process has held, in MB. Null where there is no /proc. */
export const peakMemoryMb = (pid: number): number | null => readMemory(pid, 'VmHWM')

/** The memory a process holds now, in MB. Null where there is no /proc. */
export const memoryMb = (pid: number): number | null => readMemory(pid, 'VmRSS')

/** What this process and its ended children have used so far: the difference around a child is the child's. */
export const cpuOfEndedChildren = (): number | null => {
  const stat = readStat(process.pid)
  return stat === null ? null : stat.reaped / TICKS_A_SECOND
}

/** What the service and everything of the database server use from now on, in processor seconds. */
export function readCpu({ service, postgres }: { service: { pid: number }; postgres: { pid: number } }) {
  const server = cpuOf(service.pid)
  const tree = cpuOfTree(postgres.pid)
  return () => ({ server: since(server, cpuOf(service.pid)), postgres: since(tree, cpuOfTree(postgres.pid)) })
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
    const at = (index: number) => Number(fields[index])
    return { parent: at(1), own: at(11) + at(12), reaped: at(13) + at(14) }
  } catch {
    return null
  }
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
