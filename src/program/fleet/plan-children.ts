import { availableParallelism } from 'node:os'
import { WrongUsage } from '../commands/frame/wrong-usage.ts'
import type { Role } from '../serve.ts'

// More than these share one PostgreSQL without gaining much, and their connections still fit into the embedded one.
const MAX_AUTO = 8
const MAX_PROCESSES = 64

/** Reads `--processes`: how many processes of its role a start is for. `auto`: as many as there are processors. */
export function parseProcesses(given: unknown, cores: number = availableParallelism()): number {
  if (given === undefined) return 1
  if (given === 'auto') return Math.min(cores, MAX_AUTO)
  const count = typeof given === 'string' && /^[1-9][0-9]?$/.test(given) ? Number(given) : 0
  if (count < 1 || count > MAX_PROCESSES)
    throw new WrongUsage(`--processes must be auto or a whole number from 1 to ${MAX_PROCESSES}`)
  return count
}

/**
 * The roles of the children of one parent; none where one process does all by itself. Each does the same. One process for the background work
 * of all would do as much as the others together once there are several of them.
 */
export const planChildren = (role: Role, processes: number): Role[] =>
  processes === 1 ? [] : Array.from({ length: processes }, () => role)

/** How many processes there are at most: while they are replaced, one more than planned. */
export const countAtMost = (plan: readonly Role[]): number => plan.length + 1
