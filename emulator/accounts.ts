import { createHash } from 'node:crypto'
import type { Product } from './book.ts'
import type { Clock } from './clock.ts'

export type Credentials = { subscriptionKey: string; user: string; secret: string }
type Token = { value: string; product: Product; endsMs: number }

/** Partners of the operator: their keys, API users and tokens. */
export class Accounts {
  readonly credentials: Record<Product, Credentials>
  /** API users that a developer made, by id: the callback host and the key, once there is one. */
  readonly users = new Map<string, { host: string; key: string | null }>()
  /** Hosts that callbacks may go to. */
  readonly callbackHosts = new Set<string>(['localhost', '127.0.0.1'])
  tokenSeconds = 3600
  readonly #tokens = new Map<string, Token>()
  readonly #clock: Clock
  readonly #chance: () => number

  constructor(clock: Clock, chance: () => number, platform: 'old' | 'new') {
    this.#clock = clock
    this.#chance = chance
    const own = (product: Product): Credentials => ({
      subscriptionKey: this.#hex(32),
      // Users of the new platform look like base64 and end in `=`.
      user:
        platform === 'new' ? `${Buffer.from(this.#hex(20)).toString('base64').slice(0, 27)}=` : this.uuid(),
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

  issue(product: Product, seconds = this.tokenSeconds): Token {
    const value = `${this.#hex(40)}.${product.slice(0, 3)}`
    const token = { value, product, endsMs: this.#clock.nowMs() + seconds * 1000 }
    this.#tokens.set(value, token)
    return token
  }

  /** Why a bearer token does not open this product; null when it does. */
  refuses(product: Product, value: string | null): string | null {
    const token = value === null ? undefined : this.#tokens.get(value)
    if (token === undefined || token.product !== product) return 'login_failed'
    return this.#clock.nowMs() >= token.endsMs ? 'token_expired' : null
  }

  revokeAll(): void {
    this.#tokens.clear()
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
