import { type AlertKind, consolePageOf, paragraphOf, toDoOf, urgencyOf } from './kinds.ts'
import type { AlertMessage } from './send-message.ts'

const MAX_LINES = 20

export type AlertState = 'opened' | 'worse' | 'closed'
const STATE_WORDS: Readonly<Record<AlertState, string>> = { opened: 'NEW', worse: 'WORSE', closed: 'OVER' }

/** An alert as its message names it. Those that are stored have a size, an age and a count too. */
type MessageLine = { subject: string; state: AlertState; message: string } & Partial<{
  size: number
  since: Date
  times: number
}>

/** One message about alerts of a kind, as JSON and as text. */
export function alertMessage(
  { baseUrl }: { baseUrl: string },
  kind: AlertKind,
  alerts: readonly MessageLine[],
): AlertMessage {
  const lines = alerts.slice(0, MAX_LINES)
  const more = alerts.length - lines.length
  const [page, paragraph] = [`${baseUrl}${consolePageOf(kind)}`, `${baseUrl}${paragraphOf(kind)}`]
  const sentences = lines.map(({ state, message }) => `${STATE_WORDS[state]}: ${message}`)
  return {
    subject: `${STATE_WORDS[alerts[0]?.state ?? 'opened']}: ${kind} (${new URL(baseUrl).host})`,
    json: {
      kind,
      urgency: urgencyOf(kind),
      service: baseUrl,
      to_do: toDoOf(kind),
      page,
      paragraph,
      alerts: lines.map(presentLine),
      more,
    },
    text: [
      `${kind} (${baseUrl})`,
      ...sentences,
      ...(more > 0 ? [`and ${more} more`] : []),
      toDoOf(kind),
      page,
      paragraph,
    ].join('\n'),
  }
}

const presentLine = ({ subject, state, message, size, since, times }: MessageLine) => ({
  subject,
  state,
  says: message,
  size,
  since: since?.toISOString(),
  seen: times,
})
