import cluster, { type Worker } from 'node:cluster'
import type { Readable } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import type { Role } from '../serve.ts'
import type { MetricReport, ToChild, ToParent } from './messages.ts'

/** How a process ended: with a code, or by a signal. */
export type ChildEnd = { code: number | null; signal: NodeJS.Signals | null }

/** One process under the parent. */
export type Child = {
  name: string
  role: Role
  pid: number
  /** Its log: whole and torn lines, as it writes them. */
  output: Readable
  /** Resolves with its address once it works; null when it ended before. */
  ready: Promise<string | null>
  isReady(): boolean
  /** Resolves when it has ended and all that it said was heard. */
  ended: Promise<ChildEnd>
  /** Its metrics now; null when it does not answer in time. The last ones that it told are in `told`. */
  report(options: { figures: boolean }): Promise<MetricReport | null>
  told(): MetricReport
  /** Stops it as a SIGTERM does. */
  stop(): void
  /** Lets it answer on its open connections until they are gone, and stop then. */
  retire(): void
  kill(): void
}

type ChildOptions = {
  role: Role
  /** How many processes the parent runs at most. */
  processes: number
  port: number
  /** Called when it asks for the metrics of all. */
  readMetrics(): Promise<string>
}

const REPORT_WITHIN_MS = 2000
// What it has said before its end is in the channel by then.
const SAYS_WITHIN_MS = 200

/** Starts one more process of this program, as it is on the disk now. */
export function startChild({ role, processes, port, readMetrics }: ChildOptions): Child {
  cluster.setupPrimary({
    args: ['serve', '--role', role, '--processes', String(processes)],
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  const worker = cluster.fork({ PORT: String(port) })
  const reports = new Map<number, (report: MetricReport) => void>()
  let told: MetricReport = []
  let readyAt: ((url: string | null) => void) | null = null
  let isReady = false
  let questions = 0
  const ready = new Promise<string | null>((resolve) => {
    readyAt = resolve
  })
  worker.on('message', (message: ToParent) => {
    if (message.says === 'ready') {
      isReady = true
      readyAt?.(message.url)
    } else if (message.says === 'reported') reports.get(message.id)?.(message.report)
    else if (message.says === 'leaving') told = message.report
    else readMetrics().then((text) => tell(worker, { says: 'metrics', id: message.id, text }))
  })
  // A message to a process that has just ended.
  worker.on('error', () => {})
  const ended = endOf(worker)
  ended.then(() => readyAt?.(null))
  return {
    name: `${role}-${worker.id}`,
    role,
    pid: worker.process.pid ?? 0,
    output: worker.process.stdout as Readable,
    ready,
    isReady: () => isReady,
    ended,
    told: () => told,
    report: async ({ figures }) => {
      const id = questions++
      const report = await new Promise<MetricReport | null>((resolve) => {
        reports.set(id, resolve)
        setTimeout(REPORT_WITHIN_MS, null, { ref: false }).then(resolve)
        ended.then(() => resolve(null))
        tell(worker, { says: 'report', id, figures })
      })
      reports.delete(id)
      if (report !== null) told = report
      return report
    },
    stop: () => tell(worker, { says: 'stop' }),
    retire: () => tell(worker, { says: 'retire' }),
    kill: () => void worker.process.kill('SIGKILL'),
  }
}

function tell(worker: Worker, message: ToChild): void {
  // What ended meanwhile hears nothing more; its end is noticed by itself.
  if (worker.isConnected()) worker.send(message, () => {})
}

/** A connection on its way to a process. */
type Dealt = { close(): void }

/**
 * The connection that Node deals to a process, one after the other, is open here too until the process has it. One that is killed before
 * never takes it, and Node forgets it: its client would wait for ever. Returns a function that closes it.
 */
function rememberDealt({ process: child }: Worker): () => void {
  const send = child.send.bind(child) as (...values: unknown[]) => boolean
  let dealt: Dealt | undefined
  child.send = (...values: unknown[]) => {
    if (isDealt(values[1])) {
      dealt = values[1]
      // A process that retires gives it back, and another one gets it.
      lastDealtTo.set(dealt, child)
    }
    return send(...values)
  }
  return () => {
    if (dealt !== undefined && lastDealtTo.get(dealt) === child) dealt.close()
  }
}

const isDealt = (value: unknown): value is Dealt => typeof value === 'object' && value !== null && 'close' in value
const lastDealtTo = new WeakMap<Dealt, Worker['process']>()

/**
 * The exit, with everything that the process wrote and said before. Node's own `once` fails at the error of a connection that was being
 * dealt to it. And a channel whose process was killed before it took one never tells of its end: Node must hear it to forget the process.
 */
async function endOf(worker: Worker): Promise<ChildEnd> {
  const { process: child } = worker
  const closeDealt = rememberDealt(worker)
  const silent = heard(worker, 'disconnect').then(() => true)
  const [code, signal] = (await heard(child, 'close')) as [number | null, NodeJS.Signals | null]
  closeDealt()
  if (!(await Promise.race([silent, setTimeout(SAYS_WITHIN_MS, false, { ref: false })]))) child.emit('disconnect')
  return { code, signal }
}

/** The arguments of the next event of this name. */
const heard = (emitter: NodeJS.EventEmitter, name: string): Promise<unknown[]> =>
  new Promise((resolve) => emitter.once(name, (...values: unknown[]) => resolve(values)))
