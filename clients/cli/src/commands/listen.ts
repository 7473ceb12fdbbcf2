import { randomBytes } from 'node:crypto'
import type { EventName, GatewayEvent, StreamItem } from '../../../typescript/src/gateway-client.ts'
import type { Call, Command, Environment } from '../command.ts'
import { readConfig, writeConfig } from '../config.ts'
import { UsageError } from '../faults.ts'
import { endedBySignals, watchOutages } from '../following.ts'
import { type Forwarded, findReceiver, forward, type Receiver } from '../forward.ts'
import { openSession } from '../session.ts'
import type { Terminal } from '../terminal.ts'

type Listening = {
  terminal: Terminal
  receiver: Receiver | null
  secret: string
  /** Only these events; null: all. */
  names: ReadonlySet<string> | null
  signal: AbortSignal
}
type Begun = Pick<Listening, 'receiver' | 'secret'> & { from: string }
type Counts = { seen: number; good: number; cursor: string }

const SECRET_BYTES = 24
/** As a cursor: behind the newest event that has a number now. */
const LATEST = 'latest'
/** What test.sendEvent has sent counts as this one for the service, whatever its name. */
const PING = 'test.ping'

const listen: Command = {
  words: 'listen',
  summary: 'send your events on to a program on this machine',
  details: [
    'Reads the stream of events and posts each to your program, with the headers of a real delivery, signed with a secret that is made',
    'once and printed. One line for each; Ctrl-C ends. A receiver that fails is shown and not tried again. Without --forward events are',
    'only shown.',
  ].join('\n'),
  options: {
    forward: { value: 'URL', help: 'where to post, such as http://localhost:3000/hook' },
    events: { value: 'A,B', help: 'only these events' },
    from: { value: 'CURSOR', help: 'begin behind this event number; 0 is the first one ever' },
    'skip-old': { help: 'begin with what happens from now on, as without --from' },
    anywhere: { help: 'allow a receiver that is neither this machine nor its network' },
    'print-secret': { help: 'print the secret alone, and end' },
  },
  run: runListen,
}

async function runListen({ terminal, environment, given }: Call): Promise<number> {
  const secret = keepSecret(environment)
  if (given.has('print-secret')) {
    terminal.out(terminal.json ? JSON.stringify({ secret }) : secret)
    return 0
  }
  if (given.has('from') && given.has('skip-old')) throw new UsageError('--from and --skip-old exclude each other')
  const address = given.text('forward')
  const receiver = address === undefined ? null : await findReceiver(address, given.has('anywhere'))
  const { gateway } = openSession(environment, { watch: watchOutages(terminal) })
  const signal = endedBySignals()
  const names = given.text('events')?.split(',') ?? null
  const counts: Counts = { seen: 0, good: 0, cursor: '' }
  try {
    const from = given.text('from') ?? (await gateway.events.list({ starting_after: LATEST }, { signal })).next_cursor
    counts.cursor = from
    sayHow(terminal, { receiver, secret, from })
    const asked = names === null ? {} : { event: [...names, PING] as EventName[] }
    const listening = { terminal, receiver, secret, names: names && new Set(names), signal }
    for await (const item of gateway.webhooks.events(from, { ...asked, signal })) await take(listening, counts, item)
  } catch (error) {
    if (!signal.aborted) throw error
  } finally {
    if (counts.cursor !== '') sayWhatWasSent(terminal, receiver, counts)
  }
  return 0
}

/** The secret of this machine: made once, so that the receiver's setting stays right. */
export function keepSecret(environment: Environment): string {
  const config = readConfig(environment)
  const { listen_secret: secret = `whsec_${randomBytes(SECRET_BYTES).toString('base64')}` } = config
  if (config.listen_secret === undefined) writeConfig(environment, { ...config, listen_secret: secret })
  return secret
}

function sayHow({ note, paint, json }: Terminal, { receiver, secret, from }: Begun): void {
  const where = receiver?.url.href ?? null
  if (json) note(JSON.stringify({ listening: true, forward: where, secret, from }))
  else note(`Events behind number ${from}${where === null ? '' : ` go to ${where}`}. Ctrl-C ends.`)
  if (!json && where !== null) note(`Secret of their signatures: ${paint('bold', secret)}`)
}

async function take(listening: Listening, counts: Counts, { event, cursor, sequence }: StreamItem): Promise<void> {
  const { terminal, receiver, names, secret, signal } = listening
  if (names === null || names.has(event.event)) {
    const forwarded = receiver && (await forward(receiver, { event, sequence, secret }, signal))
    counts.seen += 1
    if (forwarded !== null && isGood(forwarded)) counts.good += 1
    sayEvent(terminal, { event, sequence }, forwarded)
  }
  counts.cursor = cursor
}

const isGood = (forwarded: Forwarded) =>
  forwarded.kind === 'answered' && forwarded.status >= 200 && forwarded.status < 300

type Told = { event: GatewayEvent; sequence: number }

function sayEvent({ out, json, paint }: Terminal, { event, sequence }: Told, forwarded: Forwarded | null): void {
  const { id, event: name } = event
  if (json) out(JSON.stringify({ sequence, envelope: event, forwarded }))
  if (json) return
  const time = new Date().toISOString().slice('2026-07-01T'.length, -'.000Z'.length)
  const begin = `${paint('dim', time)}  ${name}  ${id}  #${sequence}`
  out(forwarded === null ? begin : `${begin}  ${describe(forwarded, paint)}`)
}

function describe(forwarded: Forwarded, paint: Terminal['paint']): string {
  const { ms } = forwarded
  const said = forwarded.kind === 'answered' ? String(forwarded.status) : forwarded.reason
  const slow = forwarded.kind === 'unanswered' && forwarded.isLate
  return `${paint(isGood(forwarded) ? 'green' : 'red', said)}${slow ? '' : ` in ${ms} ms`}`
}

function sayWhatWasSent({ note, json }: Terminal, receiver: Receiver | null, { seen, good, cursor }: Counts): void {
  const sent = receiver === null ? `${seen} events` : `${seen} events, of which ${good} were taken`
  if (json) note(JSON.stringify({ listening: false, events: seen, taken: receiver && good, cursor }))
  else note(`\n${sent}. Go on with --from ${cursor}`)
}

export const LISTEN_COMMANDS: readonly Command[] = [listen]
