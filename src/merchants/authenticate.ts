import type { Logger } from 'pino'
import type { KeyHolder } from '../http/frame.ts'
import { unauthorized } from '../http/guards.ts'
import type { Clock } from '../platform/clock.ts'
import { call, type Database } from '../platform/db/database.ts'
import { statement } from '../platform/db/statement.ts'
import { sharedLook } from '../platform/shared-look.ts'
import { type AddressCounts, sharedAddressWindow } from '../rate-limits/shared-address-window.ts'
import { findKeyHolders } from './find-key-holders.ts'

const REVISION = statement<{ number: number }>('directory revision', 'select number from revision')
const CHANGED = statement('directory changed', 'update revision set number = number + 1')

/** The keys that this process has cached. A revoked one is dropped within a second in every process (reliability.md A3). */
export type KeyRing = {
  /** The holder of this key, without a promise when it is cached. Throws 401, or 429 after too many failures of one address. */
  authenticate(token: string, clientAddress: string): KeyHolder | Promise<KeyHolder>
  /** Throws 429 after too many. */
  countFailure(clientAddress: string): Promise<void>
  /** Checks whether any key has changed, and drops all if so. Called every 400 ms. */
  refresh(): Promise<void>
  /** Drops all keys, after a change made by this process. */
  forget(): void
}

const MOST_REMEMBERED = 50_000
// When the directory could not be asked for this long, cached keys are no longer trusted.
const BELIEVED_MS = 1000

/** Must be part of each transaction that changes keys or merchants: every process sees the number within half a second. */
export const directoryChanged = () => call(CHANGED)

export type KeyRingParts = {
  directory: Database
  clock: Clock
  log: Logger
  failuresAMinute: number
  counts: AddressCounts
  /** Called with each check, for what else follows the number of the directory. */
  followed(changed: boolean): Promise<void>
}

export function keyRing(parts: KeyRingParts): KeyRing {
  const callers = new Map<string, KeyHolder>()
  // Parallel requests with the same uncached key ask once.
  const asking = new Map<string, Promise<KeyHolder | null>>()
  const findHolder = findKeyHolders(parts.directory)
  const failures = failureWindow(parts)
  let [revision, lookedAt] = [-1, performance.now()]
  // Where the check of every 400 ms comes late, one check for all runs, not one for each key.
  const refreshNow = sharedLook(refresh, BELIEVED_MS)
  // Increases whenever all keys are dropped, so that older answers are not cached afterwards.
  let generation = 0

  const countFailure = async (address: string) => void (await failures.take(address, parts.clock.nowMs()))

  function forget(): void {
    callers.clear()
    generation += 1
  }

  async function find(token: string, address: string): Promise<KeyHolder | null> {
    const asked = generation
    const caller = await findHolder(token, address)
    if (caller === null) return null
    if (callers.size > MOST_REMEMBERED) callers.clear()
    if (asked === generation) callers.set(token, caller)
    return caller
  }

  async function lookUp(token: string, address: string): Promise<KeyHolder> {
    const name = `${generation} ${token}`
    const found = asking.get(name) ?? find(token, address).finally(() => asking.delete(name))
    asking.set(name, found)
    const caller = await found
    if (caller !== null) return caller
    await countFailure(address)
    throw unauthorized('invalid api key', token)
  }

  async function refresh(): Promise<void> {
    const askedAt = performance.now()
    const [row] = await parts.directory.query(REVISION)
    const changed = row !== undefined && row.number !== revision
    if (changed) forget()
    await parts.followed(changed)
    // Only now: after a failure it is still another number.
    if (changed) revision = row.number
    lookedAt = askedAt
  }

  return {
    authenticate: (token, address) => {
      if (performance.now() - lookedAt < BELIEVED_MS) return callers.get(token) ?? lookUp(token, address)
      return refreshNow().then(() => callers.get(token) ?? lookUp(token, address))
    },
    countFailure,
    refresh,
    forget,
  }
}

const failureWindow = ({ failuresAMinute: limit, counts, log }: KeyRingParts) =>
  sharedAddressWindow({ what: 'failed authentications', limit, counts: () => counts, log })
