import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { Accounts, type Credentials } from './accounts.ts'
import { type Answer, put } from './answer.ts'
import { Book, type Oracle, type Product, type Transaction } from './book.ts'
import { Callbacks } from './callbacks.ts'
import { seeded } from './chance.ts'
import type { Switch, World } from './checks.ts'
import { type Clock, realClock, virtualClock } from './clock.ts'
import { startControl } from './control.ts'
import { type FaultName, type FaultParams, GENERAL_FAULTS, type GeneralFault, RULE_FAULTS } from './faults.ts'
import { quiet, switchOn } from './general-faults.ts'
import { entryFor, type JournalEntry } from './journal.ts'
import { answerTo } from './operator.ts'
import type { Emulator, EmulatorOptions, FaultOptions } from './options.ts'
import { type Desk, end } from './payments.ts'
import { PROFILES, type Profile } from './profiles.ts'
import { readRequest } from './read-request.ts'
import { type Calls, type Rule, Rules } from './rules.ts'
import { keepState, readState } from './state.ts'
import { type StatementOptions, statementOf } from './statement.ts'
import { openStats, type Stats } from './stats.ts'

export type { Emulator, EmulatorOptions } from './options.ts'

const MOST_JOURNAL = 200_000
const DEFAULT_SEED = 1

/** Starts the operator. Nothing of it is random except by its seed. */
export async function startEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  const emulator = new Operator(options)
  await emulator.start()
  return emulator
}

class Operator implements Emulator {
  url = ''
  controlUrl: string | null = null
  readonly seed: number
  readonly clock: Clock
  readonly credentials: Record<Product, Credentials>
  readonly targetEnvironment: string
  readonly currency: string
  readonly #options: EmulatorOptions
  readonly #desk: Desk
  readonly #general = quiet()
  readonly #journal: JournalEntry[] = []
  readonly #counts = openStats()
  readonly #server: Server
  #control: { close(): Promise<void> } | null = null
  #port = 0

  constructor(options: EmulatorOptions) {
    this.#options = options
    this.seed = options.seed ?? DEFAULT_SEED
    this.clock = options.clock === 'virtual' ? virtualClock() : realClock()
    this.#desk = deskFor(options, this.clock, seeded(this.seed))
    const { world } = this.#desk
    this.credentials = world.accounts.credentials
    this.currency = world.currency
    this.targetEnvironment = world.targetEnvironment
    this.#server = createServer((incoming, response) => {
      // The caller has gone; the book stays as it is.
      this.#serve(incoming, response).catch(() => response.destroy())
    })
    this.#server.keepAliveTimeout = 10_000
    this.reset()
    if (options.stateFile !== undefined) readState(options.stateFile, this.#desk.book)
  }

  async start(): Promise<void> {
    const { port = 0, controlPort = null, host = '127.0.0.1' } = this.#options
    await listen(this.#server, port, host)
    this.#port = (this.#server.address() as { port: number }).port
    this.url = `http://${host}:${this.#port}`
    if (controlPort === null) return
    const control = await startControl(this, { port: controlPort, host })
    this.#control = control
    this.controlUrl = control.url
  }

  async #serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const request = await readRequest(incoming)
    const entry = this.#desk.profile.journal ? entryFor(request, this.clock.nowMs()) : null
    if (entry !== null) {
      this.#journal.push(entry)
      if (this.#journal.length > MOST_JOURNAL) this.#journal.shift()
    }
    const answer: Answer = await answerTo(this.#desk, this.#general, request)
    const ended = put(response, answer)
    this.#counts.count(ended)
    if (entry !== null) Object.assign(entry, { answer: ended, answeredAt: this.clock.nowMs() })
  }

  setRules(rules: readonly Rule[]): void {
    this.#desk.rules.set(rules)
  }

  async fault(name: FaultName, { params = {}, count = 1, match }: FaultOptions = {}): Promise<void> {
    if (isGeneral(name)) return this.#generalFault(name, params)
    const rule: Rule = RULE_FAULTS[name](params)
    this.#desk.rules.addFirst({ ...rule, count, ...(match === undefined ? {} : { match }) })
  }

  async #generalFault(name: GeneralFault, params: FaultParams): Promise<void> {
    if (name === 'refuse') return this.shut()
    if (name === 'restart') return this.restart({ keepsState: params.record ?? true })
    switchOn(this.#desk, this.#general, { name, params })
  }

  switch(name: Switch, on: boolean): void {
    const { switches } = this.#desk.world
    if (on) switches.add(name)
    else switches.delete(name)
  }

  async advance(ms: number): Promise<void> {
    await this.clock.advance(ms)
    await this.#desk.callbacks.idle()
  }

  async resolve(reference: string, to: { status: 'SUCCESSFUL' | 'FAILED'; reason?: string }): Promise<void> {
    const found = this.#desk.book.transactions.get(reference)
    if (found !== undefined) await end(this.#desk, found, to)
  }

  async callback(reference: string, how: Calls = {}): Promise<void> {
    const found = this.#desk.book.transactions.get(reference)
    if (found !== undefined) await this.#desk.callbacks.plan(found, how)
  }

  callbacks(): Callbacks['sent'] {
    return this.#desk.callbacks.sent
  }

  transactions(filter: Partial<Pick<Transaction, 'phone' | 'reference' | 'externalId'>> = {}): Transaction[] {
    const wanted = Object.entries(filter)
    return [...this.#desk.book.transactions.values()].filter((one) =>
      wanted.every(([field, value]) => one[field as keyof Transaction] === value),
    )
  }

  forget(reference: string): void {
    this.#desk.book.transactions.delete(reference)
  }

  remember(transaction: Transaction): void {
    this.#desk.book.transactions.set(transaction.reference, transaction)
  }

  oracle(): Oracle {
    return this.#desk.book.oracle()
  }

  journal(reference?: string): JournalEntry[] {
    return this.#journal.filter((one) => reference === undefined || one.reference === reference)
  }

  wallets(): Record<string, number> {
    return Object.fromEntries(this.#desk.book.wallets)
  }

  setWallet(name: string, amount: number): void {
    this.#desk.book.set(name, amount)
  }

  statement(how: StatementOptions = {}): string {
    return statementOf([...this.#desk.book.transactions.values()], how)
  }

  stats(): Stats {
    return this.#counts.read()
  }

  reset(): void {
    const { book, rules, profile } = this.#desk
    book.clear()
    book.set('collection', 0)
    book.set('disbursement', profile.disbursementOpening)
    this.#journal.length = 0
    rules.set(this.#options.rules ?? [])
    Object.assign(this.#general, quiet())
    this.#desk.statusCap = capOf(this.#options, profile)
  }

  shut(): Promise<void> {
    return shut(this.#server)
  }

  open(): Promise<void> {
    return listen(this.#server, this.#port, this.#options.host ?? '127.0.0.1')
  }

  async restart({ keepsState }: { keepsState: boolean }): Promise<void> {
    await this.shut()
    const { book, world } = this.#desk
    if (!keepsState) {
      book.transactions.clear()
      book.burnt.clear()
    }
    world.accounts.revokeAll()
    await this.open()
  }

  async close(): Promise<void> {
    this.clock.stop()
    const { book, callbacks } = this.#desk
    if (this.#options.stateFile !== undefined) keepState(this.#options.stateFile, book)
    if (this.#server.listening) await this.shut()
    await Promise.all([this.#control?.close(), callbacks.close()])
    this.#counts.stop()
  }
}

const capOf = (options: EmulatorOptions, profile: Profile) =>
  options.statusCap === undefined ? profile.statusCap : options.statusCap

function deskFor(options: EmulatorOptions, clock: Clock, chance: () => number): Desk {
  const profile = PROFILES[options.profile ?? 'mtnuganda']
  const { currency, targetEnvironment } = profile
  const statusCap = capOf(options, profile)
  const { platform = 'old', decide = 'when told', switches = [] } = options
  const accounts = new Accounts(clock, chance, platform)
  const book = new Book(clock, profile)
  const callbacks = new Callbacks(clock)
  callbacks.retries = options.retries ?? 'none'
  const world: World = { accounts, book, currency, targetEnvironment, platform, switches: new Set(switches) }
  return { world, book, clock, rules: new Rules(chance), profile, decide, chance, callbacks, statusCap }
}

const isGeneral = (fault: FaultName): fault is GeneralFault => GENERAL_FAULTS.some((one) => one === fault)

const listen = (server: Server, port: number, host: string) =>
  new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })

const shut = (server: Server) =>
  new Promise<void>((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
