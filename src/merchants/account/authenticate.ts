import type { Logger } from 'pino'
import type { KeyHolder } from '../../api/http/frame.ts'
import { unauthorized } from '../../api/http/guards.ts'
import { type AddressCounts, newSharedAddressWindow } from '../../api/rate-limits/shared-address-window.ts'
import { shareRead } from '../../platform/batches/shared-read.ts'
import { call, type Database } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { findKeyHolders } from './find-key-holders.ts'

const REVISION = statement<{ number: number }>('directory revision', 'select number from revision')
const BUMP_REVISION = statement('directory changed', 'update revision set number = number + 1')

/** The keys that this process has cached. A revoked one is dropped within a second in every process (reliability.md A3). */
export type KeyRing = {
  /** Returns the holder of this key, without a promise when it is cached. Throws 401, or 429 after too many failures of one address. */
  authenticate(token: string, clientAddress: string): KeyHolder | Promise<KeyHolder>
  /** Counts a failed authentication of this address. Throws 429 after too many. */
  countFailure(clientAddress: string): Promise<void>
  /** Checks whether any key has changed, and drops all if so. Called every 400 ms while keys are used. */
  refresh(): Promise<void>
  /** Whether a key was used within the last seconds. */
  isUsed(): boolean
  /** Sets the work that the first request after a pause waits for. If that work fails, the request is served all the same. */
  afterPause(catchUp: () => Promise<unknown>): void
  /** Drops all keys, after a change made by this process. */
  forget(): void
}

const MAX_CACHED_KEYS = 50_000
// Cached keys are trusted this long after the last check of the directory.
const TRUSTED_MS = 1000
// After a pause this long, the next request waits for the work set by `afterPause`.
const IN_USE_MS = 5000

/** Must be part of each transaction that changes keys or merchants: every process sees the number within half a second. */
export const directoryChanged = () => call(BUMP_REVISION)

type KeyRingOptions = {
  directory: Database
  clock: Clock
  log: Logger
  failuresAMinute: number
  counts: AddressCounts
  /** Called after each check of the directory's revision, for other caches that follow it. */
  followed(changed: boolean): void
}

export function keyRing(parts: KeyRingOptions): KeyRing {
  const callers = new Map<string, KeyHolder>()
  // Parallel requests with the same uncached key share one look-up.
  const asking = new Map<string, Promise<KeyHolder | null>>()
  const findHolder = findKeyHolders(parts.directory)
  const countFailure = failureCounter(parts)
  const { begin, ...usedKeys } = trackUsage()
  // Under heavy load the check of every 400 ms comes late; then one check for all runs, not one for each key.
  const refreshNow = shareRead(refresh, TRUSTED_MS)
  // The generation increases whenever all keys are dropped, so that older answers are not cached afterwards.
  let [revision, checkedAt, generation] = [-1, performance.now(), 0]

  function forget(): void {
    callers.clear()
    generation += 1
  }

  async function find(token: string, address: string): Promise<KeyHolder | null> {
    const before = generation
    const caller = await findHolder(token, address)
    if (caller === null || hasExpired(caller, parts)) return null
    if (callers.size > MAX_CACHED_KEYS) callers.clear()
    if (before === generation) callers.set(token, caller)
    return caller
  }

  async function lookUp(token: string, address: string): Promise<KeyHolder> {
    const name = `${generation} ${token}`
    const pending = asking.get(name) ?? find(token, address).finally(() => asking.delete(name))
    asking.set(name, pending)
    const caller = await pending
    if (caller !== null) return caller
    await countFailure(address)
    throw unauthorized('invalid api key', token)
  }

  async function refresh(): Promise<void> {
    const startedAt = performance.now()
    const [row] = await parts.directory.query(REVISION)
    const before = revision
    revision = row?.number ?? revision
    if (revision !== before) forget()
    parts.followed(revision !== before)
    checkedAt = startedAt
  }

  return {
    authenticate: (token, address) => {
      const now = performance.now()
      const caughtUp = begin(now)
      if (now - checkedAt < TRUSTED_MS) return findHeld(callers, token, parts) ?? lookUp(token, address)
      return Promise.all([refreshNow(), caughtUp]).then(() => findHeld(callers, token, parts) ?? lookUp(token, address))
    },
    countFailure,
    refresh,
    ...usedKeys,
    forget,
  }
}

/** Whether the time is over of a merchant that was made for tests: from then on its keys are refused like revoked ones. */
const hasExpired = ({ expiresAtMs }: KeyHolder, { clock }: Pick<KeyRingOptions, 'clock'>): boolean =>
  expiresAtMs !== null && clock.nowMs() >= expiresAtMs

function findHeld(callers: ReadonlyMap<string, KeyHolder>, token: string, parts: KeyRingOptions) {
  const cached = callers.get(token)
  return cached === undefined || hasExpired(cached, parts) ? undefined : cached
}

/** Tracks when keys were used last, and the work that the first use after a pause waits for. */
function trackUsage() {
  let usedAt = Number.NEGATIVE_INFINITY
  let catchUp: () => Promise<unknown> = async () => {}
  const isUsed = (now = performance.now()) => now - usedAt < IN_USE_MS
  return {
    isUsed: () => isUsed(),
    afterPause: (work: () => Promise<unknown>): void => {
      catchUp = work
    },
    begin: (now: number): Promise<unknown> | null => {
      const caughtUp = isUsed(now) ? null : catchUp().catch(() => {})
      usedAt = now
      return caughtUp
    },
  }
}

function failureCounter({ failuresAMinute: limit, counts, clock, log }: KeyRingOptions) {
  const window = newSharedAddressWindow({ what: 'failed authentications', limit, counts: () => counts, log })
  return async (address: string): Promise<void> => void (await window.take(address, clock.nowMs()))
}
