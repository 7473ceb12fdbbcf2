import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { rounded } from './figures.ts'
import { type PaymentRound, payRound } from './payments.ts'
import { REPORTS } from './report.ts'
import type { BenchMerchant, Stage } from './stage.ts'

// Profiling costs time, so the figures of such a run are not comparable with others.
const CPU_PROFILE = 'bench.cpuprofile'
const WARM_MS = 3000
const MEASURED_MS = 12_000
const SHOWN = 15

export const PROFILED_NODE = ['--cpu-prof', `--cpu-prof-dir=${REPORTS}`, `--cpu-prof-name=${CPU_PROFILE}`] as const
export const PROFILED_POSTGRES = {
  shared_preload_libraries: 'pg_stat_statements',
  'pg_stat_statements.track': 'all',
}

type Frame = {
  id: number
  callFrame: { functionName: string; url: string; lineNumber: number }
}
type CpuProfile = { nodes: Frame[]; samples: number[]; timeDeltas: number[] }

/** Where the processor time of payments to these merchants goes: functions of the service, statements of the database. */
export async function profilePayments(stage: Stage, merchants: readonly BenchMerchant[]) {
  await stage.db.query('create extension pg_stat_statements')
  await payRound(stage, merchants, WARM_MS)
  await stage.db.query('select pg_stat_statements_reset()')
  const payments = await payRound(stage, merchants, MEASURED_MS)
  const statements = await topStatements(stage, payments)
  await stage.service.stop()
  return { payments, functions: topFunctions(), statements, cpu_profile: join(REPORTS, CPU_PROFILE) }
}

async function topStatements({ db }: Stage, { payments }: PaymentRound) {
  const { rows } = await db.query(
    `select left(regexp_replace(query, '\\s+', ' ', 'g'), 90) as statement, calls, rows,
       total_exec_time as total_ms, total_plan_time as plan_ms, shared_blks_hit + shared_blks_read as blocks,
       wal_bytes from pg_stat_statements where query not like '%pg_stat%' order by total_exec_time desc limit $1`,
    [SHOWN],
  )
  const each = (value: unknown) => rounded(Number(value) / (payments ?? 1), 4)
  return rows.map((row) => ({
    statement: row.statement,
    calls: Number(row.calls),
    us_per_payment: rounded((Number(row.total_ms) * 1000) / (payments ?? 1), 1),
    ms_per_call: rounded(row.total_ms / Number(row.calls)),
    rows_per_call: rounded(Number(row.rows) / Number(row.calls), 1),
    blocks_per_payment: each(row.blocks),
    wal_bytes_per_payment: each(row.wal_bytes),
  }))
}

function topFunctions() {
  const profile = JSON.parse(readFileSync(join(REPORTS, CPU_PROFILE), 'utf8')) as CpuProfile
  const names = new Map(profile.nodes.map((node) => [node.id, nameOf(node)]))
  const times = new Map<string, number>()
  for (const [index, id] of profile.samples.entries()) {
    const name = names.get(id) ?? '?'
    times.set(name, (times.get(name) ?? 0) + (profile.timeDeltas[index] ?? 0))
  }
  times.delete('(idle)')
  const busy = [...times.values()].reduce((sum, time) => sum + time, 0)
  const longest = [...times].sort(([, a], [, b]) => b - a).slice(0, SHOWN)
  return longest.map(([name, time]) => ({ function: name, percent: rounded((100 * time) / busy, 1) }))
}

function nameOf({ callFrame }: Frame): string {
  const file = callFrame.url.split('/').slice(-2).join('/')
  const where = file === '' ? '' : ` ${file}:${callFrame.lineNumber + 1}`
  return `${callFrame.functionName || '(anonymous)'}${where}`
}
