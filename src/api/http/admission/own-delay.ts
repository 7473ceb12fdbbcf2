const BEAT_MS = 500
const LATE_MS = 2_000
// What has not been read within its time may have come while this process stood still: as long as the longest of these times.
const REMEMBERED_MS = 30_000

/** Knows whether this process has stood still: stopped, without a processor, or at something long. */
export type OwnDelay = { wasLate(): boolean; stop(): void }

/** Watches the loop of this process. `wasLate`: whether it stood still for two seconds within the last half minute, or has only now gone on. */
export function watchOwnDelay(): OwnDelay {
  let beatAt = performance.now()
  let lateAt = Number.NEGATIVE_INFINITY
  const look = () => {
    const now = performance.now()
    if (now - beatAt > BEAT_MS + LATE_MS) lateAt = now
    beatAt = now
  }
  const timer = setInterval(look, BEAT_MS).unref()
  return {
    wasLate() {
      look()
      return performance.now() - lateAt < REMEMBERED_MS
    },
    stop: () => clearInterval(timer),
  }
}
