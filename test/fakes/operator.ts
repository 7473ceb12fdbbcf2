import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { faultAnswer, questionAnswer, send, submitAnswer } from './operator-answers.ts'

/** How the operator treats a request to move money. `takes`: whether it really took the movement, regardless of its answer. */
export type SubmitHow = {
  answer:
    | 'accept'
    | 'refuse'
    | 'refuse to serve'
    | 'bar the account'
    | 'had it'
    | 'silence'
    | 'reset early'
    | 'reset late'
    | 'garbage'
    | 'error'
  code?: string
  takes?: boolean
  afterMs?: number
  until?: Promise<unknown>
}
/** How it treats a question. `book`: it answers from its book. `says`: facts in which its answer differs from the book. */
export type StatusHow = {
  answer:
    | 'book'
    | 'pending'
    | 'succeeded'
    | 'failed'
    | 'not found'
    | 'unknown'
    | 'garbage'
    | 'error'
    | 'reset'
    | 'silence'
  code?: string
  says?: Partial<Asked>
  until?: Promise<unknown>
}
/** Its answer about the holder of a wallet. */
type HolderHow = {
  answer: 'book' | 'error' | 'garbage' | 'reset' | 'silence'
  until?: Promise<unknown>
}
type WalletHolder = { active: boolean; name: string | null }
type Asked = {
  reference: string
  amount: number
  currency: string
  phone: string
  external_id: string
  /** Below the address where the product hears callbacks; null or absent where it wants none. */
  callback_path?: string | null
}
/** One movement in the operator's own book. */
export type Entry = Asked & { state: 'open' | 'moved' | 'refused'; code?: string }
export type Heard = {
  what: 'submit' | 'question' | 'lookup'
  reference: string
  startedMs: number
  endedMs: number | null
}
/** Collections and disbursements are different products of the operator: each finds only the references it was given. */
type Side = 'collections' | 'disbursements'
type How<T> = T | ((nth: number) => T)

/** A mobile-money operator with its own book: real HTTP, and one movement for each reference, even if that is sent twice. */
export type Operator = {
  url: string
  book: ReadonlyMap<string, Entry>
  /** Every request to it, in order; `endedMs` is null until it has answered. */
  journal: readonly Heard[]
  /** How often each reference moved money. References exist so that this is never more than one. */
  movements(): ReadonlyMap<string, number>
  /** Requests to move money that arrived, repeats included. */
  submits(): number
  /** Sets how it treats everybody, or one movement identified by its reference, external id or phone. */
  onSubmit(how: How<SubmitHow>, whose?: string): void
  onQuestion(how: How<StatusHow>, whose?: string): void
  /** Sets who holds a wallet; every other wallet is active. */
  holds(phone: string, holder: WalletHolder): void
  onLookup(how: HolderHow): void
  /** The payer paid, the recipient was paid, or the operator refused. */
  pays(whose: string): void
  refuses(whose: string, code?: string): void
  /** From now on it calls back, once and at once, about each payment that it moves: at its path below this address. */
  callsBackAt(url: string): void
  /** How many callbacks were answered. */
  callbacks(): number
  /** Nothing listens at its address until it opens again. */
  shut(): Promise<void>
  open(): Promise<void>
  close(): Promise<void>
}

const TAKING = new Set<SubmitHow['answer']>(['accept', 'had it', 'silence', 'reset late'])
const ALL = 'all'

/** `pays`: `at once` (the default) moves the money as soon as it is taken; `when told` waits for `pays` or `refuses`. */
export async function startOperator(options: { pays?: 'at once' | 'when told' } = {}): Promise<Operator> {
  const book = new Map<string, Entry>()
  const moved = new Map<string, number>()
  const journal: Heard[] = []
  const submits = new Map<string, How<SubmitHow>>()
  const questions = new Map<string, How<StatusHow>>()
  const sides = new Map<string, Side>()
  const holders = new Map<string, WalletHolder>()
  let lookup: HolderHow = { answer: 'book' }
  const callbacks = newCallbacks()

  const move = (entry: Entry) => {
    entry.state = 'moved'
    moved.set(entry.reference, (moved.get(entry.reference) ?? 0) + 1)
    callbacks.send(entry)
  }
  const entriesOf = (whose: string) =>
    [...book.values()].filter((entry) => namesOf(entry).includes(whose) && entry.state === 'open')

  function take(asked: Asked, side: Side): void {
    const entry: Entry = { ...asked, state: 'open' }
    book.set(asked.reference, entry)
    sides.set(asked.reference, side)
    if (options.pays !== 'when told') move(entry)
  }

  async function submit(side: Side, request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (howFor(submits, [])?.answer === 'reset early') {
      request.socket.resetAndDestroy()
      return
    }
    const asked = JSON.parse(await read(request)) as Asked
    const heard = note('submit', asked.reference)
    const how = howFor(submits, namesOf(asked), count('submit', asked.reference)) ?? { answer: 'accept' }
    const known = book.has(asked.reference)
    if (!known && (how.takes ?? TAKING.has(how.answer))) take(asked, side)
    await delay(how)
    heard.endedMs = performance.now()
    send(response, submitAnswer(known && how.answer === 'accept' ? { answer: 'had it' } : how))
  }

  async function tell(side: Side, reference: string, response: ServerResponse): Promise<void> {
    const heard = note('question', reference)
    const entry = sides.get(reference) === side ? book.get(reference) : undefined
    const names = entry ? namesOf(entry) : [reference]
    const how = howFor(questions, names, count('question', reference)) ?? { answer: 'book' }
    await how.until
    heard.endedMs = performance.now()
    send(response, questionAnswer(how, entry))
  }

  async function tellHolder(phone: string, response: ServerResponse): Promise<void> {
    const { answer, until } = lookup
    const heard = note('lookup', phone)
    await until
    heard.endedMs = performance.now()
    const holder = holders.get(phone) ?? { active: true, name: `HOLDER OF ${phone.slice(-4)}` }
    send(response, answer === 'book' ? { status: 200, body: holder } : faultAnswer(answer))
  }

  function note(what: Heard['what'], reference: string): Heard {
    const heard: Heard = { what, reference, startedMs: performance.now(), endedMs: null }
    journal.push(heard)
    return heard
  }
  const count = (what: Heard['what'], reference: string) =>
    journal.filter((one) => one.what === what && one.reference === reference).length

  const server = createServer((request, response) => {
    const [, where = '', reference = ''] = request.url?.split('/') ?? []
    const done =
      where === 'holders'
        ? tellHolder(reference, response)
        : request.method === 'POST'
          ? submit(where as Side, request, response)
          : tell(where as Side, reference, response)
    // The caller is gone; the book stays as it is.
    done.catch(() => response.destroy())
  })
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', () => resolve()))
  const shut = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  await listen(0)
  const { port } = server.address() as { port: number }
  return {
    url: `http://127.0.0.1:${port}`,
    book,
    journal,
    movements: () => moved,
    submits: () => journal.filter(({ what }) => what === 'submit').length,
    onSubmit: (how, whose = ALL) => void submits.set(whose, how),
    onQuestion: (how, whose = ALL) => void questions.set(whose, how),
    holds: (phone, holder) => void holders.set(phone, holder),
    onLookup: (how) => {
      lookup = how
    },
    pays: (whose) => {
      for (const entry of entriesOf(whose)) move(entry)
    },
    refuses: (whose, code = 'NOT_ENOUGH_FUNDS') => {
      for (const entry of entriesOf(whose)) Object.assign(entry, { state: 'refused', code })
    },
    callsBackAt: callbacks.at,
    callbacks: callbacks.answered,
    shut,
    open: () => listen(port),
    close: () => (server.listening ? shut() : Promise.resolve()),
  }
}

/** Calls that are sent once: nobody may be there any more, and then they are lost. */
function newCallbacks() {
  const state: { url: string | null; answered: number } = { url: null, answered: 0 }
  return {
    at: (url: string) => {
      state.url = url
    },
    answered: () => state.answered,
    send({ reference, callback_path }: Entry): void {
      if (state.url === null || !callback_path) return
      const body = JSON.stringify({ reference, status: 'moved' })
      fetch(`${state.url}/${callback_path}`, { method: 'POST', body, signal: AbortSignal.timeout(2000) }).then(
        () => {
          state.answered += 1
        },
        () => {},
      )
    },
  }
}

const namesOf = (asked: Asked) => [asked.reference, asked.external_id, asked.phone]

function howFor<T>(hows: ReadonlyMap<string, How<T>>, names: readonly string[], nth = 1): T | undefined {
  const found = [...names, ALL].map((name) => hows.get(name)).find((how) => how !== undefined)
  return typeof found === 'function' ? (found as (nth: number) => T)(nth) : found
}

async function delay({ afterMs, until }: SubmitHow): Promise<void> {
  if (afterMs !== undefined) await new Promise((resolve) => setTimeout(resolve, afterMs).unref())
  await until
}

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}
