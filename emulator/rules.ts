import type { Operation, Place, Product } from './book.ts'
import type { Switch } from './checks.ts'
import type { FaultParams, Trouble } from './faults.ts'

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
  /** Only the first request under a reference is treated so. */
  firstOnly?: boolean
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
export type Endpoint = 'submit' | 'status' | 'token' | 'lookup' | 'balance'

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
  /** The movement is known at the operator's second address only. */
  place?: Place
  /** Begins when a payment fits, and ends after `forMs`. */
  trouble?: { name: Trouble; params?: FaultParams; forMs?: number }
  /** What requests that are no payments meet. `match` then looks at what such a request says of itself. */
  on?: Partial<Record<Exclude<Endpoint, 'submit'>, Treatment>>
  /** How long tokens live that are given under this rule. */
  token?: { ttlSeconds: number }
  /** On as long as the rule stands. */
  switches?: readonly Switch[]
}

type About = {
  product: Product
  operation?: Operation
  phone?: string
  amount?: number
  externalId?: string
  reference?: string
}
type Entry = { rule: Rule; fits: number; uses: number; added: boolean }

/** Ordered rules; the first that fits counts. */
export class Rules {
  #entries: Entry[] = []
  readonly #chance: () => number
  constructor(chance: () => number) {
    this.#chance = chance
  }

  set(rules: readonly Rule[]): void {
    this.#entries = rules.map((rule) => ({ rule, fits: 0, uses: 0, added: false }))
  }

  /** Before the others, until `dropAdded`. */
  addFirst(rule: Rule): void {
    this.#entries.unshift({ rule, fits: 0, uses: 0, added: true })
  }

  dropAdded(): void {
    this.#entries = this.#entries.filter(({ added }) => !added)
  }

  /** The rule of a payment. */
  find(about: About): Rule | null {
    return this.#first(about, isAboutPayments)
  }

  /** How a request that is no payment is treated. */
  at(endpoint: Exclude<Endpoint, 'submit'>, about: About): Treatment | null {
    return this.#first(about, ({ on }) => on?.[endpoint] !== undefined)?.on?.[endpoint] ?? null
  }

  tokenSeconds(about: About): number | null {
    return this.#first(about, ({ token }) => token !== undefined)?.token?.ttlSeconds ?? null
  }

  isOn(wanted: Switch): boolean {
    return this.#entries.some(({ rule }) => rule.switches?.includes(wanted) === true)
  }

  #first(about: About, serves: (rule: Rule) => boolean): Rule | null {
    for (const entry of this.#entries) {
      const { rule } = entry
      if (rule.count !== undefined && entry.uses >= rule.count) continue
      if (!serves(rule) || !fits(rule.match, about)) continue
      entry.fits += 1
      if (rule.match?.nth !== undefined && rule.match.nth !== entry.fits) continue
      if (rule.match?.probability !== undefined && this.#chance() >= rule.match.probability) continue
      entry.uses += 1
      return rule
    }
    return null
  }
}

/** A rule of which nothing is about payments leaves them to the next one. */
function isAboutPayments({ match, count, on, token, switches, ...rest }: Rule): boolean {
  return Object.keys(rest).length > 0 || (on === undefined && token === undefined && switches === undefined)
}

function fits(match: Match | undefined, about: About): boolean {
  if (match === undefined) return true
  const { product, operation, phone, amount, externalIdPrefix, reference } = match
  return (
    (product === undefined || product === about.product) &&
    (operation === undefined || operation === about.operation) &&
    (phone === undefined || phone === about.phone) &&
    (amount === undefined || amount === about.amount) &&
    (externalIdPrefix === undefined || about.externalId?.startsWith(externalIdPrefix) === true) &&
    (reference === undefined || reference === about.reference)
  )
}
