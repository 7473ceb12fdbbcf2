import type { LogFn, Logger } from 'pino'
import { CommitUnknown, DatabaseAway } from '../db/errors.ts'
import { count } from './measures.ts'

/** Keeps a log readable and small whatever happens. */
export type LogLimiter = {
  /** Decides about every line before it is written: pino's hook `logMethod`. */
  hook(this: Logger, args: Parameters<LogFn>, method: LogFn, level: number): void
  /** Logs how many lines were left out. Called every few seconds, and with `last` before the process ends. */
  reportLeftOut(log: Logger, last?: boolean): void
}

type LogFields = Readonly<Record<string, unknown>>
/** `allowed`: how many lines of a kind may be written now, as of `atMs`; `leftOut`: how many were not written. */
type LineKind = { allowed: number; atMs: number; leftOut: number }
/** `metMs`: when a line last showed that the database is away; `leftOut`: the lines that were counted instead of written, by kind. */
type DatabaseOutage = { sinceMs: number; metMs: number; reportedMs: number; leftOut: Map<string, number> }
type LimiterState = {
  nowMs: () => number
  kinds: Map<string, LineKind>
  outage: DatabaseOutage | null
  reportedMs: number
}

const INFO = 30
const FATAL = 60
const MAX_LINES_AT_ONCE = 5
// One more line of a kind is allowed each second.
const MS_PER_LINE = 1000
const REPORT_EVERY_MS = 60_000
// Sweeps use the database each second, and a silent server is noticed within a statement's time-out.
const OVER_AFTER_MS = 20_000
const MAX_KINDS = 500
const MAX_KINDS_REPORTED = 20
const MAX_CAUSES = 4
const MAX_NAME_CHARACTERS = 200
// The fields that tell lines of the same text apart.
const NAMING_FIELDS = [
  ...['sweep', 'alert', 'route', 'status', 'code', 'merchant', 'installation'],
  ...['error_class', 'class', 'place', 'way'],
]
const FAILED_CLASSES = ['ambiguous', 'unavailable']

/**
 * Keeps a log readable and small. The line of a request, delivery or question that succeeded is always written. Of any other kind (the same
 * text about the same thing) at most five lines are written at once and then one a second; the rest are counted and reported once a minute.
 * While the database is away, everything that fails for it is one line at the beginning, one a minute, and one at the end (reliability.md
 * 11.1). `nowMs`: a monotonic clock.
 */
export function newLogLimiter(nowMs: () => number = () => performance.now()): LogLimiter {
  const state: LimiterState = { nowMs, kinds: new Map(), outage: null, reportedMs: nowMs() }
  return {
    hook(args, method, level) {
      const [fields, text] = parseLogCall(args)
      if (level < INFO || level >= FATAL || isSuccess(fields, text)) return method.apply(this, args)
      const outage = noteOutage(state, fields, text)
      if (outage === 'first') return method.call(this, { ...fields, met_by: text }, 'the database is away')
      if (outage === null && mayWriteLine(state, nameLine(fields, text))) return method.apply(this, args)
      count('log_lines_left_out_total')
    },
    reportLeftOut(log, last = false) {
      reportOutage(state, log, last)
      if (last || nowMs() - state.reportedMs >= REPORT_EVERY_MS) reportKinds(state, log)
    },
  }
}

/** Whether a line of this kind may be written now. */
function mayWriteLine({ nowMs, kinds }: LimiterState, name: string): boolean {
  const now = nowMs()
  const kindName = nameOrOthers(kinds, name)
  const kind = kinds.get(kindName) ?? { allowed: MAX_LINES_AT_ONCE, atMs: now, leftOut: 0 }
  kinds.set(kindName, kind)
  kind.allowed = Math.min(MAX_LINES_AT_ONCE, kind.allowed + (now - kind.atMs) / MS_PER_LINE)
  kind.atMs = now
  if (kind.allowed < 1) {
    kind.leftOut += 1
    return false
  }
  kind.allowed -= 1
  return true
}

/** Notes whether this line comes from a database that is away: `first` for the line that begins an outage, null for any other line. */
function noteOutage(state: LimiterState, fields: LogFields, text: string): 'first' | 'further' | null {
  const now = state.nowMs()
  const isMet = isDatabaseAway(fields.err)
  if (state.outage === null) {
    if (!isMet) return null
    state.outage = { sinceMs: now, metMs: now, reportedMs: now, leftOut: new Map() }
    return 'first'
  }
  if (!isMet && !isRefusedRequest(fields, text)) return null
  const { leftOut } = state.outage
  const name = nameOrOthers(leftOut, nameLine(fields, text))
  leftOut.set(name, (leftOut.get(name) ?? 0) + 1)
  if (isMet) state.outage.metMs = now
  return 'further'
}

function reportOutage(state: LimiterState, log: Logger, last: boolean): void {
  const { outage } = state
  if (outage === null) return
  const now = state.nowMs()
  const outageSeconds = Math.round((outage.metMs - outage.sinceMs) / 1000)
  const fields = { outage_s: outageSeconds, left_out: topCounts(outage.leftOut) }
  if (now - outage.metMs > OVER_AFTER_MS) {
    state.outage = null
    log.warn(fields, 'the database is back')
  } else if (last || now - outage.reportedMs >= REPORT_EVERY_MS) {
    outage.reportedMs = now
    outage.leftOut.clear()
    log.error(fields, 'the database is still away')
  }
}

function reportKinds(state: LimiterState, log: Logger): void {
  const leftOut = [...state.kinds].flatMap(([name, kind]) => (kind.leftOut > 0 ? [[name, kind.leftOut] as const] : []))
  state.kinds.clear()
  state.reportedMs = state.nowMs()
  if (leftOut.length > 0) log.warn({ left_out: topCounts(new Map(leftOut)) }, 'lines were left out')
}

/** Returns the fields and the text of a call to the log. */
function parseLogCall([first, second]: Parameters<LogFn>): [LogFields, string] {
  if (typeof first === 'string') return [{}, first]
  return [(first ?? {}) as LogFields, typeof second === 'string' ? second : '']
}

/** Whether the line records one request, delivery or question to an operator that succeeded. */
function isSuccess(fields: LogFields, text: string): boolean {
  if (text === 'request') return (fields.status as number) < 400
  if (text === 'asked an operator') return !FAILED_CLASSES.includes(String(fields.class))
  return text === 'delivered'
}

const isRefusedRequest = ({ status }: LogFields, text: string) => text === 'request' && status === 503

/** Whether the error, or one of its causes, is that the database is away. */
function isDatabaseAway(error: unknown): boolean {
  for (let at = error, depth = 0; at instanceof Error && depth < MAX_CAUSES; at = at.cause, depth += 1)
    if (at instanceof CommitUnknown || at instanceof DatabaseAway) return true
  return false
}

function nameLine(fields: LogFields, text: string): string {
  const { err } = fields
  const error = err instanceof Error ? [err.name, (err as NodeJS.ErrnoException).code] : []
  return [text, ...NAMING_FIELDS.map((name) => fields[name]), ...error]
    .filter((part) => part !== undefined && part !== '')
    .join(' ')
    .slice(0, MAX_NAME_CHARACTERS)
}

/** Returns this name, or `others` when there are too many names already: a line may name what a stranger has sent. */
const nameOrOthers = (names: ReadonlyMap<string, unknown>, name: string): string =>
  names.has(name) || names.size < MAX_KINDS ? name : 'others'

/** Returns the counts of the most frequent kinds, and the sum of all others. */
function topCounts(leftOut: ReadonlyMap<string, number>): Record<string, number> {
  const sorted = [...leftOut].sort(([, a], [, b]) => b - a)
  const others = sorted.slice(MAX_KINDS_REPORTED).reduce((sum, [, lines]) => sum + lines, 0)
  return Object.fromEntries([...sorted.slice(0, MAX_KINDS_REPORTED), ...(others === 0 ? [] : [['others', others]])])
}
