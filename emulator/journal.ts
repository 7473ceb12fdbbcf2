import { createHash } from 'node:crypto'
import type { Request } from './checks.ts'

/** One request that the operator received, and what became of it. Secrets are not in it. */
export type JournalEntry = {
  at: number
  method: string
  path: string
  reference: string | null
  headers: Record<string, string>
  bodySha256: string
  /** The status of the answer, or how it went wrong; null while it is under way. */
  answer: number | string | null
  answeredAt: number | null
}

const MOST_ENTRIES = 200_000
const SECRET = new Set(['authorization', 'ocp-apim-subscription-key'])
const IN_PATH = /\/([0-9a-f]{8}-[0-9a-f-]{27})(?:\/|$)/

/** What arrived, in the order of arrival. Past the most, the older half is forgotten. */
export class Journal {
  #entries: JournalEntry[] = []

  note(request: Request, at: number): JournalEntry {
    const headers = Object.entries(request.headers)
      .filter(([name, value]) => value !== undefined && !SECRET.has(name))
      .map(([name, value]) => [name, value as string])
    const entry: JournalEntry = {
      at,
      method: request.method,
      path: request.path,
      reference: request.headers['x-reference-id'] ?? IN_PATH.exec(request.path)?.[1] ?? null,
      headers: Object.fromEntries(headers),
      bodySha256: createHash('sha256').update(request.body).digest('hex'),
      answer: null,
      answeredAt: null,
    }
    if (this.#entries.length >= MOST_ENTRIES) this.#entries = this.#entries.slice(MOST_ENTRIES / 2)
    this.#entries.push(entry)
    return entry
  }

  read(reference?: string): JournalEntry[] {
    return this.#entries.filter((entry) => reference === undefined || entry.reference === reference)
  }

  clear(): void {
    this.#entries = []
  }
}
