import type { Operation, Product } from './book.ts'

/** What a rule is about; a field that is absent fits everything. `nth` counts the requests that fit the rest. */
export type Match = {
  product?: Product
  operation?: Operation
  phone?: string
  amount?: number
  externalIdPrefix?: string
  reference?: string
  nth?: number
  probability?: number
}

/** How a request is answered on the wire when it is not answered properly. */
export type WireFault =
  | 'dropBeforeRead'
  | 'dropAfterRead'
  | 'dropAfterAccept'
  | 'resetAfterRead'
  | 'silence'
  | 'garbage'
  | 'htmlWith200'
  | 'truncateHeaders'
  | 'truncateBody'
  | 'hugeBody'
  | 'hugeHeaders'
  | 'redirect'
  | 'slowBody'
  | 'empty204'
  | 'teapot'

/** One request's treatment. `record`: whether the operator takes the movement although it answers like this. */
export type Treatment = {
  delayMs?: number
  wire?: WireFault
  http?: { status: number; code?: string; body?: string; headers?: Record<string, string> }
  record?: boolean
  bytesPerSecond?: number
}
/** What a question is told instead of the truth. The last of a list repeats. */
export type Told = Treatment & {
  status?: string
  reason?: string
  lies?: { amount?: string; currency?: string; party?: string; externalId?: string }
}
export type Calls = {
  afterMs?: number
  times?: number
  gapMs?: number
  method?: 'PUT' | 'POST'
  status?: string
  amount?: string
  /** Goes to the address with another token at its end. */
  stranger?: boolean
  /** Before the answer to the submit. */
  early?: boolean
}

/** A scenario is a timeline. The first rule that fits is frozen at the submission (rails.md 6.5). */
export type Rule = {
  match?: Match
  /** After so many uses the rule is over. */
  count?: number
  onSubmit?: Treatment
  onStatus?: readonly Told[]
  resolve?: { afterMs?: number; status: 'SUCCESSFUL' | 'FAILED'; reason?: string } | 'never'
  callbacks?: readonly Calls[]
  /** The reference moves money twice. */
  executeTwice?: boolean
  /** FAILED is told first and SUCCESSFUL later, or the other way round. */
  reversal?: { first: 'SUCCESSFUL' | 'FAILED'; afterMs: number }
  statusLagMs?: number
  reasonAsObject?: boolean
  numbers?: boolean
  initial?: 'PENDING' | 'CREATED'
}

export type Asked = {
  product: Product
  operation: Operation
  phone: string
  amount: number
  externalId: string
  reference: string
}

/** Ordered rules; the first that fits counts. */
export class Rules {
  #rules: { rule: Rule; fits: number; uses: number }[] = []
  readonly #chance: () => number
  constructor(chance: () => number) {
    this.#chance = chance
  }

  set(rules: readonly Rule[]): void {
    this.#rules = rules.map((rule) => ({ rule, fits: 0, uses: 0 }))
  }

  addFirst(rule: Rule): void {
    this.#rules.unshift({ rule, fits: 0, uses: 0 })
  }

  find(asked: Asked): Rule | null {
    for (const entry of this.#rules) {
      const { rule } = entry
      if (rule.count !== undefined && entry.uses >= rule.count) continue
      if (!fits(rule.match, asked)) continue
      entry.fits += 1
      if (rule.match?.nth !== undefined && rule.match.nth !== entry.fits) continue
      if (rule.match?.probability !== undefined && this.#chance() >= rule.match.probability) continue
      entry.uses += 1
      return rule
    }
    return null
  }
}

function fits(match: Match | undefined, asked: Asked): boolean {
  if (match === undefined) return true
  const { product, operation, phone, amount, externalIdPrefix, reference } = match
  return (
    (product === undefined || product === asked.product) &&
    (operation === undefined || operation === asked.operation) &&
    (phone === undefined || phone === asked.phone) &&
    (amount === undefined || amount === asked.amount) &&
    (externalIdPrefix === undefined || asked.externalId.startsWith(externalIdPrefix)) &&
    (reference === undefined || reference === asked.reference)
  )
}
