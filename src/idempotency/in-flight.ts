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

  return {
    async during(owner, work) {
      const name = ownerName(owner)
      if (names.has(name)) {
        if (await finished(owner)) return work()
        throw keyInFlight()
      }
      names.add(name)
      try {
        return await work()
      } finally {
        names.delete(name)
      }
    },
    count: () => names.size,
  }
}
