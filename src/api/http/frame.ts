import type { KeyObject } from 'node:crypto'
import type { Logger } from 'pino'
import type { Refusal } from '../../platform/refusal.ts'
import type { AddressRange } from '../../platform/text/address-ranges.ts'
import type { Clock } from '../../platform/time/clock.ts'
import type { Caller, KeyCaller } from '../access/actor.ts'
import type { CountedWindow } from '../rate-limits/exact-window.ts'
import type { SharedWindows } from '../rate-limits/shared-windows.ts'
import type { OverloadGuard } from './admission/overload.ts'
import type { Endpoint } from './endpoint.ts'
import type { RequestMetrics } from './request-metrics.ts'

/**
 * The merchant, mode and scope that a key stands for, independent of any request. `allowedFrom`: the networks from which the key may be
 * used; null: from anywhere. `signedBy`: the Ed25519 public keys of which one must have signed each request; null: none need. `expiresAtMs`:
 * from when on no key of its merchant works, which was made for tests; null: no such time.
 */
export type KeyHolder = Omit<KeyCaller, 'origin' | 'requestId' | 'spent'> & {
  allowedFrom: readonly AddressRange[] | null
  signedBy: readonly KeyObject[] | null
  expiresAtMs: number | null
}

/** One answered request as the log of its merchant keeps it: never a body, a phone or a whole key. */
export type AnsweredRequest = {
  caller: KeyCaller
  method: string
  /** The pattern of the path. */
  route: string
  status: number
  ms: number
  code: string | null
  /** The text of a refusal as the caller saw it. */
  error: string | null
  keyOutcome: 'new' | 'replay' | 'conflict' | null
  objectId: string | null
  /** The names of parameters and members that the endpoint does not know. */
  ignored: string | null
}

/** What the HTTP frame needs from the product. */
export type Frame<App> = {
  endpoints: readonly Endpoint<App>[]
  clock: Clock
  log: Logger
  /** The holder of this key, without a promise when it is cached. Throws 401, 429 (too many failures), 503. */
  authenticate(token: string, clientAddress: string): KeyHolder | Promise<KeyHolder>
  /** Counts a request that came without any credentials. */
  countFailedAuth(clientAddress: string): Promise<void>
  /** The cell that serves this caller, with the windows that count its requests. */
  cellServicesOf(caller: Caller): CellServices<App>
  /** Refuses with 409 when this key was used before. Called when the body itself is refused (contract.md 3 h). */
  refuseUsedKey(caller: Caller, idempotency: { key: string; fingerprint: Buffer }): Promise<void>
  overload: OverloadGuard
  metrics: RequestMetrics
  /** Takes the facts of an answered request whose caller is known; it never waits and never throws. */
  note(request: AnsweredRequest): void
  trustedProxies: number
  https: boolean
  /** What a browser sees outside /v1 instead of JSON: headers and HTML. */
  errorPage(refusal: Refusal): { headers: Record<string, string>; html: string }
}

/** The cell that serves a caller, and its rate limits. */
export type CellServices<App> = {
  app: App
  windows: SharedWindows
  exactWindows: Readonly<Record<string, CountedWindow>>
  /** How long a request of this rate limit would probably wait now, in ms. */
  expectedMs(rate: string): number
}

/**
 * A request with a key, on its way through the checks before its body. `rate`: the name of its own rate limit in `windows` or `exactWindows`.
 * `giveBack` removes it from the window of that limit. `withoutRight`: its key may not be used from its address, or without a signature.
 * `signed`: its body must have the digest that was signed.
 */
export type AdmittedRequest = Pick<CellServices<unknown>, 'windows' | 'exactWindows'> & {
  caller: KeyCaller
  rate: string
  key: string | null
  giveBack: (() => void) | null
  withoutRight?: true
  signed?: true
}
