import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { chanceFrom } from '../../crash/chance.ts'
import { startReceiver } from '../../fakes/receiver.ts'
import { judgeBooks } from '../books.ts'
import { type DrillFrame, drillInFolder, startWithMerchants } from '../drill-frame.ts'
import { commandOn, type DrillReport, MASTER_KEY } from '../on-program.ts'
import { type Payments, startPayments } from '../payments.ts'
import { type CitusCluster, startCitus, type Worker } from './citus-cluster.ts'

type Options = { perSecond: number; seed: number; barSeconds: number; say?: (line: string) => void }
type Drill = Options & DrillFrame & { cluster: CitusCluster }
type Flow = { payments: Payments; url: string }

const CELLS = ['cell_0', 'cell_1'] as const
const [KEPT, MOVED] = CELLS
// Seconds from the moment a dead worker is back to a complete payment of its cell; clients come back after 2 to 8 s.
const USUAL_BAR_S = '10'
const MAX_MS = 10 * 60_000
const CALM_MS = { least: 5000, most: 7000 }
const DEAD_MS = 15_000
const WARM_MS = 15_000

/** The command line. Returns whether all was found well; a cluster that cannot be had here is no fault. */
export async function runCellsDrill(args: readonly string[]): Promise<boolean> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rate: { type: 'string', default: '50' },
      bar: { type: 'string', default: USUAL_BAR_S },
      seed: { type: 'string' },
    },
  })
  const seed = Number(values.seed ?? randomInt(1_000_000))
  const say = (line: string) => console.log(line)
  const report = await drillCells({ perSecond: Number(values.rate), barSeconds: Number(values.bar), seed, say })
  if (typeof report === 'string') {
    say(`cells: skipped, because ${report}`)
    return true
  }
  for (const line of report.wrong) say(`WRONG: ${line}`)
  return report.wrong.length === 0
}

/** Puts payments on two cells of a cluster, moves one, kills its node and brings it back, and compares the books. A sentence where there is no cluster. */
export async function drillCells(options: Options): Promise<DrillReport | string> {
  const cluster = await startCitus()
  if (typeof cluster === 'string') return cluster
  return drillInFolder({ ...options, name: 'cells', maxMs: MAX_MS }, async (frame) => {
    frame.started.push(cluster)
    await drill({ ...options, ...frame, cluster })
  })
}

async function drill(setting: Drill): Promise<void> {
  const { cluster, report, started, seed, perSecond } = setting
  report.note('seed', seed)
  const receiver = await startReceiver()
  started.push({ end: () => receiver.close() })
  const settings = { DATABASE_URL: cluster.url, MASTER_KEY, WEBHOOK_ALLOW_PRIVATE: receiver.place, CELL_MERCHANTS: '1' }
  const [first, second, third] = cluster.workers as [Worker, Worker, Worker]
  await prepareCells(setting, settings, { directory: first, [KEPT]: first, [MOVED]: second })
  const by = await startWithMerchants(setting, { settings, receiver, merchants: CELLS.length })
  const chance = chanceFrom(seed)
  const calm = () => pause(chance.whole(CALM_MS.least, CALM_MS.most))
  const payments = startPayments({ by, perSecond, chance })
  const flow = { payments, url: by[KEPT]?.url ?? '' }
  // What has just started is slow, and would make the others look quick.
  await pause(WARM_MS)
  const begun = performance.now()
  await pause(DEAD_MS)
  report.note(`before: p99 of ${KEPT} (ms)`, p99(payments, KEPT, begun))
  await move(setting, settings, { flow, to: third })
  await calm()
  await killNode(setting, flow, third)
  await calm()
  await payments.stop()
  await judgeBooks({ ask: cluster.ask, cells: CELLS, settings }, report, { payments, receiver })
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
const seconds = (ms: number) => (Math.max(0, ms) / 1000).toFixed(2)

async function prepareCells(
  { cluster }: Drill,
  settings: Record<string, string>,
  places: Readonly<Record<string, Worker>>,
): Promise<void> {
  await commandOn(settings, 'migrate')
  // Nodes speak to each other as the role of whoever asks.
  await cluster.ask('alter role gateway_app login')
  for (const [schema, { node }] of Object.entries(places))
    if (schema === MOVED) await commandOn(settings, 'cells', 'create', schema, '--node', node)
    else await commandOn(settings, 'cells', 'place', schema, '--node', node)
  // Merchants come to a new cell when every process may know it.
  await cluster.ask(`update directory.cells set added_at = null`)
}

async function move(
  { report }: Drill,
  settings: Record<string, string>,
  { flow: { payments }, to }: { flow: Flow; to: Worker },
): Promise<void> {
  const since = performance.now()
  const moved = await commandOn(settings, 'cells', 'move', MOVED, '--to', to.node)
  report.note(
    'move: took, a write waited at most (s)',
    `${seconds(performance.now() - since)}, ${seconds(moved.pause_ms)}`,
  )
  if (moved.hindrance !== null) report.wrong.push(`the move blocked writes: ${moved.hindrance}`)
  await pause(3000)
  for (const cell of CELLS)
    report.note(`move: longest time without a payment of ${cell} (s)`, seconds(payments.longestGap(cell, since)))
  for (const cell of CELLS) report.note(`move: calls of ${cell} answered 503 or not`, payments.setbacks(cell, since))
  report.note(`move: p99 of ${KEPT} (ms)`, p99(payments, KEPT, since))
}

/** The node of the moved cell dies and comes back. */
async function killNode({ report, barSeconds }: Drill, { payments, url }: Flow, worker: Worker): Promise<void> {
  const killedAt = performance.now()
  worker.kill()
  await pause(DEAD_MS)
  report.note(`dead: longest time without a payment of ${KEPT} (s)`, seconds(payments.longestGap(KEPT, killedAt)))
  const hurt = payments.setbacks(KEPT, killedAt)
  report.note(`dead: calls of ${KEPT} answered 503 or not`, hurt)
  if (hurt > 0) report.wrong.push(`${hurt} calls of ${KEPT}, whose node lives, were not served`)
  report.note(`dead: p99 of ${KEPT} (ms)`, p99(payments, KEPT, killedAt))
  const answered = payments.acknowledged.filter(({ way, answeredAt }) => way === MOVED && answeredAt > killedAt + 1000)
  report.note(`dead: payments of ${MOVED} that were acknowledged`, answered.length)
  const ready = await fetch(`${url}/readyz`)
  const { away = [] } = (await ready.json()) as { away?: string[] }
  report.note('dead: readyz', `${ready.status} ${away.join('; ')}`)
  if (ready.status !== 200 || !away.some((says) => says.includes(MOVED) && says.includes(worker.node)))
    report.wrong.push('readyz does not name the cell and the node')
  if (answered.length > 0) report.wrong.push('payments of a dead node were acknowledged')
  worker.start()
  const backAt = performance.now()
  const completedAt = await payments.completedAfter(MOVED, backAt)
  const after = completedAt === null ? null : seconds(completedAt - backAt)
  report.note(`dead: payments of ${MOVED} complete again after its return (s)`, after ?? 'never')
  if (after === null || Number(after) > barSeconds)
    report.wrong.push(`${after ?? 'never'} s after the return, and ${barSeconds} is the bar`)
}

/** The time to the first answer that acknowledged, of the slowest of a hundred. */
function p99({ acknowledged }: Payments, cell: string, since: number): number {
  const taken = acknowledged
    .filter(({ way, askedAt }) => way === cell && askedAt >= since)
    .map(({ askedAt, answeredAt }) => answeredAt - askedAt)
    .sort((a, b) => a - b)
  return Math.round(taken[Math.floor(taken.length * 0.99)] ?? Number.NaN)
}
