import type { Clock } from './clock.ts'
import type { Rule } from './rules.ts'
import { type Kept, Wallets } from './wallets.ts'

export type Product = 'collection' | 'disbursement'
export type Operation = 'requesttopay' | 'requesttowithdraw' | 'transfer' | 'deposit' | 'refund'
type Status = 'PENDING' | 'CREATED' | 'SUCCESSFUL' | 'FAILED'
/** Which of its addresses took it: the operator may move to a second one and leave old references at the first. */
export type Place = 'first' | 'moved'
export type Where = { place: Place; product: Product; reference: string }

/** One reference in the operator's own book. Amounts are whole units of the currency, times ms of the emulator's clock. */
export type Transaction = Where & {
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
  /** How often it was asked about, and the status word that was told last. */
  asked: number
  told: string | null
  /** What was answered to its request: a status, or how the answer went wrong. */
  answered: number | string | null
  rule: Rule | null
}

export type TransactionFilter = Partial<Pick<Transaction, 'phone' | 'reference' | 'externalId'>>

type Shown = Omit<Transaction, 'currency' | 'payerMessage' | 'payeeNote' | 'callbackUrl' | 'rule' | 'reference'>
/** What really happened, by reference, what every wallet holds, and what it must hold by the movements. */
export type Oracle = {
  /** `known` is false when the operator lost its memory of it. A reference that both products took is there twice, the second as `reference/product`. */
  references: Record<string, Shown & { known: boolean }>
  wallets: Record<string, number>
  totals: Record<string, number>
}

const FIRST_ID = 2_000_000_000
const MOST_ENDED = 200_000

export const isOver = ({ status }: Pick<Transaction, 'status'>) => status === 'SUCCESSFUL' || status === 'FAILED'
const keyOf = ({ place, product, reference }: Where) => `${place}/${product}/${reference}`

/** The transactions. A movement happens here and nowhere else. */
export class Book {
  readonly wallets: Wallets
  lastId = FIRST_ID
  readonly #known = new Map<string, Transaction>()
  readonly #ended = new Set<Transaction>()
  readonly #burnt = new Set<string>()
  #lost: Transaction[] = []
  readonly #clock: Clock
  readonly #most: number

  constructor(
    clock: Clock,
    { most = MOST_ENDED, ...terms }: ConstructorParameters<typeof Wallets>[0] & { most?: number },
  ) {
    this.#clock = clock
    this.#most = most
    this.wallets = new Wallets(terms)
  }

  find(where: Where): Transaction | undefined {
    return this.#known.get(keyOf(where))
  }

  /** Of either product, at any address. */
  findReference(reference: string): Transaction | undefined {
    for (const place of ['first', 'moved'] as const)
      for (const product of ['collection', 'disbursement'] as const) {
        const found = this.find({ place, product, reference })
        if (found) return found
      }
    return undefined
  }

  all(): Transaction[] {
    return [...this.#known.values()]
  }

  select(filter: TransactionFilter): Transaction[] {
    const wanted = Object.entries(filter)
    return this.all().filter((transaction) =>
      wanted.every(([field, value]) => transaction[field as keyof Transaction] === value),
    )
  }

  /** Whether a request under this reference was received already, refused ones included. */
  isTaken(where: Where): boolean {
    const key = keyOf(where)
    return this.#known.has(key) || this.#burnt.has(key)
  }

  burn(where: Where): void {
    this.#burnt.add(keyOf(where))
  }

  add(transaction: Transaction): void {
    this.#known.set(keyOf(transaction), transaction)
    if (isOver(transaction)) this.#ended.add(transaction)
  }

  /** Ends it; a success moves the money, and is a failure where there is none. */
  end(transaction: Transaction, to: { status: 'SUCCESSFUL' | 'FAILED'; reason?: string | null }): void {
    if (isOver(transaction) || this.find(transaction) !== transaction) return
    transaction.endedMs = this.#clock.nowMs()
    const refused = to.status === 'FAILED' ? (to.reason ?? 'INTERNAL_PROCESSING_ERROR') : this.#pay(transaction)
    transaction.status = refused === null ? 'SUCCESSFUL' : 'FAILED'
    transaction.reason = refused
    this.#ended.add(transaction)
    if (this.#ended.size > this.#most) this.#dropOldest()
  }

  #pay(transaction: Transaction): string | null {
    const refused = this.wallets.move(transaction)
    if (refused !== null) return refused
    if (transaction.rule?.executeTwice === true) this.wallets.move(transaction)
    this.lastId += 1
    transaction.financialTransactionId = String(this.lastId)
    return null
  }

  /** Takes an end back: the money returns and the transaction is open again. */
  reopen(transaction: Transaction): void {
    if (!isOver(transaction)) return
    while (transaction.moves > 0) this.wallets.moveBack(transaction)
    this.#ended.delete(transaction)
    Object.assign(transaction, {
      status: 'PENDING',
      reason: null,
      financialTransactionId: null,
      endedMs: null,
    })
  }

  #dropOldest(): void {
    const [oldest] = this.#ended
    if (oldest === undefined) return
    this.#ended.delete(oldest)
    this.#known.delete(keyOf(oldest))
    this.wallets.settle(oldest)
  }

  /** The operator no longer knows any reference. What moved has moved. */
  loseMemory(): void {
    this.#lost = [...this.#lost, ...this.#known.values()]
    this.#known.clear()
    this.#ended.clear()
    this.#burnt.clear()
  }

  oracle(): Oracle {
    const references: Oracle['references'] = {}
    const all = [...this.#known.values()]
    for (const [known, list] of [
      [true, all],
      [false, this.#lost],
    ] as const)
      for (const one of list) {
        const { currency, payerMessage, payeeNote, callbackUrl, rule, reference, ...shown } = one
        const key = references[reference] === undefined ? reference : `${reference}/${one.product}`
        references[key] = { ...shown, known }
      }
    return { references, ...this.wallets.tell([...all, ...this.#lost]) }
  }

  clear(): void {
    this.#known.clear()
    this.#ended.clear()
    this.#burnt.clear()
    this.#lost = []
    this.wallets.clear()
  }

  /** Everything of it, for a file; and back. */
  keep(): {
    transactions: Transaction[]
    lost: Transaction[]
    burnt: string[]
    lastId: number
    wallets: Kept
  } {
    const { lastId } = this
    return {
      transactions: this.all(),
      lost: this.#lost,
      burnt: [...this.#burnt],
      lastId,
      wallets: this.wallets.keep(),
    }
  }

  restore(kept: ReturnType<Book['keep']>): void {
    this.clear()
    for (const one of kept.transactions) this.add(one)
    for (const key of kept.burnt) this.#burnt.add(key)
    this.#lost = kept.lost
    this.lastId = kept.lastId
    this.wallets.restore(kept.wallets)
  }
}
