import type { Clock } from './clock.ts'
import type { Rule } from './rules.ts'

export type Product = 'collection' | 'disbursement'
export type Operation = 'requesttopay' | 'requesttowithdraw' | 'transfer' | 'deposit' | 'refund'
export type Status = 'PENDING' | 'CREATED' | 'SUCCESSFUL' | 'FAILED'

/** One reference in the operator's own book. Amounts are whole units of the currency, times ms of the emulator's clock. */
export type Transaction = {
  reference: string
  product: Product
  operation: Operation
  amount: number
  currency: string
  externalId: string
  phone: string
  payerMessage: string
  payeeNote: string
  callbackUrl: string | null
  createdMs: number
  status: Status
  reason: string | null
  financialTransactionId: string | null
  endedMs: number | null
  /** How often its money really moved: never more than once, unless a rule says so. */
  moves: number
  /** How often it was asked about. */
  asked: number
  rule: Rule | null
}

/** What really happened, by reference, and what every wallet holds. */
export type Oracle = {
  references: Record<
    string,
    Pick<Transaction, 'product' | 'externalId' | 'phone' | 'amount' | 'status' | 'moves' | 'endedMs'>
  >
  wallets: Record<string, number>
}

const FIRST_ID = 2_000_000_000
const MOST_ENDED = 200_000

/** Wallets and transactions. A movement happens here and nowhere else. */
export class Book {
  readonly transactions = new Map<string, Transaction>()
  /** References that were refused; they are used up. */
  readonly burnt = new Set<string>()
  readonly wallets = new Map<string, number>()
  #ids = FIRST_ID
  readonly #clock: Clock
  readonly #opening: number
  readonly #endless: boolean

  constructor(clock: Clock, { opening, endless }: { opening: number; endless: boolean }) {
    this.#clock = clock
    this.#opening = opening
    this.#endless = endless
  }

  balance(name: string): number {
    return this.wallets.get(name) ?? (name === 'collection' || name === 'disbursement' ? 0 : this.#opening)
  }

  set(name: string, amount: number): void {
    this.wallets.set(name, amount)
  }

  add(transaction: Transaction): void {
    this.transactions.set(transaction.reference, transaction)
    if (this.transactions.size > MOST_ENDED) this.#dropOldest()
  }

  /** Ends it; a success moves the money, and is a failure where there is none. */
  end(transaction: Transaction, to: { status: 'SUCCESSFUL' | 'FAILED'; reason?: string | null }): void {
    if (transaction.status === 'SUCCESSFUL' || transaction.status === 'FAILED') return
    transaction.endedMs = this.#clock.nowMs()
    if (to.status === 'FAILED') {
      transaction.status = 'FAILED'
      transaction.reason = to.reason ?? 'INTERNAL_PROCESSING_ERROR'
      return
    }
    const times = transaction.rule?.executeTwice === true ? 2 : 1
    for (let nth = 0; nth < times; nth += 1)
      if (!this.#move(transaction)) {
        if (transaction.moves > 0) break
        transaction.status = 'FAILED'
        transaction.reason = 'NOT_ENOUGH_FUNDS'
        return
      }
    transaction.status = 'SUCCESSFUL'
    this.#ids += 1
    transaction.financialTransactionId = String(this.#ids)
  }

  #move(transaction: Transaction): boolean {
    const { product, operation, phone, amount } = transaction
    const out = operation === 'transfer' || operation === 'deposit' || operation === 'refund'
    const [from, to] = out ? [product, phone] : [phone, product]
    if (!this.#endless && this.balance(from) < amount) return false
    this.wallets.set(from, this.balance(from) - amount)
    this.wallets.set(to, this.balance(to) + amount)
    transaction.moves += 1
    return true
  }

  #dropOldest(): void {
    for (const [reference, { status }] of this.transactions) {
      if (status !== 'SUCCESSFUL' && status !== 'FAILED') continue
      this.transactions.delete(reference)
      return
    }
  }

  oracle(): Oracle {
    const references: Oracle['references'] = {}
    for (const [reference, one] of this.transactions) {
      const { product, externalId, phone, amount, status, moves, endedMs } = one
      references[reference] = { product, externalId, phone, amount, status, moves, endedMs }
    }
    return { references, wallets: Object.fromEntries(this.wallets) }
  }

  clear(): void {
    this.transactions.clear()
    this.burnt.clear()
    this.wallets.clear()
  }
}
