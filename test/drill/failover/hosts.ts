import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { signal } from '../../helpers/database/own-postgres.ts'
import type { Link } from './links.ts'
import { startProgram } from './programs.ts'
import type { HostPlace } from './settings.ts'

/** A host of the cluster: Patroni and its PostgreSQL. */
export type Host = {
  place: HostPlace
  /** kill -9 of everything on it. */
  kill(): void
  /** The same, and its PostgreSQL has nothing on its disk any more. */
  loseDisk(): void
  /** Everything on it stands still, as a host that is paused. */
  freeze(): void
  wake(): void
  /** It reaches nobody, and nobody reaches it. */
  cutOff(): void
  joinAgain(): void
  isCutOff(): boolean
  /** Starts Patroni, which starts the rest. */
  start(): void
}

const RESTARTS_MS = 1000
// A process that was killed may write a last file while its folder is removed.
const REMOVE_TRIES = 5

/** `wires`: all that lead to it and from it. */
export function makeHost(place: HostPlace, wires: readonly Link[]): Host {
  const data = join(place.folder, 'data')
  let patroni: number | null = null
  /** As systemd does: Patroni ends by itself where etcd does not answer at its start. */
  const keepStarted = () => {
    const child = startProgram('patroni', [join(place.folder, 'patroni.yml')], join(place.folder, 'log'))
    const pid = child.pid ?? null
    patroni = pid
    child.once('exit', () => setTimeout(() => patroni === pid && pid !== null && keepStarted(), RESTARTS_MS))
  }
  let cut = false
  let frozen: number[] = []
  const living = () => [...(patroni === null ? [] : [patroni]), ...postmasterOf(data)].flatMap(withDescendants)
  const kill = () => {
    signal([...living(), ...frozen], 'SIGKILL')
    ;[patroni, frozen] = [null, []]
  }
  return {
    place,
    start: keepStarted,
    kill,
    loseDisk: () => {
      kill()
      rmSync(data, { recursive: true, force: true, maxRetries: REMOVE_TRIES })
    },
    freeze: () => {
      frozen = living()
      signal(frozen, 'SIGSTOP')
    },
    wake: () => {
      signal(frozen, 'SIGCONT')
      frozen = []
    },
    cutOff: () => {
      cut = true
      for (const wire of wires) wire.cut()
    },
    joinAgain: () => {
      cut = false
      for (const wire of wires) wire.mend()
    },
    isCutOff: () => cut,
  }
}

/** The server on this folder, where it runs: the number may be of a process that ended long ago. */
function postmasterOf(data: string): number[] {
  const file = join(data, 'postmaster.pid')
  if (!existsSync(file)) return []
  const pid = Number(readFileSync(file, 'utf8').split('\n', 1)[0])
  return commandOf(pid).includes(data) ? [pid] : []
}

const commandOf = (pid: number) =>
  existsSync(`/proc/${pid}/cmdline`) ? readFileSync(`/proc/${pid}/cmdline`, 'utf8') : ''

/** A process and all that it has started, itself first, so that it makes no more of them. */
function withDescendants(pid: number): number[] {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n')
  const pairs = lines.map((line) => line.trim().split(/\s+/).map(Number) as [number, number])
  const found = [pid]
  for (const parent of found) found.push(...pairs.filter(([, of]) => of === parent).map(([child]) => child))
  return found
}
