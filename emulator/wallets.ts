import type { Transaction } from './book.ts'

type Movement = Pick<Transaction, 'product' | 'operation' | 'phone' | 'amount' | 'moves'>
/** What the operator lets through: of one payment, and in one subscriber's wallet. Null: anything. */
export type Limits = { payment: number | null; wallet: number | null }
export type Kept = { balances: [string, number][]; given: [string, number][] }

/** `opening`: what a subscriber starts with; `endless`: no wallet is ever too empty. */
type Terms = { opening: number; endless: boolean; limits?: Limits }

const isPartner = (name: string) => name === 'collection' || name === 'disbursement'

/** The partner's two wallets and one for each phone, in whole units of the currency. */
export class Wallets {
  readonly #balances = new Map<string, number>()
  /** What each wallet got otherwise than by a movement that is still in the book. */
  readonly #given = new Map<string, number>()
  readonly #terms: Terms
  limits: Limits

  constructor(terms: Terms) {
    this.#terms = terms
    this.limits = terms.limits ?? { payment: null, wallet: null }
  }

  balance(name: string): number {
    return this.#balances.get(name) ?? (isPartner(name) ? 0 : this.#terms.opening)
  }

  set(name: string, amount: number): void {
    const change = amount - this.#touch(name)
    this.#balances.set(name, amount)
    this.#given.set(name, (this.#given.get(name) ?? 0) + change)
  }

  /** Moves the money of a transaction once more, or says why not. */
  move(transaction: Movement): string | null {
    const { amount, phone } = transaction
    const [from, to] = sidesOf(transaction)
    if (!this.#terms.endless) {
      if (this.limits.payment !== null && amount > this.limits.payment) return 'PAYER_LIMIT_REACHED'
      if (this.balance(from) < amount) return 'NOT_ENOUGH_FUNDS'
      if (to === phone && this.limits.wallet !== null && this.balance(to) + amount > this.limits.wallet)
        return 'PAYEE_LIMIT_REACHED'
    }
    this.#shift(from, -amount)
    this.#shift(to, amount)
    transaction.moves += 1
    return null
  }

  moveBack(transaction: Movement): void {
    const [from, to] = sidesOf(transaction)
    this.#shift(from, transaction.amount)
    this.#shift(to, -transaction.amount)
    transaction.moves -= 1
  }

  /** A transaction leaves the book: from now on its movements count as given. */
  settle(transaction: Movement): void {
    for (const [name, change] of changesOf(transaction)) this.#given.set(name, (this.#given.get(name) ?? 0) + change)
  }

  /** The balances, and what they must be by these transactions. */
  tell(transactions: readonly Movement[]): {
    wallets: Record<string, number>
    totals: Record<string, number>
  } {
    const totals = new Map(this.#given)
    for (const transaction of transactions)
      for (const [name, change] of changesOf(transaction))
        if (change !== 0) totals.set(name, (totals.get(name) ?? 0) + change)
    return { wallets: Object.fromEntries(this.#balances), totals: Object.fromEntries(totals) }
  }

  #shift(name: string, change: number): void {
    this.#balances.set(name, this.#touch(name) + change)
  }

  #touch(name: string): number {
    const balance = this.balance(name)
    if (!this.#balances.has(name)) {
      this.#balances.set(name, balance)
      this.#given.set(name, balance)
    }
    return balance
  }

  clear(): void {
    this.#balances.clear()
    this.#given.clear()
  }

  keep(): Kept {
    return { balances: [...this.#balances], given: [...this.#given] }
  }

  restore({ balances, given }: Kept): void {
    this.clear()
    for (const [name, amount] of balances) this.#balances.set(name, amount)
    for (const [name, amount] of given) this.#given.set(name, amount)
  }
}

/** From which wallet to which. */
function sidesOf({ product, operation, phone }: Movement): [from: string, to: string] {
  const out = operation === 'transfer' || operation === 'deposit' || operation === 'refund'
  return out ? [product, phone] : [phone, product]
}

function changesOf(transaction: Movement): [name: string, change: number][] {
  const [from, to] = sidesOf(transaction)
  const moved = transaction.amount * transaction.moves
  return [
    [from, -moved],
    [to, moved],
  ]
}
