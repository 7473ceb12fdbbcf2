import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { askOnce } from '../../helpers/database/ask-once.ts'
import { signal } from '../../helpers/database/own-postgres.ts'

/** A worker of the cluster, by its port. */
export type Worker = {
  node: string
  /** Its folder. */
  data: string
  /** kill -9 of every process of it. */
  kill(): void
  start(): void
}
/** A cluster of Citus that a script has started. */
export type CitusCluster = {
  url: string
  /** The folder of the coordinator. */
  data: string
  workers: readonly Worker[]
  ask(text: string): Promise<Record<string, any>[]>
  end(): void
}

const WORKERS = '3'
const UP_MS = 180_000
const READ_MS = 60_000

/**
 * Runs the script of CITUS_UP, which prints TEST_CITUS_URL=, CITUS_DIR= and CITUS_PORTS= (the coordinator first); beside it lies `down`. Returns
 * why there is no cluster, as a sentence, where it cannot be had.
 */
export async function startCitus(): Promise<CitusCluster | string> {
  const { CITUS_UP: up } = process.env
  if (!up) return 'CITUS_UP names no script that starts a cluster of Citus'
  const ran = spawnSync(up, [WORKERS], { encoding: 'utf8', timeout: UP_MS })
  const said = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(ran.stdout ?? '')?.[1] ?? ''
  const [url, folder, ports] = [said('TEST_CITUS_URL'), said('CITUS_DIR'), said('CITUS_PORTS').split(' ').map(Number)]
  if (ran.status !== 0 || url === '' || folder === '')
    return `${up} started no cluster: ${(ran.stderr || ran.error?.message || '').trim().slice(-300)}`
  // What was acknowledged must outlive a kill; the cluster of the script may be faster than that.
  for (const port of ports)
    for (const text of ['alter system set synchronous_commit = on', 'select pg_reload_conf()'])
      await askOnce(withPort(url, port), text)
  return {
    url,
    data: join(folder, 'n0'),
    workers: ports.slice(1).map((port, nth) => makeWorker(join(folder, `n${nth + 1}`), port)),
    ask: (text) => askOnce({ connectionString: url, query_timeout: READ_MS }, text),
    end: () => void spawnSync(join(dirname(up), 'down'), { env: { ...process.env, CITUS_DIR: folder } }),
  }
}

function makeWorker(data: string, port: number): Worker {
  return {
    node: `127.0.0.1:${port}`,
    data,
    kill: () => signal(listProcesses(data), 'SIGKILL'),
    start: () => {
      const { uid, gid } = statSync(data)
      const words = ['-D', data, '-l', join(data, 'log-of-drill'), '-w', '-s', 'start']
      execFileSync('/usr/lib/postgresql/15/bin/pg_ctl', words, { uid, gid, cwd: '/', stdio: 'ignore' })
    },
  }
}

/** The server on this folder and all that it has started. */
function listProcesses(data: string): number[] {
  const file = join(data, 'postmaster.pid')
  if (!existsSync(file)) return []
  const postmaster = Number(readFileSync(file, 'utf8').split('\n', 1)[0])
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n')
  const pairs = lines.map((line) => line.trim().split(/\s+/).map(Number) as [number, number])
  return [postmaster, ...pairs.filter(([, of]) => of === postmaster).map(([pid]) => pid)]
}

function withPort(url: string, port: number): string {
  const changed = new URL(url)
  changed.port = `${port}`
  return changed.href
}
