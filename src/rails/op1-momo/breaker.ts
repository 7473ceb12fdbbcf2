import type { BreakerSettings } from './installation.ts'

/** The result of a call to the operator, for the breaker. */
export type Call = 'fault' | 'answer'
type BreakerState = 'closed' | 'open' | 'probing'

/** Stops submits to an operator that does not answer (rails.md 4.9). Times in ms of the clock given. */
export type Breaker = {
  readonly state: BreakerState
  /** Whether a submit may go out; `retryAfterSeconds` says when to come back. Never two admissions for one payment. */
  admits(): { kind: 'yes' } | { kind: 'no'; retryAfterSeconds: number }
  /** Counts the result of a submit or token call. */
  record(call: Call): void
  /** Returns true once, to the caller that must send the one probe. */
  takeProbe(): boolean
  /** Takes the result of the probe, or of any readable status answer while probing. */
  probed(call: Call): void
}

const SECOND = 1000
const LONGEST_OPEN_MS = 30 * SECOND
// After an outage submits come back over this time, from a tenth to all of them.
const RAMP_MS = 10 * SECOND
const RAMP_FROM = 0.1
// After this long without a result the probe is sent again.
const PROBE_LEASE_MS = 30 * SECOND

type Parts = { nowMs: () => number; chance: () => number; onChange: (state: BreakerState) => void }

export const openBreaker = (settings: BreakerSettings, parts: Parts): Breaker =>
  new OwnBreaker(settings, parts)

class OwnBreaker implements Breaker {
  readonly #settings: BreakerSettings
  readonly #parts: Parts
  readonly #window: Window
  #state: BreakerState = 'closed'
  #inRow = 0
  #openMs: number
  #openUntil = 0
  #probeUntil = 0
  #rampFrom: number | null = null

  constructor(settings: BreakerSettings, parts: Parts) {
    this.#settings = settings
    this.#parts = parts
    this.#window = openWindow(settings.windowSeconds)
    this.#openMs = settings.openSeconds * SECOND
  }

  get state(): BreakerState {
    if (this.#state === 'open' && this.#parts.nowMs() >= this.#openUntil) this.#change('probing')
    return this.#state
  }

  admits(): ReturnType<Breaker['admits']> {
    if (this.state === 'closed')
      return this.#ramped() ? { kind: 'yes' } : { kind: 'no', retryAfterSeconds: 1 }
    const left = Math.ceil((this.#openUntil - this.#parts.nowMs()) / SECOND)
    return { kind: 'no', retryAfterSeconds: Math.max(1, left) }
  }

  record(call: Call): void {
    // A submit that left before the breaker opened says nothing about the present, except that the operator answers.
    if (this.state !== 'closed') {
      if (call === 'answer' && this.#state === 'probing') this.#close()
      return
    }
    this.#inRow = call === 'fault' ? this.#inRow + 1 : 0
    const { calls, faults } = this.#window.add(Math.floor(this.#parts.nowMs() / SECOND), call)
    const { faultsInRow, minCalls, share } = this.#settings
    if (this.#inRow >= faultsInRow || (calls >= minCalls && faults >= share * calls)) this.#open()
  }

  takeProbe(): boolean {
    if (this.state !== 'probing' || this.#parts.nowMs() < this.#probeUntil) return false
    this.#probeUntil = this.#parts.nowMs() + PROBE_LEASE_MS
    return true
  }

  probed(call: Call): void {
    if (this.state !== 'probing') return
    if (call === 'answer') this.#close()
    else this.#open()
  }

  #open(): void {
    this.#openUntil = this.#parts.nowMs() + this.#openMs
    this.#openMs = Math.min(2 * this.#openMs, LONGEST_OPEN_MS)
    this.#window.clear()
    this.#inRow = 0
    this.#probeUntil = 0
    this.#rampFrom = null
    this.#change('open')
  }

  #close(): void {
    this.#openMs = this.#settings.openSeconds * SECOND
    this.#rampFrom = this.#parts.nowMs()
    this.#change('closed')
  }

  #change(to: BreakerState): void {
    if (this.#state === to) return
    this.#state = to
    this.#parts.onChange(to)
  }

  #ramped(): boolean {
    if (this.#rampFrom === null) return true
    const share = RAMP_FROM + ((1 - RAMP_FROM) * (this.#parts.nowMs() - this.#rampFrom)) / RAMP_MS
    if (share >= 1) this.#rampFrom = null
    return share >= 1 || this.#parts.chance() < share
  }
}

type Counts = { calls: number; faults: number }
type Window = { add(second: number, call: Call): Counts; clear(): void }

/** Counts the calls and faults of the last seconds, in one entry for each second. */
function openWindow(seconds: number): Window {
  const bySecond = new Map<number, Counts>()
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
