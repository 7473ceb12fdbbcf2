import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { chanceFrom } from '../../crash/chance.ts'
import { freePort } from '../../crash/installation.ts'
import { startReceiver } from '../../fakes/receiver.ts'
import { judgeBooks } from '../books.ts'
import { makeAuthority } from '../certificates.ts'
import { type DrillFrame, drillInFolder, startWithMerchants } from '../drill-frame.ts'
import { commandOn, type DrillReport, MASTER_KEY } from '../on-program.ts'
import { startPayments } from '../payments.ts'
import { readBlocks, readShell } from './guide.ts'
import { ADDRESSES, findHindrance, type GuideNode, makeNode, type NodeName, namesHere } from './guide-nodes.ts'

type Options = { perSecond: number; seed: number; say?: (line: string) => void }
type Walk = Options & DrillFrame & { port: number; coordinator: GuideNode; settings: Record<string, string> }

const CELLS = ['cell_0', 'cell_1'] as const
const MAX_MS = 15 * 60_000
const CALM_MS = 5000

/** The command line. Returns whether all was found well; a cluster that cannot be had here is no fault. */
export async function runGrowingDrill(args: readonly string[]): Promise<boolean> {
  const { values } = parseArgs({
    args: [...args],
    options: { rate: { type: 'string', default: '20' }, seed: { type: 'string' } },
  })
  const say = (line: string) => console.log(line)
  const seed = Number(values.seed ?? randomInt(1_000_000))
  const report = await drillGrowing({ perSecond: Number(values.rate), seed, say })
  if (typeof report === 'string') {
    say(`growing: skipped, because ${report}`)
    return true
  }
  for (const line of report.wrong) say(`WRONG: ${line}`)
  return report.wrong.length === 0
}

/**
 * Follows "Cells on more nodes" of docs/growing.md by its own blocks, with passwords and TLS: makes a cluster, puts the gateway on it, adds a
 * node, and under payments moves a cell and takes a node out. A sentence where there is no Citus.
 */
export async function drillGrowing(options: Options): Promise<DrillReport | string> {
  const hindrance = findHindrance()
  if (hindrance !== null) return hindrance
  const port = await freePort()
  return drillInFolder({ ...options, name: 'growing', maxMs: MAX_MS }, async (frame) => {
    frame.report.note('seed', options.seed)
    const place = { folder: frame.folder, port }
    makeAuthority(place.folder)
    const begin = (name: NodeName) => {
      const node = makeNode(name, place)
      frame.started.push(node)
      return node
    }
    const coordinator = begin('c')
    for (const name of ['w1', 'w2'] as const) begin(name)
    const names = namesHere(place)
    const [, , logins = '', , nodes = ''] = readBlocks('Make a cluster', { names, count: 5 })
    coordinator.ask(logins)
    coordinator.ask(nodes)
    const [put = ''] = readBlocks('Put the gateway on it', { names, count: 1 })
    const { settings, commands } = readShell(put)
    const walk = { ...options, ...frame, port, coordinator, settings: { ...settings, MASTER_KEY, CELL_MERCHANTS: '1' } }
    for (const words of commands) await follow(walk, words)
    await addNode(walk, begin)
  })
}

/** One command of the guide. */
async function follow({ report, settings }: Walk, words: readonly string[]): Promise<any> {
  const since = performance.now()
  const said = await commandOn(settings, ...words)
  report.note(`gateway ${words.join(' ')} (s)`, ((performance.now() - since) / 1000).toFixed(1))
  return said
}

/** "Add a node", from its first block to its last. */
async function addNode(walk: Walk, begin: (name: NodeName) => GuideNode): Promise<void> {
  const { coordinator, port, report, started } = walk
  const blocks = readBlocks('Add a node', { names: namesHere(walk), count: 4 })
  const [add = '', create = '', move = '', drain = ''] = blocks
  begin('w3')
  coordinator.ask(add)
  for (const words of readShell(create).commands) await follow(walk, words)
  // Merchants come to a new cell when every process may know it.
  coordinator.ask('update directory.cells set added_at = null')
  const receiver = await startReceiver()
  started.push({ end: () => receiver.close() })
  const settings = { ...walk.settings, WEBHOOK_ALLOW_PRIVATE: receiver.place }
  const by = await startWithMerchants(walk, { settings, receiver, merchants: CELLS.length })
  const payments = startPayments({ by, perSecond: walk.perSecond, chance: chanceFrom(walk.seed) })
  await pause()
  const since = performance.now()
  // The guide moves it to the new node, where it lies already.
  for (const words of [['cells', 'move', 'cell_1', '--to', `${ADDRESSES.w2}:${port}`], ...readShell(move).commands]) {
    const { pause_ms } = await follow(walk, words)
    report.note('a write waited at most (ms)', pause_ms)
  }
  for (const words of readShell(drain).commands) await follow(walk, words)
  const [, removal = ''] = /^sudo -u postgres psql gateway -c "(.*)"/m.exec(drain) ?? []
  if (removal === '') report.wrong.push('the guide takes no node out')
  coordinator.ask(removal)
  await pause()
  for (const cell of CELLS)
    report.note(`longest time without a payment of ${cell} (s)`, (payments.longestGap(cell, since) / 1000).toFixed(2))
  await payments.stop()
  checkNodes(walk)
  const ask = async (text: string) =>
    JSON.parse(coordinator.ask(`select coalesce(json_agg(found), '[]') from (${text}) as found`))
  await judgeBooks({ ask, cells: CELLS, settings }, report, { payments, receiver })
}

const pause = () => new Promise((resolve) => setTimeout(resolve, CALM_MS))

/** What must be so at the end. */
function checkNodes({ coordinator, report }: Walk): void {
  const left = coordinator
    .ask(`select string_agg(nodename, ' ' order by groupid) from pg_dist_node where groupid > 0`)
    .trim()
  report.note('nodes at the end', left)
  if (left !== `${ADDRESSES.w2} ${ADDRESSES.w3}`) report.wrong.push(`the nodes are ${left}`)
  const open = coordinator
    .ask(`select coalesce(sum(result::int), -1) from run_command_on_all_nodes(
      'select count(*) filter (where not s.ssl) from pg_stat_activity a join pg_stat_ssl s using (pid) where a.client_addr is not null')`)
    .trim()
  report.note('connections without TLS', open)
  if (open !== '0') report.wrong.push(`${open} connections have no TLS`)
}
