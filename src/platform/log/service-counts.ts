import { kampalaDay } from '../time/kampala.ts'

/** `answers`: of the API. `prompts`: on phones. `webhooks`: first attempts. Of live mode only. */
export type ServiceKind = 'answers' | 'prompts' | 'webhooks'

/** How many of one kind there were on a day of Kampala, and how many of them were good. `channel`: of prompts; empty otherwise. */
export type ServiceCount = { day: string; kind: ServiceKind; channel: string; good: number; counted: number }

/**
 * What this process has counted for the public page of the service and not yet written. Counting costs a look-up in a map. What a killed
 * process has counted in its last minute is lost: the page shows shares, for which that is nothing.
 */
export class ServiceCounts {
  #counts = new Map<string, ServiceCount>()

  /** Counts one at this time. `channel`: of a prompt. */
  add(kind: ServiceKind, { good, at, channel = '' }: { good: boolean; at: Date; channel?: string }): void {
    this.#addUp({ day: kampalaDay(at), kind, channel, good: good ? 1 : 0, counted: 1 })
  }

  /** Takes all counts out, in the order of the rows that they are added to. */
  take(): ServiceCount[] {
    const taken = [...this.#counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, count]) => count)
    this.#counts = new Map()
    return taken
  }

  /** Puts counts back that could not be written. */
  putBack(counts: readonly ServiceCount[]): void {
    for (const count of counts) this.#addUp(count)
  }

  #addUp({ good, counted, ...of }: ServiceCount): void {
    const key = `${of.day} ${of.kind} ${of.channel}`
    const sum = this.#counts.get(key)
    if (sum === undefined) this.#counts.set(key, { ...of, good, counted })
    else {
      sum.good += good
      sum.counted += counted
    }
  }
}
