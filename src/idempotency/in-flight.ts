import type { Database } from '../platform/db/database.ts'
import { type KeyOwner, keyInFlight, ownerName, storedAnswer } from './keys.ts'

/**
 * The keys that this process is working on: a second request with one of them is answered 409 at once, without waiting for
 * the first (ledger.md 8). When the key is finished, all callers get the replay.
 */
export type KeysInFlight = { during<T>(owner: KeyOwner, work: () => Promise<T>): Promise<T>; count(): number }

export function keysInFlight(db: Database): KeysInFlight {
  const names = new Set<string>()
  const looks = new Map<string, Promise<boolean>>()

  /** One read at a time for each key, however many ask. */
  function look(owner: KeyOwner): Promise<boolean> {
    const name = ownerName(owner)
    const begun = looks.get(name)
    if (begun) return begun
    const looking = storedAnswer(db, owner)
      .then((answer) => answer !== null)
      .finally(() => looks.delete(name))
    looks.set(name, looking)
    return looking
  }

  async function finished(owner: KeyOwner): Promise<boolean> {
    // A read begun by others may be older than the end of the first request, so only the next "no" counts.
    const earlier = looks.get(ownerName(owner))
    return (earlier !== undefined && (await earlier)) || look(owner)
  }

  async function replayed<T>(owner: KeyOwner, work: () => Promise<T>): Promise<T> {
    if (await finished(owner)) return work()
    throw keyInFlight()
  }

  return {
    // Without `async`: its frame would stay in memory for as long as a payment waits.
    during(owner, work) {
      const name = ownerName(owner)
      if (names.has(name)) return replayed(owner, work)
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

/** Work that throws before its first wait is work that fails. */
function started<T>(work: () => Promise<T>): Promise<T> {
  try {
    return work()
  } catch (error) {
    return Promise.reject(error)
  }
}
