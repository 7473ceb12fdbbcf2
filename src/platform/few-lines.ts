import type { LogFn, Logger } from 'pino'
import { CommitUnknown, DatabaseAway } from './db/errors.ts'
import { count } from './measures.ts'

/** Keeps a log readable and small whatever happens. */
export type FewLines = {
  /** Sees every line before it is written; the hook `logMethod` of pino. */
  hook(this: Logger, args: Parameters<LogFn>, method: LogFn, level: number): void
  /** Writes what was counted instead of written. To be called every few seconds, and with `last` before the process ends. */
  tell(log: Logger, last?: boolean): void
}

type Fields = Readonly<Record<string, unknown>>
/** How many lines of a kind may be written now, as of `atMs`, and how many were not. */
type Kind = { places: number; atMs: number; left: number }
/** `left`: the lines that were counted instead of written, by kind. */
type Outage = { sinceMs: number; metMs: number; toldMs: number; left: Map<string, number> }
type State = { nowMs: () => number; kinds: Map<string, Kind>; outage: Outage | null; toldMs: number }

const INFO = 30
const FATAL = 60
const AT_ONCE = 5
// One more a second.
const PLACE_MS = 1000
const TOLD_EVERY_MS = 60_000
// Sweeps look at the database each second, and a server that is silent is noticed within a statement's time-out.
const OVER_AFTER_MS = 20_000
const MOST_KINDS = 500
const MOST_TOLD = 20
const DEEPEST = 4
const LONGEST_NAME = 200
// What tells lines of one text apart.
const NAMING = [
  ...['sweep', 'alert', 'route', 'status', 'code', 'merchant', 'installation'],
  ...['error_class', 'class', 'place', 'way'],
]
const WENT_WRONG = ['ambiguous', 'unavailable']

/**
 * A line that stands for one thing that somebody asked for and that went well is always written. Of any other kind (the same text about
 * the same thing) at most five are written at once and one a second; the rest is counted and told once a minute. While the database is
 * away, whatever meets that is one line when it begins, one a minute, and one when it is over (reliability.md 11.1).
 * `nowMs`: a clock that never jumps.
 */
export function fewLines(nowMs: () => number = () => performance.now()): FewLines {
  const state: State = { nowMs, kinds: new Map(), outage: null, toldMs: nowMs() }
  return {
    hook(args, method, level) {
      const [fields, text] = given(args)
      if (level < INFO || level >= FATAL || isRecord(fields, text)) return method.apply(this, args)
      const met = meetOutage(state, fields, text)
      if (met === 'first') return method.call(this, { ...fields, met_by: text }, 'the database is away')
      if (met === null && takePlace(state, nameOf(fields, text))) return method.apply(this, args)
      count('log_lines_left_out_total')
    },
    tell(log, last = false) {
      tellOutage(state, log, last)
      if (last || nowMs() - state.toldMs >= TOLD_EVERY_MS) tellKinds(state, log)
    },
  }
}

/** Whether a line of this kind may be written now. */
function takePlace({ nowMs, kinds }: State, name: string): boolean {
  const now = nowMs()
  const known = among(kinds, name)
  const kind = kinds.get(known) ?? { places: AT_ONCE, atMs: now, left: 0 }
  kinds.set(known, kind)
  kind.places = Math.min(AT_ONCE, kind.places + (now - kind.atMs) / PLACE_MS)
  kind.atMs = now
  if (kind.places < 1) {
    kind.left += 1
    return false
  }
  kind.places -= 1
  return true
}

/** Whether this line tells that the database is away, and whether it is the first that does. */
function meetOutage(state: State, fields: Fields, text: string): 'first' | 'again' | null {
  const now = state.nowMs()
  const isMet = isAway(fields.err)
  if (state.outage === null) {
    if (!isMet) return null
    state.outage = { sinceMs: now, metMs: now, toldMs: now, left: new Map() }
    return 'first'
  }
  if (!isMet && !isRefusedRequest(fields, text)) return null
  const { left } = state.outage
  const name = among(left, nameOf(fields, text))
  left.set(name, (left.get(name) ?? 0) + 1)
  if (isMet) state.outage.metMs = now
  return 'again'
}

function tellOutage(state: State, log: Logger, last: boolean): void {
  const { outage } = state
  if (outage === null) return
  const now = state.nowMs()
  const told = { outage_s: Math.round((outage.metMs - outage.sinceMs) / 1000), left_out: mostOf(outage.left) }
  if (now - outage.metMs > OVER_AFTER_MS) {
    state.outage = null
    log.warn(told, 'the database is back')
  } else if (last || now - outage.toldMs >= TOLD_EVERY_MS) {
    outage.toldMs = now
    outage.left.clear()
    log.error(told, 'the database is still away')
  }
}

function tellKinds(state: State, log: Logger): void {
  const left = [...state.kinds].flatMap(([name, kind]) => (kind.left > 0 ? [[name, kind.left] as const] : []))
  state.kinds.clear()
  state.toldMs = state.nowMs()
  if (left.length > 0) log.warn({ left_out: mostOf(new Map(left)) }, 'lines were left out')
}

/** The fields and the text of a call to the log. */
function given([first, second]: Parameters<LogFn>): [Fields, string] {
  if (typeof first === 'string') return [{}, first]
  return [(first ?? {}) as Fields, typeof second === 'string' ? second : '']
}

/** One request, attempt or question that went well. */
function isRecord(fields: Fields, text: string): boolean {
  if (text === 'request') return (fields.status as number) < 400
  if (text === 'asked an operator') return !WENT_WRONG.includes(String(fields.class))
  return text === 'delivered'
}

const isRefusedRequest = ({ status }: Fields, text: string) => text === 'request' && status === 503

/** Whether a database that is away is behind this error. */
function isAway(error: unknown): boolean {
  for (let at = error, depth = 0; at instanceof Error && depth < DEEPEST; at = at.cause, depth += 1)
    if (at instanceof CommitUnknown || at instanceof DatabaseAway) return true
  return false
}

function nameOf(fields: Fields, text: string): string {
  const { err } = fields
  const error = err instanceof Error ? [err.name, (err as NodeJS.ErrnoException).code] : []
  return [text, ...NAMING.map((name) => fields[name]), ...error]
    .filter((part) => part !== undefined && part !== '')
    .join(' ')
    .slice(0, LONGEST_NAME)
}

/** This name, or one for all the others when there are many: a line may name what a stranger has sent. */
const among = (names: ReadonlyMap<string, unknown>, name: string): string =>
  names.has(name) || names.size < MOST_KINDS ? name : 'others'

/** The most frequent, and the others together. */
function mostOf(left: ReadonlyMap<string, number>): Record<string, number> {
  const sorted = [...left].sort(([, one], [, other]) => other - one)
  const others = sorted.slice(MOST_TOLD).reduce((sum, [, lines]) => sum + lines, 0)
  return Object.fromEntries([...sorted.slice(0, MOST_TOLD), ...(others === 0 ? [] : [['others', others]])])
}
