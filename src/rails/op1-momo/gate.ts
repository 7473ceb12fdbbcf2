/** Slots in front of a connection pool, so that no request ever waits inside the library (rails.md 3.9). */
export type ConnectionGate = {
  /** Returns true with a slot, which `leave` gives back; false when none came free within `waitMs`. First come, first served. */
  enter(waitMs: number): Promise<boolean>
  leave(): void
  readonly inUse: number
}

/** Opens a gate. `perSecond`: how many may enter in a second of `nowMs`; null for no such limit. */
export function openGate(
  slots: number,
  { perSecond, nowMs }: { perSecond: number | null; nowMs: () => number },
): ConnectionGate {
  let inUse = 0
  const waiting = new Set<() => void>()
  const bucket = perSecond === null ? null : openBucket(perSecond, nowMs)

  const mayEnter = () => inUse < slots && (bucket === null || bucket.take())

  return {
    get inUse() {
      return inUse
    },
    async enter(waitMs) {
      if (waiting.size === 0 && mayEnter()) {
        inUse += 1
        return true
      }
      return new Promise<boolean>((resolve) => {
        const admit = () => {
          done()
          inUse += 1
          resolve(true)
        }
        const retry = bucket === null ? null : setInterval(() => admitFirst(), RATE_RETRY_MS)
        const timer = setTimeout(() => {
          done()
          resolve(false)
        }, waitMs)
        const done = () => {
          clearTimeout(timer)
          if (retry !== null) clearInterval(retry)
          waiting.delete(admit)
        }
        waiting.add(admit)
      })
    },
    leave() {
      inUse -= 1
      admitFirst()
    },
  }

  function admitFirst(): void {
    const [first] = waiting
    if (first !== undefined && mayEnter()) first()
  }
}

const RATE_RETRY_MS = 50

/** Opens a bucket that fills evenly and holds as many tokens as a second allows. */
export function openBucket(perSecond: number, nowMs: () => number): { take(): boolean } {
  let tokens = perSecond
  let filledAt = nowMs()
  return {
    take() {
      const now = nowMs()
      tokens = Math.min(perSecond, tokens + (Math.max(0, now - filledAt) * perSecond) / 1000)
      filledAt = now
      if (tokens < 1) return false
      tokens -= 1
      return true
    },
  }
}
