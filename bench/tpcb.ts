import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { atEnd } from './endings.ts'
import { ratio, rounded, since } from './figures.ts'
import { countBelow, cpuOfEndedChildren, cpuOfTree } from './processes.ts'
import { PLAIN, type Stage } from './stage.ts'

/** One round of pgbench's TPC-B on the same server. Processor milliseconds per transaction. */
export type TpcbRound = {
  transactions_per_second: number | null
  transactions: number | null
  cpu_ms_postgres: number | null
  cpu_ms_pgbench: number | null
  cpu_ms: number | null
}

const SCALE = '16'
const CLIENTS = '16'
const DEBIAN = '/usr/lib/postgresql'
const REAPED_WITHIN_MS = 5000
const LOOK_EVERY_MS = 10

/** Where pgbench is: on PATH, or where Debian keeps it. Null where it is missing. */
export function findPgbench(): string | null {
  if (spawnSync('pgbench', ['--version']).status === 0) return 'pgbench'
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).sort((a, b) => Number(b) - Number(a)) : []
  return versions.map((version) => join(DEBIAN, version, 'bin/pgbench')).find((path) => existsSync(path)) ?? null
}

/** Fills the database of pgbench. */
export async function prepareTpcb(stage: Stage, pgbench: string): Promise<void> {
  await run(pgbench, ['-i', '-q', '-s', SCALE, ...target(stage)])
}

/** Runs pgbench for this many whole seconds. */
export async function tpcbRound(stage: Stage, pgbench: string, seconds: number): Promise<TpcbRound> {
  const backends = countBelow(stage.postgres.pid)
  const before = { postgres: cpuOfTree(stage.postgres.pid, stage.backend), pgbench: cpuOfEndedChildren() }
  const flags = ['-n', '-M', 'prepared', '-c', CLIENTS, '-j', '2', '-T', String(seconds)]
  const said = await run(pgbench, [...flags, ...target(stage)])
  await untilReaped(stage, backends)
  const transactions = Number(/transactions actually processed: ([0-9]+)/.exec(said)?.[1])
  const each = (used: number | null) => ratio(used === null ? null : used * 1000, transactions)
  const postgres = each(since(before.postgres, cpuOfTree(stage.postgres.pid, stage.backend)))
  const client = each(since(before.pgbench, cpuOfEndedChildren()))
  return {
    transactions_per_second: rounded(Number(/tps = ([0-9.]+)/.exec(said)?.[1]), 0),
    transactions,
    cpu_ms_postgres: rounded(postgres, 4),
    cpu_ms_pgbench: rounded(client, 4),
    cpu_ms: rounded(postgres === null || client === null ? null : postgres + client, 4),
  }
}

/** A backend ends a moment after its client, and its time counts for the server only when the server has noticed that. */
async function untilReaped({ postgres }: Stage, backends: number | null): Promise<void> {
  const giveUpAt = performance.now() + REAPED_WITHIN_MS
  while ((countBelow(postgres.pid) ?? 0) > (backends ?? 0) && performance.now() < giveUpAt)
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
}

const target = ({ postgres }: Stage) => ['-h', postgres.socketDir, '-p', String(postgres.port), '-U', PLAIN, PLAIN]

async function run(program: string, args: readonly string[]): Promise<string> {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  atEnd(() => child.kill('SIGKILL'))
  let said = ''
  let complaint = ''
  child.stdout.on('data', (part) => {
    said += part
  })
  child.stderr.on('data', (part) => {
    complaint += part
  })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`pgbench ended with ${code}: ${complaint.slice(-500)}`)
  return said
}
