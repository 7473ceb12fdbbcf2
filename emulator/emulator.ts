import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Answer, put } from './answer.ts'
import { isOver, type Oracle, type Place, type Transaction, type TransactionFilter } from './book.ts'
import type { Callbacks } from './callbacks.ts'
import type { Switch } from './checks.ts'
import type { Clock } from './clock.ts'
import { startControl } from './control.ts'
import { decideLater, end } from './decide.ts'
import { beginAnew, deskFor } from './desk.ts'
import { type FaultName, isTrouble, RULE_FAULTS, type Trouble } from './faults.ts'
import { Journal, type JournalEntry } from './journal.ts'
import { Line } from './line.ts'
import { answerTo, type Counter } from './operator.ts'
import type { Emulator, EmulatorOptions, FaultOptions } from './options.ts'
import type { Desk } from './payments.ts'
import { readRequest } from './read-request.ts'
import type { Calls, Rule } from './rules.ts'
import { keepState, readState } from './state.ts'
import { type StatementOptions, statementOf } from './statement.ts'
import { openStats, type Stats } from './stats.ts'
import { quiet, switchOn } from './troubles.ts'

export type { Emulator, EmulatorOptions } from './options.ts'

const LOOPBACK = '127.0.0.1'

/** Starts the operator. Nothing of it is random except by its seed. */
export async function startEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  const emulator = new Operator(options)
  await emulator.start()
  return emulator
}

class Operator implements Emulator {
  controlUrl: string | null = null
  readonly seed: number
  readonly clock: Clock
  readonly credentials: Emulator['credentials']
  readonly targetEnvironment: string
  readonly currency: string
  readonly #options: EmulatorOptions
  readonly #desk: Desk
  readonly #counter: Counter
  readonly #switches: Set<Switch>
  readonly #journal = new Journal()
  readonly #stats = openStats()
  readonly #lines: Record<Place, Line>
  /** How the troubles end that were switched on. */
  readonly #ends = new Set<() => Promise<void>>()
  #control: { close(): Promise<void> } | null = null

  constructor(options: EmulatorOptions) {
    this.#options = options
    this.#switches = new Set(options.switches)
    this.#desk = deskFor(options, {
      isOn: (wanted) => this.#switches.has(wanted) || this.#desk.rules.isOn(wanted),
      begin: ({ name, params = {}, forMs }) => void this.#begin(name, { params, ...(forMs ? { forMs } : {}) }),
    })
    const { accounts, currency, targetEnvironment } = this.#desk.world
    this.seed = this.#desk.seed
    this.clock = this.#desk.clock
    this.credentials = accounts.credentials
    this.targetEnvironment = targetEnvironment
    this.currency = currency
    this.#counter = { desk: this.#desk, troubles: quiet(), asides: new Map() }
    const line = (place: Place) =>
      new Line(options.host ?? LOOPBACK, (incoming, response) => {
        // The caller has gone; the book stays as it is.
        this.#serve(incoming, response, place).catch(() => response.destroy())
      })
    this.#lines = { first: line('first'), moved: line('moved') }
    this.reset()
    if (options.stateFile !== undefined && readState(options.stateFile, this.#desk.book))
      for (const one of this.#desk.book.all()) if (!isOver(one)) decideLater(this.#desk, one)
  }

  async start(): Promise<void> {
    const { port = 0, controlPort = null, controlHost = LOOPBACK } = this.#options
    await this.#lines.first.listen(port)
    if (controlPort === null) return
    const control = await startControl(this, { port: controlPort, host: controlHost })
    this.#control = control
    this.controlUrl = control.url
  }

  get url() {
    return this.#lines.first.url
  }
  get movedUrl() {
    return this.#lines.moved.url === '' ? null : this.#lines.moved.url
  }
  async #serve(incoming: IncomingMessage, response: ServerResponse, place: Place): Promise<void> {
    const beganAt = this.#stats.begin()
    const request = await readRequest(incoming, place)
    const entry = this.#desk.profile.journal ? this.#journal.note(request, this.clock.nowMs()) : null
    const answer: Answer = await answerTo(this.#counter, request)
    const ended = put(response, answer)
    this.#stats.count(ended, beganAt)
    if (entry !== null) Object.assign(entry, { answer: ended, answeredAt: this.clock.nowMs() })
  }

  setRules(rules: readonly Rule[]): void {
    this.#desk.rules.set(rules)
  }

  async fault(name: FaultName, { params = {}, count = 1, match, forMs }: FaultOptions = {}): Promise<void> {
    if (isTrouble(name)) return this.#begin(name, { params, count, ...(forMs ? { forMs } : {}) })
    const rule: Rule = RULE_FAULTS[name](params)
    this.#desk.rules.addFirst({ ...rule, count, ...(match === undefined ? {} : { match }) })
  }

  async #begin(name: Trouble, { params, count = 1, forMs }: FaultOptions & { params: object }): Promise<void> {
    const lasts = forMs ?? ('ms' in params && name === 'tokenDown' ? Number(params.ms) : null)
    const switched = this.#switchOn(name, { params, count })
    const finish = async () => {
      if (this.#ends.delete(finish)) await (await switched)()
    }
    this.#ends.add(finish)
    if (lasts !== null) this.clock.after(lasts, finish)
    await switched
  }

  async #switchOn(
    name: Trouble,
    { params, count }: { params: NonNullable<FaultOptions['params']>; count: number },
  ): Promise<() => unknown> {
    const { first, moved } = this.#lines
    switch (name) {
      case 'refuse':
        await first.shut()
        return () => first.open()
      case 'connectTimeout':
        await first.goDeaf()
        return () => first.open()
      case 'restart':
        await this.restart({ keepsState: params.record ?? true })
        return () => {}
      case 'platformMoved':
        if (!moved.isOpen) await moved.listen()
        return () => {}
      default:
        return switchOn(this.#desk, this.#counter.troubles, { name, params, count })
    }
  }

  async calm(): Promise<void> {
    this.#desk.rules.dropAdded()
    for (const finish of [...this.#ends].reverse()) await finish()
  }

  switch(name: Switch, on: boolean): void {
    if (on) this.#switches.add(name)
    else this.#switches.delete(name)
  }

  async advance(ms: number): Promise<void> {
    await this.clock.advance(ms)
    await this.#desk.callbacks.idle()
  }

  async resolve(reference: string, to: { status: 'SUCCESSFUL' | 'FAILED'; reason?: string }): Promise<void> {
    const found = this.#desk.book.findReference(reference)
    if (found !== undefined) await end(this.#desk, found, to)
  }

  async callback(reference: string, how: Calls = {}): Promise<void> {
    const found = this.#desk.book.findReference(reference)
    if (found !== undefined) await this.#desk.callbacks.plan(found, how)
  }

  callbacks(): Callbacks['sent'] {
    return this.#desk.callbacks.sent
  }

  transactions(filter: TransactionFilter = {}): Transaction[] {
    return this.#desk.book.select(filter)
  }

  oracle(): Oracle {
    return this.#desk.book.oracle()
  }

  journal(reference?: string): JournalEntry[] {
    return this.#journal.read(reference)
  }

  wallets(): Record<string, number> {
    return this.oracle().wallets
  }

  setWallet(name: string, amount: number): void {
    this.#desk.book.wallets.set(name, amount)
  }

  statement(how: StatementOptions = {}): string {
    return statementOf(this.#desk.book.all(), how)
  }

  stats(): Stats {
    return this.#stats.read(this.#desk.callbacks.total)
  }

  reset(): void {
    beginAnew(this.#desk, this.#options)
    this.#journal.clear()
    this.#stats.clear()
    this.#ends.clear()
    Object.assign(this.#counter.troubles, quiet())
    this.#counter.asides.clear()
  }

  shut(): Promise<void> {
    return this.#lines.first.shut()
  }

  open(): Promise<void> {
    return this.#lines.first.open()
  }

  async restart({ keepsState }: { keepsState: boolean }): Promise<void> {
    await this.shut()
    if (!keepsState) this.#desk.book.loseMemory()
    this.#desk.world.accounts.revokeAll()
    await this.open()
  }

  keep(): void {
    if (this.#options.stateFile !== undefined) keepState(this.#options.stateFile, this.#desk.book)
  }

  async close(): Promise<void> {
    this.clock.stop()
    // A trouble that is just beginning would open something behind our back.
    await this.calm()
    this.keep()
    await Promise.all([this.#lines.first.shut(), this.#lines.moved.shut()])
    await Promise.all([this.#control?.close(), this.#desk.callbacks.close()])
    this.#stats.stop()
  }
}
