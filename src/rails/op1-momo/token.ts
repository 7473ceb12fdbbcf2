import type { Logger } from 'pino'
import type { Clock } from '../../platform/time/clock.ts'
import type { CallDeadline } from '../rail.ts'
import { deadlineIn } from '../rail.ts'
import { commonHeaders } from './headers.ts'
import type { Credentials, Op1Installation, Product } from './installation.ts'
import { parseAnswerBody, parseWord } from './parse-answer.ts'
import type { OperatorReply, Wire } from './transport.ts'

/** There is no token. `person`: the operator refused the credentials; `wait`: it gave no usable answer. */
export type NoToken = { kind: 'none'; cure: 'wait' | 'person'; heard: OperatorReply | null }
type Token = { kind: 'token'; value: string } | NoToken

/** Keeps the token of one product of one installation (rails.md 3.4). */
export type TokenKeeper = {
  /** Returns the token in hand, or the one of a refresh that ends before the deadline. */
  get(deadline: CallDeadline): Promise<Token>
  /** Returns another token after a product call was answered 401 with this one; fetches it unless that has happened already. */
  replace(refused: string, deadline: CallDeadline): Promise<Token>
  /** Fetches a token even if one is in hand, and returns the operator's reply, for checks and probes. */
  fetchNow(): Promise<OperatorReply>
  /** Renews in the background a token that is about to end. Called every few seconds. */
  tend(): void
  /** Returns when the token in hand ends; null without one. */
  endsAt(): Date | null
}

type HeldToken = { value: string; endsMs: number; renewMs: number }

const SECOND_MS = 1000
// A token is not used any more from this long before its end.
const UNUSED_BEFORE_END_MS = 30 * SECOND_MS
const RETRY_WAITS_MS = [1, 2, 5, 10, 20, 30].map((seconds) => seconds * SECOND_MS)
const DEFAULT_LIFE_SECONDS = 3600
// A life longer than this is not believed; then the default life counts.
const MAX_LIFE_SECONDS = 86_400

type TokenKeeperParts = {
  own: Op1Installation
  product: Product
  credentials: Credentials
  wire: Wire
  clock: Clock
  log: Logger
}

export const openTokenKeeper = (parts: TokenKeeperParts): TokenKeeper => new OwnKeeper(parts)

class OwnKeeper implements TokenKeeper {
  readonly #parts: TokenKeeperParts
  #held: HeldToken | null = null
  #last: NoToken | null = null
  #refreshing: Promise<OperatorReply> | null = null
  #failures = 0
  #notBeforeMs = 0

  constructor(parts: TokenKeeperParts) {
    this.#parts = parts
  }

  endsAt(): Date | null {
    return this.#held === null ? null : new Date(this.#held.endsMs)
  }

  async get(deadline: CallDeadline): Promise<Token> {
    this.tend()
    const token = this.#usable()
    if (token !== null) return { kind: 'token', value: token.value }
    // After a failure the next fetch has its own time, and payments do not fetch before it.
    if (this.#refreshing === null && this.#nowMs() < this.#notBeforeMs) return this.#none()
    return this.#afterRefresh(deadline)
  }

  async replace(refused: string, deadline: CallDeadline): Promise<Token> {
    if (this.#held?.value === refused) this.#held = null
    const token = this.#usable()
    return token === null ? this.#afterRefresh(deadline) : { kind: 'token', value: token.value }
  }

  fetchNow(): Promise<OperatorReply> {
    // Only one fetch at a time, however many callers ask.
    this.#refreshing ??= this.#ask().finally(() => {
      this.#refreshing = null
    })
    return this.#refreshing
  }

  tend(): void {
    const now = this.#nowMs()
    const due = this.#held === null || now >= this.#held.renewMs
    if (due && this.#refreshing === null && now >= this.#notBeforeMs) void this.fetchNow()
  }

  async #afterRefresh(deadline: CallDeadline): Promise<Token> {
    await Promise.race([this.fetchNow(), waitForDeadline(deadline)])
    const token = this.#usable()
    return token === null ? this.#none() : { kind: 'token', value: token.value }
  }

  async #ask(): Promise<OperatorReply> {
    const { own, product, credentials, wire } = this.#parts
    const askedMs = this.#nowMs()
    const basic = Buffer.from(`${credentials.user}:${credentials.secret}`).toString('base64')
    const headers = { ...commonHeaders(own, credentials), authorization: `Basic ${basic}` }
    const request = { method: 'POST' as const, path: `/${product}/token/`, headers }
    const heard = await wire.ask('token', request, deadlineIn(own.tokenTimeoutMs))
    const token = parseToken(heard)
    if (token === null) this.#failed(heard)
    else this.#hold(token, askedMs)
    return heard
  }

  #hold({ value, seconds }: { value: string; seconds: number }, askedMs: number): void {
    const lifeMs = seconds * SECOND_MS
    const marginMs = Math.min(this.#parts.own.tokenRenewSeconds * SECOND_MS, lifeMs / 2)
    this.#held = { value, endsMs: askedMs + lifeMs, renewMs: askedMs + lifeMs - marginMs }
    this.#last = null
    this.#failures = 0
    this.#notBeforeMs = 0
  }

  #failed(heard: OperatorReply): void {
    const { own, product, log } = this.#parts
    const { status, transport } = heard
    this.#last = { kind: 'none', cure: isCredentialRefusal(heard) ? 'person' : 'wait', heard }
    this.#notBeforeMs = this.#nowMs() + (RETRY_WAITS_MS[Math.min(this.#failures, RETRY_WAITS_MS.length - 1)] ?? 0)
    this.#failures += 1
    log.warn({ installation: own.id, product, status, transport }, 'the operator gave no token')
  }

  #usable(): HeldToken | null {
    const held = this.#held
    return held !== null && this.#nowMs() < held.endsMs - UNUSED_BEFORE_END_MS ? held : null
  }

  #none(): NoToken {
    return this.#last ?? { kind: 'none', cure: 'wait', heard: null }
  }

  #nowMs(): number {
    return this.#parts.clock.nowMs()
  }
}

const waitForDeadline = ({ signal }: CallDeadline) =>
  new Promise<void>((resolve) => {
    if (signal.aborted) return resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })

/** Parses the token of a reply. Only JSON with a token counts, because a firewall page is a 200 as well. */
function parseToken(heard: OperatorReply): { value: string; seconds: number } | null {
  if (heard.status !== 200) return null
  const body = parseAnswerBody(heard)
  const value = body?.access_token
  if (typeof value !== 'string' || value === '') return null
  const seconds = Number(parseWord(body, 'expires_in') ?? DEFAULT_LIFE_SECONDS)
  const believable = Number.isFinite(seconds) && seconds > 0 && seconds <= MAX_LIFE_SECONDS
  return { value, seconds: believable ? seconds : DEFAULT_LIFE_SECONDS }
}

/** Whether the operator refused the credentials, or the settings of the call. */
const isCredentialRefusal = ({ status }: OperatorReply): boolean => status === 400 || status === 401 || status === 403
