import type { BreakerPosition } from '../rail-observer.ts'
import type { BreakerSettings } from './installation.ts'

/** The result of a call to the operator, for the breaker. */
export type BreakerCall = 'fault' | 'answer'

/** Stops submits to an operator that does not answer (rails.md 4.9). Times in ms of the clock given. */
export type Breaker = {
  readonly state: BreakerPosition
  /** Whether a submit may go out; `retryAfterSeconds` says when to come back. Never two admissions for one payment. */
  admits(): { kind: 'yes' } | { kind: 'no'; retryAfterSeconds: number }
  /** Counts the result of a submit or token call. */
  record(call: BreakerCall): void
  /** Returns true once, to the caller that must send the one probe. */
  takeProbe(): boolean
  /** Takes the result of the probe, or of any readable status answer while probing. */
  probed(call: BreakerCall): void
}

const SECOND_MS = 1000
const MAX_OPEN_MS = 30 * SECOND_MS
// After an outage submits come back over this time, from a tenth to all of them.
const RAMP_MS = 10 * SECOND_MS
const RAMP_START_SHARE = 0.1
// After this long without a result the probe is sent again.
const PROBE_LEASE_MS = 30 * SECOND_MS

type BreakerParts = { nowMs: () => number; chance: () => number; onChange: (state: BreakerPosition) => void }

export const openBreaker = (settings: BreakerSettings, parts: BreakerParts): Breaker => new OwnBreaker(settings, parts)

class OwnBreaker implements Breaker {
  readonly #settings: BreakerSettings
  readonly #parts: BreakerParts
  readonly #window: FaultWindow
  #state: BreakerPosition = 'closed'
  #inRow = 0
  #openMs: number
  #openUntil = 0
  #probeUntil = 0
  #rampFrom: number | null = null

  constructor(settings: BreakerSettings, parts: BreakerParts) {
    this.#settings = settings
    this.#parts = parts
    this.#window = openFaultWindow(settings.windowSeconds)
    this.#openMs = settings.openSeconds * SECOND_MS
  }

  get state(): BreakerPosition {
    if (this.#state === 'open' && this.#parts.nowMs() >= this.#openUntil) this.#change('probing')
    return this.#state
  }

  admits(): ReturnType<Breaker['admits']> {
    if (this.state === 'closed') return this.#ramped() ? { kind: 'yes' } : { kind: 'no', retryAfterSeconds: 1 }
    const left = Math.ceil((this.#openUntil - this.#parts.nowMs()) / SECOND_MS)
    return { kind: 'no', retryAfterSeconds: Math.max(1, left) }
  }

  record(call: BreakerCall): void {
    // A submit that left before the breaker opened says nothing about the present, except that the operator answers.
    if (this.state !== 'closed') {
      if (call === 'answer' && this.#state === 'probing') this.#close()
      return
    }
    this.#inRow = call === 'fault' ? this.#inRow + 1 : 0
    const { calls, faults } = this.#window.add(Math.floor(this.#parts.nowMs() / SECOND_MS), call)
    const { faultsInRow, minCalls, share } = this.#settings
    if (this.#inRow >= faultsInRow || (calls >= minCalls && faults >= share * calls)) this.#open()
  }

  takeProbe(): boolean {
    if (this.state !== 'probing' || this.#parts.nowMs() < this.#probeUntil) return false
    this.#probeUntil = this.#parts.nowMs() + PROBE_LEASE_MS
    return true
  }

  probed(call: BreakerCall): void {
    if (this.state !== 'probing') return
    if (call === 'answer') this.#close()
    else this.#open()
  }

  #open(): void {
    this.#openUntil = this.#parts.nowMs() + this.#openMs
    this.#openMs = Math.min(2 * this.#openMs, MAX_OPEN_MS)
    this.#window.clear()
    this.#inRow = 0
    this.#probeUntil = 0
    this.#rampFrom = null
    this.#change('open')
  }

  #close(): void {
    this.#openMs = this.#settings.openSeconds * SECOND_MS
    this.#rampFrom = this.#parts.nowMs()
    this.#change('closed')
  }

  #change(to: BreakerPosition): void {
    if (this.#state === to) return
    this.#state = to
    this.#parts.onChange(to)
  }

  #ramped(): boolean {
    if (this.#rampFrom === null) return true
    const share = RAMP_START_SHARE + ((1 - RAMP_START_SHARE) * (this.#parts.nowMs() - this.#rampFrom)) / RAMP_MS
    if (share >= 1) this.#rampFrom = null
    return share >= 1 || this.#parts.chance() < share
  }
}

type CallCounts = { calls: number; faults: number }
type FaultWindow = { add(second: number, call: BreakerCall): CallCounts; clear(): void }

/** Counts the calls and faults of the last seconds, in one entry for each second. */
function openFaultWindow(seconds: number): FaultWindow {
  const bySecond = new Map<number, CallCounts>()
  return {
    add(second, call) {
      const counts = bySecond.get(second) ?? { calls: 0, faults: 0 }
      counts.calls += 1
      if (call === 'fault') counts.faults += 1
      bySecond.set(second, counts)
      const sum = { calls: 0, faults: 0 }
      for (const [at, entry] of bySecond) {
        if (at <= second - seconds) bySecond.delete(at)
        else {
          sum.calls += entry.calls
          sum.faults += entry.faults
        }
      }
      return sum
    },
    clear: () => bySecond.clear(),
  }
}
