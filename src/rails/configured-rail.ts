import type { Installation, Rail } from './rail.ts'

/** One check of one product of an installation, with its result as a sentence that contains no secret. */
export type LineCheck = { installation: string; product: string; check: string; ok: boolean; says: string }
/** Until when the token of one product is valid, in this process. */
export type TokenState = { installation: string; product: string; endsAt: Date | null }

/** A live rail that the settings describe, with its background work and what staff ask of it. */
export type ConfiguredRail = Rail & {
  /** Its installations as the settings describe them; `installations` has them as the choice of staff has changed them. */
  readonly settings: readonly Installation[]
  /** Reads again which installation takes new movements of each side. Throws DatabaseAway. */
  refreshChoice(): Promise<void>
  /** Tries each credential of each installation, and posts no money (rails.md 3.12). `phone` is a wallet to look up. */
  checkLines(phone: string | null): Promise<LineCheck[]>
  readTokens(): TokenState[]
  /** Fetches tokens ahead and keeps them fresh, and probes an operator that did not answer, until `close`. */
  start(): void
  close(): Promise<void>
}
