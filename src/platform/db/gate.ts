import { count } from '../measures.ts'
import { DatabaseAway } from './errors.ts'

/**
 * Who wants a connection (reliability.md 6.1): `outcome`: money that is under way, `in`: money that comes in, `out`: money
 * that goes out, and all the rest. `of`: the merchant, if the work is for one alone. `begun`: this continues work that has
 * begun, so it is not refused.
 */
export type Share = { kind: Kind; of?: number; begun?: boolean }
export type Kind = 'outcome' | 'in' | 'out'

/** Hands out places. Some are kept free for each kind, and one merchant gets at most a quarter. */
export type Gate = {
  name: string
  /** Resolves with the function that gives the place back. Throws DatabaseAway when the wait would be too long. */
  enter(share: Share): Promise<() => void>
  /** How many are inside, by kind. */
  inWork(): Readonly<Record<Kind, number>>
  /** For how long nobody has been inside, in ms; 0 while somebody is. */
  quietMs(): number
  /** How many wait. */
  waiting(): number
  /** How long this work would probably wait now, in ms. */
  expectedMs(share: Share): number
}

export type GateOptions = {
  /** What it leads to, for the metrics. */
  name?: string
  size: number
  /** How many of them stay free for each kind while others ask for more. */
  keptFree: Readonly<Record<Kind, number>>
  /** How long anybody waits at most. `patient`: nobody is refused by estimate. */
  patience: 'service' | 'patient'
}

type Waiter = Share & {
  since: number
  resolve: (leave: () => void) => void
  reject: (error: unknown) => void
}

const KINDS: readonly Kind[] = ['outcome', 'in', 'out']
// Work that would wait longer than this is refused at once; waiting work is refused when no place has come free for as
// long.
const LONGEST_EXPECTED_MS = 1000
// Estimates may be wrong, so this is the longest wait. Work that has begun and answers of a rail wait longer, because
// nobody else could finish or record them.
const LONGEST_WAIT_MS = 3000
const PATIENT_MS = 30_000
const LOOK_EVERY_MS = 50
// When the check comes this late the process itself was stopped, and places may have come free without its noticing.
const STOOD_STILL_MS = 200
const FIRST_GUESS_MS = 5
const NEWEST_COUNTS = 0.1

type House = GateOptions & {
  used: Record<Kind, number>
  /** How many places each merchant has. */
  held: Map<number, number>
  queues: Record<Kind, Waiter[]>
  ofOneMerchant: number
  /**
   * Recent average time for which a place is held: by work for one merchant, which may wait for locks, and by work for
   * several, which does not.
   */
  usualMs: Record<Kind, { alone: number; several: number }>
  lastLeftAt: number
  lookedAt: number
  looking: NodeJS.Timeout | null
}

export function gate(options: GateOptions): Gate {
  const usual = () => ({ alone: FIRST_GUESS_MS, several: FIRST_GUESS_MS })
  const house: House = {
    ...options,
    used: { outcome: 0, in: 0, out: 0 },
    held: new Map(),
    queues: { outcome: [], in: [], out: [] },
    ofOneMerchant: Math.max(1, Math.floor(options.size / 4)),
    usualMs: { outcome: usual(), in: usual(), out: usual() },
    lastLeftAt: performance.now(),
    lookedAt: 0,
    looking: null,
  }
  const { queues } = house
  return {
    name: options.name ?? '',
    enter(share) {
      if (hasRoom(house, share.kind) && !isCapped(house, share)) return Promise.resolve(admit(house, share))
      if (!isPatient(house, share) && expectedMs(house, share) > LONGEST_EXPECTED_MS)
        return Promise.reject(noPlace(share.kind))
      return new Promise((resolve, reject) => {
        queues[share.kind].push({ ...share, since: performance.now(), resolve, reject })
        if (house.looking !== null) return
        house.lookedAt = performance.now()
        house.looking = setInterval(look, LOOK_EVERY_MS, house)
      })
    },
    inWork: () => ({ ...house.used }),
    quietMs: () => (allUsed(house) > 0 ? 0 : performance.now() - house.lastLeftAt),
    waiting: () => KINDS.reduce((sum, kind) => sum + queues[kind].length, 0),
    expectedMs: (share) =>
      hasRoom(house, share.kind) && !isCapped(house, share) ? 0 : expectedMs(house, share),
  }
}

const allUsed = ({ used }: House) => used.outcome + used.in + used.out

function hasRoom(house: House, kind: Kind): boolean {
  const { keptFree, used, size } = house
  const keptForOthers = KINDS.reduce(
    (sum, other) => sum + (other === kind ? 0 : Math.max(0, keptFree[other] - used[other])),
    0,
  )
  return size - allUsed(house) > keptForOthers
}

const isCapped = ({ held, ofOneMerchant }: House, { of }: Share) =>
  of !== undefined && (held.get(of) ?? 0) >= ofOneMerchant

/** Takes a place and returns the function that gives it back. */
function admit(house: House, { kind, of }: Share): () => void {
  const at = performance.now()
  // While nobody was inside nobody could leave.
  if (allUsed(house) === 0) house.lastLeftAt = at
  house.used[kind] += 1
  if (of !== undefined) house.held.set(of, (house.held.get(of) ?? 0) + 1)
  let inside = true
  return () => {
    if (!inside) return
    inside = false
    house.lastLeftAt = performance.now()
    const usual = house.usualMs[kind]
    const sort = of === undefined ? 'several' : 'alone'
    usual[sort] += (house.lastLeftAt - at - usual[sort]) * NEWEST_COUNTS
    house.used[kind] -= 1
    if (of !== undefined) countOut(house, of)
    serve(house)
  }
}

function countOut({ held }: House, of: number): void {
  const left = (held.get(of) ?? 1) - 1
  if (left === 0) held.delete(of)
  else held.set(of, left)
}

/** Gives free places to the first waiters of each kind whose merchant is below its limit. */
function serve(house: House): void {
  for (const kind of KINDS)
    while (house.queues[kind].length > 0 && hasRoom(house, kind)) {
      const next = house.queues[kind].findIndex((waiter) => !isCapped(house, waiter))
      if (next === -1) break
      const [waiter] = house.queues[kind].splice(next, 1)
      waiter?.resolve(admit(house, waiter))
    }
}

const isPatient = ({ patience }: House, { kind, begun }: Share) =>
  patience === 'patient' || kind === 'outcome' || begun === true

/** Counts the waiters ahead. Those held back by the limit of their merchant count only for that merchant. */
function expectedMs(house: House, { kind, of }: Share): number {
  const { queues, held, ofOneMerchant, used } = house
  const before = new Map<number | undefined, number>()
  for (const waiter of queues[kind]) before.set(waiter.of, (before.get(waiter.of) ?? 0) + 1)
  const { alone, several } = house.usualMs[kind]
  let ahead = (before.get(undefined) ?? 0) * several
  for (const [merchant, count] of before)
    if (merchant !== undefined) ahead += Math.min(count, ofOneMerchant - (held.get(merchant) ?? 0)) * alone
  const own = of === undefined ? 0 : ((before.get(of) ?? 0) * alone) / ofOneMerchant
  const stoodMs = allUsed(house) === house.size ? performance.now() - house.lastLeftAt : 0
  // As many go on at once as hold a place now.
  return Math.max(ahead / Math.max(1, used[kind]), own, stoodMs)
}

function isTooLate(house: House, waiter: Waiter, now: number): boolean {
  const waitedMs = now - waiter.since
  if (isPatient(house, waiter)) return waitedMs > PATIENT_MS
  return waitedMs > LONGEST_WAIT_MS || now - Math.max(house.lastLeftAt, waiter.since) > LONGEST_EXPECTED_MS
}

/** Refuses those who have waited too long. */
function look(house: House): void {
  const { queues } = house
  const now = performance.now()
  const stoodStill = now - house.lookedAt > STOOD_STILL_MS
  house.lookedAt = now
  for (const kind of stoodStill ? [] : KINDS) {
    const late = new Set(queues[kind].filter((waiter) => isTooLate(house, waiter, now)))
    if (late.size === 0) continue
    queues[kind] = queues[kind].filter((waiter) => !late.has(waiter))
    for (const { reject } of late) reject(noPlace(kind))
  }
  if (house.looking !== null && KINDS.every((kind) => queues[kind].length === 0)) {
    clearInterval(house.looking)
    house.looking = null
  }
}

function noPlace(kind: Kind) {
  count('admission_refused_total', kind, 'no connection')
  return new DatabaseAway(new Error('no connection came free in time'))
}
