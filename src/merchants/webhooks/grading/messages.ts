import { attemptHeaders } from '../signature.ts'

/** A message as a receiver gets it. */
export type GradedMessage = { body: Buffer; headers: Record<string, string> }

/** What came back. `status` null: nothing, because of `error`. `ms`: how long it took. */
export type GradedAnswer = { status: number | null; error: string | null; ms: number }

/** The `data` of an event, as its example in the description has it. */
type SampleData = Record<string, unknown>

/** What is needed to write messages to one receiver. */
export type MessageKit = {
  /** The secrets that sign now, the current one first. */
  secrets: readonly string[]
  /** The second name of X-Service-Signature; null where there is none. */
  alias: string | null
  now(): Date
  newEventId(): string
  findSample(event: 'charge.succeeded' | 'charge.refunded'): SampleData
}

type MessageOptions = {
  event?: string
  data?: SampleData
  /** More members of the envelope. */
  more?: SampleData
  id?: string
  /** When the event happened, in ms before now. */
  happenedMsAgo?: number
  /** When the attempt says that it is made, in ms before now. */
  sentMsAgo?: number
  secrets?: readonly string[]
}

/**
 * Writes a message about nothing: its data always has `mode: "test"` and `sample: true`, because a receiver must be able to tell it from money.
 */
export function writeMessage(kit: MessageKit, options: MessageOptions = {}): GradedMessage & { id: string } {
  const { event = 'charge.succeeded', more = {}, id = kit.newEventId(), happenedMsAgo = 0, sentMsAgo = 0 } = options
  const nowMs = kit.now().getTime()
  const data = inOrder({ ...kit.findSample('charge.succeeded'), ...options.data, mode: 'test', sample: true })
  const timestamp = Math.floor((nowMs - happenedMsAgo) / 1000)
  const body = Buffer.from(JSON.stringify(inOrder({ data, event, id, timestamp, ...more })))
  const signed = { id, at: new Date(nowMs - sentMsAgo), body, secrets: options.secrets ?? kit.secrets }
  return { id, body, headers: attemptHeaders(signed, kit.alias) }
}

/** The same message with other bytes under its signatures: a digit of the amount is changed, as a thief would. */
export function changeAmount({ body, headers }: GradedMessage): GradedMessage {
  return { body: Buffer.from(body.toString().replace(/"amount":\d+/, '"amount":9999999')), headers }
}

/** The same message without any signature. */
export function withoutSignature({ body }: GradedMessage): GradedMessage {
  return { body, headers: { 'Content-Type': 'application/json' } }
}

// Keys in code-point order, as every event has them.
const inOrder = (members: SampleData): SampleData =>
  Object.fromEntries(Object.entries(members).sort(([a], [b]) => (a < b ? -1 : 1)))
