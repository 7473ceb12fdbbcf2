import cluster from 'node:cluster'
import { unavailable } from '../../platform/refusal.ts'
import type { Role } from '../serve.ts'
import type { MetricReport, ToChild, ToParent } from './messages.ts'

/** What a child hears from its parent. `orphaned`: the parent has ended without a word. */
type ParentWishes = { stop(): void; retire(): void; orphaned(): void }

/** The connection of a child to its parent. */
export type ParentLink = {
  /** Names this process in its log lines. */
  name: string
  /** How many processes the parent runs at most. */
  processes: number
  follow(wishes: ParentWishes): void
  /** Tells that this process works. */
  ready(url: string): void
  /** Answers the parent's questions for the metrics of this process. */
  answerReports(report: (figures: boolean) => Promise<MetricReport>): void
  /** Returns the metrics of all processes as text. Throws 503 when the parent does not answer in time. */
  readMetrics(): Promise<string>
  /** Tells the last report; resolves when the parent has it, or is gone. */
  leave(report: MetricReport): Promise<void>
}

const METRICS_WITHIN_MS = 5000

/** The link to the parent of this process; null where it has none. */
export function openParentLink(role: Role, processes: number): ParentLink | null {
  const { worker } = cluster
  if (worker === undefined) return null
  const asked = new Map<number, (text: string) => void>()
  const heard: { [Says in ToChild['says']]?: (message: Extract<ToChild, { says: Says }>) => void } = {
    metrics: ({ id, text }) => asked.get(id)?.(text),
  }
  let questions = 0
  return {
    name: `${role}-${worker.id}`,
    processes,
    follow({ stop, retire, orphaned }) {
      heard.stop = stop
      heard.retire = retire
      // Node keeps what arrives before somebody listens.
      process.on('message', (message: ToChild) => heard[message.says]?.(message as never))
      worker.once('disconnect', () => {
        // Otherwise Node would end this process at once, in the middle of its payments.
        worker.exitedAfterDisconnect = true
        orphaned()
      })
    },
    ready: (url) => tell({ says: 'ready', url }),
    answerReports(report) {
      heard.report = ({ id, figures }) => {
        report(figures).then(
          (made) => tell({ says: 'reported', id, report: made }),
          // The parent goes on without it.
          () => {},
        )
      }
    },
    readMetrics: () => {
      const id = questions++
      return new Promise<string>((resolve, reject) => {
        const late = setTimeout(() => reject(unavailable()), METRICS_WITHIN_MS)
        asked.set(id, (text) => {
          clearTimeout(late)
          resolve(text)
        })
        tell({ says: 'ask-metrics', id })
      }).finally(() => asked.delete(id))
    },
    leave: (report) => new Promise((resolve) => tell({ says: 'leaving', report }, resolve)),
  }
}

/** Sends a message. A parent that is gone hears nothing more, which is no error. */
function tell(message: ToParent, sent: () => void = () => {}): void {
  if (process.connected && process.send !== undefined) process.send(message, undefined, undefined, () => sent())
  else sent()
}
