import { type KeyOwner, keyInFlight, ownerName } from './keys.ts'

/** The keys that this process is working on: a second request with one of them is answered 409 at once (ledger.md 8). */
export type KeysInFlight = { during<T>(owner: KeyOwner, work: () => Promise<T>): Promise<T>; count(): number }

export function keysInFlight(): KeysInFlight {
  const names = new Set<string>()
  return {
    async during(owner, work) {
      const name = ownerName(owner)
      if (names.has(name)) throw keyInFlight()
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
