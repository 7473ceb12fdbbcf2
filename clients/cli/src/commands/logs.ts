import {
  type Gateway,
  GatewayError,
  type LoggedRequest,
  RateLimitError,
} from '../../../typescript/src/gateway-client.ts'
import { delayBefore, mayPass, pause } from '../../../typescript/src/retry.ts'
import type { Call, Command, Given } from '../command.ts'
import { UsageError } from '../faults.ts'
import { endedBySignals, watchOutages } from '../following.ts'
import { MOST_ROWS_OF_PAGE, requests } from '../resources.ts'
import { openSession } from '../session.ts'
import type { Terminal } from '../terminal.ts'
import { getCommandOf, listOptionsOf, printList, type Query, queryOf } from './lists.ts'

type Following = { gateway: Gateway; terminal: Terminal; query: Query; signal: AbortSignal; counts: Counts }
/** `cursor`: the request behind which to go on; empty until one is known. */
type Counts = { seen: number; cursor: string }

// Thirty of the 600 reads a minute.
const LOOK_EVERY_MS = 2000
const LONGEST_OUTAGE_EXPONENT = 5
const READS_OF_THE_LOG = '/v1/requests'
const ONLY_LISTED = ['limit', 'starting-after', 'created-after', 'created-before']

const logs: Command = {
  words: 'logs',
  summary: `list or follow ${requests.summary}`,
  details: [
    'The newest first, of all keys of this mode. With --follow each one from now on is shown once, in the order in which they were answered,',
    'some five seconds later; Ctrl-C ends. Reads of the log itself are left out then, unless --route names them.',
  ].join('\n'),
  options: {
    follow: { help: 'show requests as they come' },
    failed: { help: 'only those that were refused, as --status refused' },
    ...listOptionsOf(requests),
  },
  run: runLogs,
}

async function runLogs(call: Call): Promise<number> {
  const { given } = call
  if (given.has('failed') && given.has('status')) throw new UsageError('--failed and --status exclude each other')
  const query: Query = { ...queryOf(requests, given), ...(given.has('failed') ? { status: 'refused' } : {}) }
  return given.has('follow') ? follow(call, query) : printList(requests, call, query)
}

async function follow({ terminal, environment, given }: Call, { ending_before, ...query }: Query): Promise<number> {
  refuseListed(given)
  const { gateway } = openSession(environment, { watch: watchOutages(terminal) })
  const signal = endedBySignals()
  const counts: Counts = { seen: 0, cursor: '' }
  try {
    const begin: object = { ...query, ...(ending_before === undefined ? {} : { ending_before }) }
    // What is wrong with a filter or a cursor shows before anything is said.
    if (Object.keys(begin).length > 0) await gateway.requests.list({ ...begin, limit: 1 }, { signal })
    counts.cursor = ending_before === undefined ? await findNewest(gateway, signal) : String(ending_before)
    sayHow(terminal, counts)
    await showAll({ gateway, terminal, query, signal, counts })
  } catch (error) {
    if (!signal.aborted) throw error
  } finally {
    if (counts.cursor !== '') sayHowMany(terminal, counts)
  }
  return 0
}

function refuseListed(given: Given): void {
  const listed = ONLY_LISTED.find((name) => given.has(name))
  if (listed !== undefined) throw new UsageError(`--follow and --${listed} exclude each other`)
}

/** Finds the newest request. Where there is none yet, this question is the first one, and in the log a second later. */
async function findNewest(gateway: Gateway, signal: AbortSignal): Promise<string> {
  for (;;) {
    const [newest] = (await gateway.requests.list({ limit: 1 }, { signal })).data
    if (newest !== undefined) return newest.id
    await pause(LOOK_EVERY_MS, signal)
  }
}

/** Goes on until the signal ends it, through any outage. */
async function showAll({ gateway, terminal, query, signal, counts }: Following): Promise<void> {
  const isHidden = ({ route }: LoggedRequest) => query.route === undefined && route.startsWith(READS_OF_THE_LOG)
  for (let failures = 0; ; ) {
    try {
      const asked: object = { ...query, ending_before: counts.cursor, limit: MOST_ROWS_OF_PAGE }
      const { data, has_more, next_cursor } = await gateway.requests.list(asked, { signal, maxRetries: 0 })
      failures = 0
      for (const request of data.toReversed()) {
        counts.cursor = request.id
        if (isHidden(request)) continue
        counts.seen += 1
        sayRequest(terminal, request)
      }
      counts.cursor = next_cursor ?? counts.cursor
      if (!has_more) await pause(LOOK_EVERY_MS, signal)
    } catch (error) {
      await outlast(error, { terminal, signal, failures })
      failures += 1
    }
  }
}

/** Waits until it may be asked again: as the service says, else twice as long each time. Throws what does not pass. */
async function outlast(
  error: unknown,
  { terminal, signal, failures }: Pick<Following, 'terminal' | 'signal'> & { failures: number },
): Promise<void> {
  if (signal.aborted || !(error instanceof GatewayError) || !mayPass(error)) throw error
  const { retryAfterSeconds } = error
  if (error instanceof RateLimitError && !terminal.json)
    terminal.note(terminal.paint('yellow', `the limit of reads is full: going on in ${retryAfterSeconds ?? 'a few'} s`))
  const exponent = Math.min(failures, LONGEST_OUTAGE_EXPONENT)
  const ownMs = delayBefore(exponent, undefined, Math.random()) ?? 0
  await pause(retryAfterSeconds === undefined ? ownMs : retryAfterSeconds * 1000, signal)
}

function sayHow({ note, json }: Terminal, { cursor }: Counts): void {
  note(json ? JSON.stringify({ following: true, from: cursor }) : 'Requests as they are answered. Ctrl-C ends.')
}

function sayRequest({ out, json, paint }: Terminal, request: LoggedRequest): void {
  if (json) out(JSON.stringify(request))
  if (json) return
  const { created_at, status, method, route, code, duration_ms, key_last4, request_id, ignored_parameters } = request
  const time = created_at.slice('2026-07-01T'.length, -'.000Z'.length)
  const parts = [
    paint('dim', time),
    paint(status < 400 ? 'green' : 'red', String(status)),
    `${method} ${route}`,
    ...(code === null ? [] : [code]),
    `in ${duration_ms} ms`,
    `...${key_last4}`,
    request_id,
    ...(ignored_parameters.length === 0 ? [] : [paint('yellow', `ignored: ${ignored_parameters.join(', ')}`)]),
  ]
  out(parts.join('  '))
}

function sayHowMany({ note, json }: Terminal, { seen, cursor }: Counts): void {
  if (json) note(JSON.stringify({ following: false, requests: seen, cursor }))
  else note(`\n${seen} requests. Go on with --follow --ending-before ${cursor}`)
}

export const LOGS_COMMANDS: readonly Command[] = [logs, getCommandOf(requests, 'logs')]
