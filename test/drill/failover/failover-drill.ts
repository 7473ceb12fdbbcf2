import { randomInt } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Chance, chanceFrom } from '../../crash/chance.ts'
import { freePort } from '../../crash/installation.ts'
import { launch, PROGRAM, type Running } from '../../crash/processes.ts'
import { type Receiver, startReceiver } from '../../fakes/receiver.ts'
import { judgeBooks } from '../books.ts'
import { commandOn, type DrillReport, drillEnvironment, MASTER_KEY } from '../on-program.ts'
import { type Payments, startPayments } from '../payments.ts'
import { askHost, type Cluster, DATABASE, startCluster } from './cluster.ts'
import { FAULTS, type FaultName } from './faults.ts'
import { findHindrance } from './programs.ts'
import { HAPROXY, PATRONI } from './settings.ts'
import { prepareWrites } from './writers.ts'

type Options = {
  faults: readonly FaultName[]
  perSecond: number
  seed: number
  barSeconds: number
  say?: (line: string) => void
}
type Drill = Options & { cluster: Cluster; payments: Payments; chance: Chance; report: DrillReport }

const ALL = Object.keys(FAULTS) as FaultName[]
// Seconds from the first write of a new primary to a complete payment, on a machine that has nothing else to do.
const USUAL_BAR_S = '2'
// Less than a test file may take (scripts/run-room.mjs), so that it ends what it started itself.
const MAX_MS = 13 * 60_000
const CALM_MS = { least: 3000, most: 6000 }
const MAKE_MS = 60_000

/** The command line. Returns whether all was found well; a cluster that cannot be made here is no fault. */
export async function runFailoverDrill(args: readonly string[]): Promise<boolean> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      faults: { type: 'string', default: ALL.join(',') },
      rate: { type: 'string', default: '50' },
      bar: { type: 'string', default: USUAL_BAR_S },
      seed: { type: 'string' },
    },
  })
  const faults = values.faults.split(',') as FaultName[]
  if (faults.some((name) => !ALL.includes(name))) throw new Error(`--faults are some of ${ALL.join(',')}`)
  const hindrance = findHindrance()
  if (hindrance !== null) {
    console.log(`failover: skipped, because ${hindrance}`)
    return true
  }
  const seed = Number(values.seed ?? randomInt(1_000_000))
  const say = (line: string) => console.log(line)
  const { wrong } = await drillFailover({
    faults,
    perSecond: Number(values.rate),
    barSeconds: Number(values.bar),
    seed,
    say,
  })
  for (const line of wrong) say(`  WRONG: ${line}`)
  say(`failover: ${wrong.length === 0 ? 'CLEAN' : 'BROKEN'}; replay with --seed ${seed} --faults ${faults.join(',')}`)
  return wrong.length === 0
}

/** Makes a cluster, puts payments on it, does to it what is named, and compares the books with what was acknowledged. */
export async function drillFailover(options: Options): Promise<DrillReport> {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-failover-'))
  const report = newReport(options)
  const started: { end(): Promise<unknown> }[] = []
  const endAll = async () => {
    for (const one of started.reverse().splice(0)) await one.end()
    rmSync(folder, { recursive: true, force: true })
  }
  // What hangs is worse than what fails.
  const giveUp = () => void endAll().then(() => process.exit(1))
  const late = setTimeout(giveUp, MAX_MS)
  process.once('SIGINT', giveUp).once('SIGTERM', giveUp)
  try {
    const cluster = await startCluster(folder)
    started.push(cluster)
    await drill({ ...options, folder, report, cluster, started })
  } catch (error) {
    throw new Error(`${(error as Error).message}\n${readLogs(folder)}`, { cause: error })
  } finally {
    clearTimeout(late)
    process.off('SIGINT', giveUp).off('SIGTERM', giveUp)
    await endAll()
  }
  return report
}

/** Figures are said as they are found. */
function newReport({
  seed,
  say = () => {},
}: Options): DrillReport & { note(name: string, value: string | number): void } {
  const report: DrillReport = { figures: {}, wrong: [] }
  const note = (name: string, value: string | number) => {
    report.figures[name] = value
    say(`  ${name.padEnd(58)} ${value}`)
  }
  note('seed', seed)
  return { ...report, note }
}

type Setting = Options & {
  folder: string
  cluster: Cluster
  report: ReturnType<typeof newReport>
  started: { end(): Promise<unknown> }[]
}

async function drill(setting: Setting): Promise<void> {
  const { cluster, report, seed, perSecond, started } = setting
  const { primary } = await cluster.whole()
  await askHost(primary, `create database ${DATABASE}`, { ms: MAKE_MS })
  await prepareWrites(primary)
  const receiver = await startReceiver()
  started.push({ end: () => receiver.close() })
  const urls = await startServices(setting, receiver)
  const settings = settingsOf(cluster, receiver)
  const made = await commandOn(settings, 'merchants', 'create', '--name', 'Drill', '--email', 'drill@shops.invalid')
  await commandOn(settings, 'merchants', 'set', made.handle, '--webhook-url', receiver.url)
  await readPromises(setting, settings)
  const chance = chanceFrom(seed)
  report.note('Patroni (s)', JSON.stringify(PATRONI))
  report.note('HAProxy', JSON.stringify(HAPROXY))
  const by = Object.fromEntries(Object.entries(urls).map(([way, url]) => [way, { url, key: made.keys.test }]))
  const payments = startPayments({ by, perSecond, chance })
  for (const name of setting.faults) await tryFault({ ...setting, payments, chance }, name, Object.keys(urls))
  await calm(chance)
  await payments.stop()
  const { primary: last } = await cluster.whole()
  const ask = (text: string) => askHost(last, text, { database: DATABASE, ms: MAKE_MS })
  await judgeBooks({ ask, cells: ['cell_0'], settings }, report, { payments, receiver })
}

/** What doctor says of the standby; it refuses nothing else here than the settings of a drill. */
async function readPromises({ report }: Setting, settings: Record<string, string>): Promise<void> {
  const { promises } = await commandOn(settings, 'doctor')
  report.note('doctor promises', promises[0])
  if (!/is on the disk of a synchronous standby too/.test(promises[0]))
    report.wrong.push('doctor does not see the standby')
}

/** A service by each way, on the same database. */
async function startServices(
  { cluster, folder, started }: Setting,
  receiver: Receiver,
): Promise<Record<string, string>> {
  const urls: Record<string, string> = {}
  for (const [way, url] of Object.entries(cluster.ways)) {
    const port = await freePort()
    const service: Running = launch({
      ...{ program: PROGRAM, args: ['serve'], logFile: join(folder, `service-${port}.log`) },
      env: { ...drillEnvironment(), ...settingsOf(cluster, receiver), DATABASE_URL: url, PORT: String(port) },
    })
    started.push({ end: () => service.kill() })
    if (!(await service.ready)) throw new Error(`the service did not start by ${way}: ${service.said()}`)
    urls[way] = `http://127.0.0.1:${port}`
  }
  return urls
}

const settingsOf = ({ ways }: Cluster, { place }: Receiver) => ({
  ...{ DATABASE_URL: ways['several servers'] ?? '', MASTER_KEY, WEBHOOK_ALLOW_PRIVATE: place },
})

const calm = (chance: Chance) =>
  new Promise((resolve) => setTimeout(resolve, chance.whole(CALM_MS.least, CALM_MS.most)))

const seconds = (ms: number) => (Math.max(0, ms) / 1000).toFixed(2)

/** Does it, and says how long it was until another host took writes, and from there until a payment was complete. */
async function tryFault(
  { cluster, payments, report, chance, barSeconds }: Omit<Drill, 'report'> & Setting,
  name: FaultName,
  ways: string[],
) {
  const fault = FAULTS[name]
  await cluster.whole()
  await calm(chance)
  const { faultAt, taking, mend } = await fault.run(cluster)
  if (taking !== null) {
    const { promotedAt, writesAt } = taking
    report.note(`${name}: ${fault.says}`, '')
    report.note(`${name}: Patroni promoted another one after (s)`, seconds(promotedAt - faultAt))
    report.note(`${name}: which took writes after (s)`, seconds(writesAt - faultAt))
    for (const way of ways) {
      const completedAt = await payments.completedAfter(way, writesAt)
      const after = completedAt === null ? null : seconds(completedAt - writesAt)
      report.note(`${name}: payments by ${way} complete after (s)`, after ?? 'never')
      if (after === null || (fault.isBarred && Number(after) > barSeconds))
        report.wrong.push(
          `${name}: payments by ${way} were complete ${after ?? 'never'} s after, and ${barSeconds} is the bar`,
        )
    }
  } else report.note(`${name}: ${fault.says}`, '')
  mend()
  await cluster.whole()
  for (const way of ways)
    report.note(`${name}: longest time without a payment by ${way} (s)`, seconds(payments.longestGap(way, faultAt)))
}

const LAST_CHARACTERS = 1500
const LOGS = ['one/log', 'two/log', 'three/log', 'etcd/log', 'etcd/haproxy.log']

// Patroni says it at every look, and nothing else is left of the log where it stands.
const ALL_IS_WELL = /no action|Lock owner:/

function readLogs(folder: string): string {
  const read = (name: string) => {
    try {
      const lines = readFileSync(join(folder, name), 'utf8').split('\n')
      return `${name}: ${lines
        .filter((line) => !ALL_IS_WELL.test(line))
        .join('\n')
        .slice(-LAST_CHARACTERS)}`
    } catch {
      return `${name}: nothing`
    }
  }
  return LOGS.map(read).join('\n')
}
