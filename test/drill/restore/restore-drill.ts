import { execFileSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { chanceFrom } from '../../crash/chance.ts'
import { freePort } from '../../crash/installation.ts'
import { launch, PROGRAM, type Running } from '../../crash/processes.ts'
import { askOnce } from '../../helpers/database/ask-once.ts'
import { commandOn, type DrillReport, drillEnvironment } from '../on-program.ts'
import { type DrillServer, type DrillWay, findHindrance, startDrillServer } from './drill-server.ts'
import { type PaymentFlow, startFlow } from './payment-flow.ts'
import { trySpoiled } from './spoiled.ts'

type Options = { way: DrillWay; payments: number; fill: number; seed: number }
type Drill = Options & { folder: string; server: DrillServer; report: DrillReport }

const WAYS: readonly DrillWay[] = ['embedded', 'own', 'pgbackrest']
const CLIENTS = 4
const RESTORES_MS = 1000
const POLL_MS = 500
const CATCHES_UP_MS = 600_000
const BEHIND = `select 'behind' as id where not exists (select 1 from pg_stat_replication
  where application_name = 'gateway_backup' and pg_wal_lsn_diff(pg_current_wal_flush_lsn(), flush_lsn) < 1048576)`

/** The command line: tries each way that can be tried here, or one. Returns whether all was found well. */
export async function runRestoreDrill(args: readonly string[]): Promise<boolean> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      way: { type: 'string' },
      payments: { type: 'string', default: '200' },
      fill: { type: 'string', default: '0' },
      seed: { type: 'string' },
    },
  })
  const seed = Number(values.seed ?? randomInt(1_000_000))
  const ways = WAYS.filter((way) => values.way === undefined || way === values.way)
  if (ways.length === 0) throw new Error(`--way is one of ${WAYS.join(', ')}`)
  const say = (line: string) => console.log(line)
  let isClean = true
  for (const way of ways) {
    const hindrance = findHindrance(way)
    if (hindrance !== null) say(`${way}: skipped, because ${hindrance}`)
    else {
      const { figures, wrong } = await drillRestore({
        ...{ way, seed },
        ...{ payments: Number(values.payments), fill: Number(values.fill) },
      })
      for (const [name, value] of Object.entries(figures)) say(`  ${name.padEnd(34)} ${value}`)
      for (const line of wrong) say(`  WRONG: ${line}`)
      say(`${way}: ${wrong.length === 0 ? 'CLEAN' : 'BROKEN'}; replay with --way ${way} --seed ${seed}`)
      isClean &&= wrong.length === 0
    }
  }
  return isClean
}

/** Backs up under payments, destroys the server, restores, and compares with what was acknowledged. */
export async function drillRestore(options: Options): Promise<DrillReport> {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-drill-'))
  const report: DrillReport = { figures: { seed: options.seed }, wrong: [] }
  const server = await startDrillServer(options.way, folder)
  const drill: Drill = { ...options, folder, server, report }
  let service: Running | null = null
  try {
    const port = await freePort()
    service = launch({
      ...{ program: PROGRAM, args: ['serve'], logFile: join(folder, 'service.log') },
      env: { ...drillEnvironment(), ...server.settings, PORT: String(port) },
    })
    if (!(await service.ready)) throw new Error(`the service did not start: ${service.said()}`)
    await fill(drill)
    const flow = startFlow({
      ...{ url: `http://127.0.0.1:${port}`, key: await makeKey(server) },
      ...{ chance: chanceFrom(options.seed), clients: CLIENTS },
    })
    const moment = await backUpUnderPayments(drill, flow)
    // The embedded server would be started anew by the service, which lies on the same disk.
    if (options.way === 'embedded') await service.kill()
    const destroyedAt = Date.now()
    await server.destroy()
    await flow.stop()
    await service.kill()
    await compareAtMoment(drill, flow, moment)
    await compareLatest(drill, flow, destroyedAt)
    await trySpoiled({ ...drill, moment: new Date(moment), wrong: report.wrong })
  } finally {
    await service?.kill()
    await server.end()
    rmSync(folder, { recursive: true, force: true })
  }
  return report
}

async function makeKey({ settings }: DrillServer): Promise<string> {
  const made = await commandOn(settings, 'merchants', 'create', '--name', 'Drill', '--email', 'drill@shops.invalid')
  return made.keys.test
}

/** Rows that only make the database larger, of texts that do not compress well. Resolves when the stream has their WAL too. */
async function fill({ fill, server, folder, report, way }: Drill): Promise<void> {
  if (fill === 0) return
  const own = server.settings.DATABASE_URL
  const joined = own === undefined ? await server.startRestored(join(folder, 'data')) : null
  const url = own ?? joined?.url ?? ''
  await askOnce(
    url,
    `create table public.filler as select string_agg(md5(g || ' ' || n), '') as text
     from generate_series(1, ${fill * 125}) g, generate_series(1, 240) n group by g`,
  )
  const filledAt = performance.now()
  while (way !== 'pgbackrest' && (await askOnce(url, BEHIND)).length > 0) {
    if (performance.now() - filledAt > CATCHES_UP_MS) throw new Error('the stream of WAL does not catch up')
    await setTimeout(POLL_MS)
  }
  report.figures['WAL of the filling streamed after, s'] = Math.round((performance.now() - filledAt) / 100) / 10
  await joined?.stop()
}

/** Returns the moment that is restored later: everything acknowledged until then must be there. */
async function backUpUnderPayments(drill: Drill, flow: PaymentFlow): Promise<number> {
  const { server, report, payments, way } = drill
  const { figures } = report
  await flow.more(payments)
  const calm = Date.now()
  await flow.more(payments)
  const before = Date.now()
  const full = await commandOn(server.settings, 'backup', '--full')
  const after = Date.now()
  const shown = (from: number, to: number) => {
    const { count, p50, p99 } = flow.latency(from, to)
    return `${Math.round((count * 1000) / (to - from))}/s, p50 ${p50} ms, p99 ${p99} ms`
  }
  figures['payments without a backup'] = shown(calm, before)
  figures['payments while it is taken'] = shown(before, after)
  figures['database, MB'] = megabytes(full.database_bytes)
  figures['full backup, s / MB'] = `${full.seconds} / ${megabytes(full.bytes)}`
  await flow.more(payments)
  if (way === 'pgbackrest') {
    const more = await commandOn(server.settings, 'backup', '--incremental')
    figures['incremental, s / MB'] = `${more.seconds} / ${megabytes(more.bytes)}`
    await flow.more(payments)
  }
  const moment = Date.now()
  await flow.more(payments)
  // What was archived at an interval must have come so far.
  if (way === 'pgbackrest') await askOnce(server.settings.DATABASE_URL ?? '', 'select pg_switch_wal()')
  await flow.more(payments)
  return moment
}

const megabytes = (bytes: number) => Math.round(bytes / 104_857.6) / 10

async function compareAtMoment(drill: Drill, flow: PaymentFlow, moment: number): Promise<void> {
  const { figures, wrong } = drill.report
  const into = join(drill.folder, 'at-moment')
  const { seconds, found, verified } = await restoreAndRead(drill, into, new Date(moment).toISOString())
  figures['restore to the moment, s'] = seconds
  figures['verify on it, s'] = verified
  const until = flow.acknowledged.filter(({ answeredAt }) => answeredAt <= moment)
  const missing = until.filter(({ id }) => !found.has(id))
  const later = flow.acknowledged.filter(({ askedAt, id }) => askedAt > moment && found.has(id))
  figures['acknowledged until then, missing'] = `${until.length}, ${missing.length}`
  if (missing.length > 0) wrong.push(`${missing.length} payments acknowledged before the moment are not there`)
  if (later.length > 0) wrong.push(`${later.length} payments asked for after the moment are there`)
  if (until.length === 0) wrong.push('nothing was acknowledged before the moment')
}

/** What is lost with the disk, of all that was acknowledged. */
async function compareLatest(drill: Drill, flow: PaymentFlow, destroyedAt: number): Promise<void> {
  const { figures, wrong } = drill.report
  const into = join(drill.folder, 'latest')
  const { seconds, found } = await restoreAndRead(drill, into, 'latest')
  figures['restore to the latest, s'] = seconds
  const missing = flow.acknowledged.filter(({ id }) => !found.has(id))
  const oldest = Math.min(destroyedAt, ...missing.map(({ answeredAt }) => answeredAt))
  figures['acknowledged in all, lost'] = `${flow.acknowledged.length}, ${missing.length}`
  figures['window of loss, ms'] = destroyedAt - oldest
  const mayLose = { own: 0, embedded: RESTORES_MS, pgbackrest: 60_000 }[drill.way]
  if (destroyedAt - oldest > mayLose) wrong.push(`what was acknowledged ${destroyedAt - oldest} ms before is lost`)
}

/** Restores, starts it, runs the checks read-only, and reads which payments are there. */
async function restoreAndRead({ server, report }: Drill, into: string, to: string) {
  const restored = await commandOn(server.repository, 'restore', '--to', to, '--into', into)
  const running = await server.startRestored(into)
  try {
    const began = performance.now()
    const checked = await commandOn(running.settings, 'verify')
    const verified = Math.round(performance.now() - began) / 1000
    const audit = await commandOn(running.settings, 'audit', 'verify')
    if (!checked.holds || !audit.holds) report.wrong.push(`verify or audit verify does not hold at ${to}`)
    const rows = await askOnce(
      running.url,
      `select id from cell_0.charges union all select id from cell_0.payouts union all
       select case when current_setting('transaction_read_only') = 'on' then 'read-only' else 'writable' end`,
    )
    const found = new Set(rows.map(({ id }) => id))
    if (!found.has('read-only')) report.wrong.push('what was restored takes writes before it was opened')
    return { seconds: restored.seconds as number, found, verified }
  } finally {
    await running.stop()
  }
}

/** A copy of the backups that may be spoiled. */
export function copyOf(backups: string, folder: string): string {
  const copy = join(folder, 'spoiled')
  rmSync(copy, { recursive: true, force: true })
  execFileSync('cp', ['-a', backups, copy])
  return copy
}
