import type { Database } from '../../platform/db/database.ts'
import { findStoredAnswer, formatKeyOwner, type KeyOwner, keyInFlight } from './keys.ts'

/**
 * The keys that this process is working on. A second request with one of them gets 409 at once, without waiting for the first
 * (ledger.md 8). Once the key is finished, every request with it gets the replay.
 */
export type KeysInFlight = { during<T>(owner: KeyOwner, work: () => Promise<T>): Promise<T>; count(): number }

export function newKeysInFlight(db: Database): KeysInFlight {
  const names = new Set<string>()
  const reads = new Map<string, Promise<boolean>>()

  /** Whether the key has its answer. One read at a time for each key, however many requests wait for it. */
  function readFinished(owner: KeyOwner): Promise<boolean> {
    const name = formatKeyOwner(owner)
    const underWay = reads.get(name)
    if (underWay) return underWay
    const read = findStoredAnswer(db, owner)
      .then((answer) => answer !== null)
      .finally(() => reads.delete(name))
    reads.set(name, read)
    return read
  }

  async function isFinished(owner: KeyOwner): Promise<boolean> {
    // A read that others began may have run before the first request ended, so its "no" is followed by a read of our own.
    const earlier = reads.get(formatKeyOwner(owner))
    return (earlier !== undefined && (await earlier)) || readFinished(owner)
  }

  async function replay<T>(owner: KeyOwner, work: () => Promise<T>): Promise<T> {
    if (await isFinished(owner)) return work()
    throw keyInFlight()
  }

  return {
    // Without `async`: its frame would stay in memory for as long as a payment waits.
    during(owner, work) {
      const name = formatKeyOwner(owner)
      if (names.has(name)) return replay(owner, work)
      names.add(name)
      return started(work).then(
        (value) => {
          names.delete(name)
          return value
        },
        (error) => {
          names.delete(name)
          throw error
        },
      )
    },
    count: () => names.size,
  }
}

/** Starts the work; a throw before its first wait becomes a rejection. */
function started<T>(work: () => Promise<T>): Promise<T> {
  try {
    return work()
  } catch (error) {
    return Promise.reject(error)
  }
}
