import type { BusySockets, DueDevice } from './claim-devices.ts'

export type PushSockets = {
  busy(): BusySockets
  /** Takes a socket for this device; false where none is free. */
  take(device: DueDevice): boolean
  /** Gives it back, and returns whether there was none left beside it. */
  free(device: DueDevice): boolean
}

const MAX_SOCKETS = 64
const MAX_SOCKETS_OF_ORIGIN = 16
// Somebody can name a hundred push services that never answer, but they are all of one merchant.
const MAX_SOCKETS_OF_MERCHANT = 8
// Of devices whose last message was not taken.
const MAX_SLOW_SOCKETS = 16

/** Counts the attempts under way: so many in all, to one push service, of one merchant, and of devices that were missed before. */
export function newPushSockets(): PushSockets {
  const origins = new Map<string, number>()
  const merchants = new Map<number, number>()
  let all = 0
  let slow = 0
  const isFull = ({ origin, merchantId, misses }: DueDevice) =>
    all >= MAX_SOCKETS ||
    (misses > 0 && slow >= MAX_SLOW_SOCKETS) ||
    (origins.get(origin) ?? 0) >= MAX_SOCKETS_OF_ORIGIN ||
    (merchants.get(merchantId) ?? 0) >= MAX_SOCKETS_OF_MERCHANT
  const add = ({ origin, merchantId, misses }: DueDevice, by: 1 | -1) => {
    all += by
    slow += misses > 0 ? by : 0
    change(origins, origin, by)
    change(merchants, merchantId, by)
  }
  return {
    busy: () => ({
      origins: keysFrom(origins, MAX_SOCKETS_OF_ORIGIN),
      merchants: keysFrom(merchants, MAX_SOCKETS_OF_MERCHANT),
      slow: slow >= MAX_SLOW_SOCKETS,
    }),
    take(device) {
      if (isFull(device)) return false
      add(device, 1)
      return true
    },
    free(device) {
      const wasFull = isFull(device)
      add(device, -1)
      return wasFull
    },
  }
}

function change<Key>(counts: Map<Key, number>, key: Key, by: number): void {
  const next = (counts.get(key) ?? 0) + by
  if (next > 0) counts.set(key, next)
  else counts.delete(key)
}

const keysFrom = <Key>(counts: ReadonlyMap<Key, number>, least: number): Key[] =>
  [...counts].flatMap(([key, count]) => (count >= least ? [key] : []))
