import { createHash } from 'node:crypto'
import type { Product } from './book.ts'
import type { Clock } from './clock.ts'

export type Credentials = { subscriptionKey: string; user: string; secret: string }
const TOKEN_SECONDS = 3600
const LOOPBACK = ['localhost', '127.0.0.1']
type Token = { value: string; product: Product; user: string; endsMs: number }

/** Partners of the operator: their keys, API users and tokens. */
export class Accounts {
  readonly credentials: Record<Product, Credentials>
  /** API users that a developer made, by id: the callback host and the key, once there is one. */
  readonly users = new Map<string, { host: string; key: string | null }>()
  /** Hosts that the callbacks of the partner that exists from the start may go to. */
  readonly callbackHosts: ReadonlySet<string>
  tokenSeconds = TOKEN_SECONDS
  readonly #tokens = new Map<string, Token>()
  readonly #clock: Clock
  readonly #chance: () => number

  constructor(
    clock: Clock,
    chance: () => number,
    { platform, callbackHosts }: { platform: 'old' | 'new'; callbackHosts: readonly string[] },
  ) {
    this.#clock = clock
    this.callbackHosts = new Set([...LOOPBACK, ...callbackHosts])
    this.#chance = chance
    const own = (product: Product): Credentials => ({
      subscriptionKey: this.#hex(32),
      // Users of the new platform look like base64 and end in `=`.
      user: platform === 'new' ? `${Buffer.from(this.#hex(20)).toString('base64').slice(0, 27)}=` : this.uuid(),
      secret: this.#hex(32) + product.slice(0, 1),
    })
    this.credentials = { collection: own('collection'), disbursement: own('disbursement') }
  }

  productOfKey(subscriptionKey: string | undefined): Product | null {
    const found = Object.entries(this.credentials).find(([, one]) => one.subscriptionKey === subscriptionKey)
    return (found?.[0] as Product | undefined) ?? null
  }

  knows(product: Product, user: string, secret: string): boolean {
    const own = this.credentials[product]
    if (own.user === user && own.secret === secret) return true
    return this.users.get(user)?.key === secret && secret !== ''
  }

  makeKey(user: string): string {
    const key = this.#hex(32)
    const found = this.users.get(user)
    if (found) found.key = key
    return key
  }

  issue(product: Product, user: string, seconds = this.tokenSeconds): Token {
    const value = `${this.#hex(40)}.${product.slice(0, 3)}`
    const token = { value, product, user, endsMs: this.#clock.nowMs() + seconds * 1000 }
    this.#tokens.set(value, token)
    return token
  }

  /** Whether callbacks for the holder of this token may go to a host. */
  mayCallBack(bearer: string | null, host: string): boolean {
    const user = bearer === null ? undefined : this.#tokens.get(bearer)?.user
    const made = user === undefined ? undefined : this.users.get(user)
    return made === undefined ? this.callbackHosts.has(host) : made.host === host
  }

  /** Why a bearer token does not open this product; null when it does. */
  refuses(product: Product, value: string | null): string | null {
    const token = value === null ? undefined : this.#tokens.get(value)
    if (token === undefined || token.product !== product) return 'login_failed'
    return this.#clock.nowMs() >= token.endsMs ? 'token_expired' : null
  }

  usualTokens(): void {
    this.tokenSeconds = TOKEN_SECONDS
  }

  /** Every token of a product, or of both, ends now: the operator says that it expired. */
  expireAll(product?: Product): void {
    for (const token of this.#tokens.values())
      if (product === undefined || token.product === product) token.endsMs = this.#clock.nowMs()
  }

  /** The operator does not know these tokens any more. */
  revokeAll(product?: Product): void {
    for (const [value, token] of this.#tokens)
      if (product === undefined || token.product === product) this.#tokens.delete(value)
  }

  uuid(): string {
    const hex = createHash('sha256').update(this.#hex(32)).digest('hex')
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`
  }

  #hex(length: number): string {
    let text = ''
    while (text.length < length) text += Math.floor(this.#chance() * 0x1_0000_0000).toString(16)
    return text.slice(0, length)
  }
}
