import type { Credentials } from './accounts.ts'
import type { Oracle, Product, Transaction, TransactionFilter } from './book.ts'
import type { Callbacks, Retries } from './callbacks.ts'
import type { Switch } from './checks.ts'
import type { Clock } from './clock.ts'
import type { Decide } from './decide.ts'
import type { FaultName, FaultParams } from './faults.ts'
import type { JournalEntry } from './journal.ts'
import type { ProfileName } from './profiles.ts'
import type { Calls, Match, Rule } from './rules.ts'
import type { StatementOptions } from './statement.ts'
import type { Stats } from './stats.ts'
import type { Limits } from './wallets.ts'

export type EmulatorOptions = {
  port?: number
  /** Null: no control plane. */
  controlPort?: number | null
  host?: string
  /** Of the control plane; the loopback address unless told. */
  controlHost?: string
  profile?: ProfileName
  seed?: number
  /** Or what says the time, in ms, to an operator that waits for real. */
  clock?: 'real' | 'virtual' | (() => number)
  platform?: 'old' | 'new'
  /** Who decides about payments; a process of its own lets the profile decide, a test decides itself. */
  decide?: Decide
  /** How many questions a second it answers, instead of the profile's; null: all. */
  statusCap?: number | null
  rules?: readonly Rule[]
  switches?: readonly Switch[]
  retries?: Retries
  /** Hosts that callbacks may go to, beside the loopback names. */
  callbackHosts?: readonly string[]
  /** What the operator lets through at most; none unless the profile decides. */
  limits?: Limits
  stateFile?: string
}

/** `count`: for so many requests that `match`; `forMs`: how long a trouble of the whole operator lasts. */
export type FaultOptions = { params?: FaultParams; count?: number; match?: Match; forMs?: number }

/** The operator, with what only a test may do to it. */
export type Emulator = {
  url: string
  /** Its second address, once it has moved (fault `platformMoved`): what was taken at the first is unknown there. */
  movedUrl: string | null
  controlUrl: string | null
  seed: number
  credentials: Record<Product, Credentials>
  targetEnvironment: string
  currency: string
  clock: Clock
  setRules(rules: readonly Rule[]): void
  fault(name: FaultName, options?: FaultOptions): Promise<void>
  /** Ends all faults and troubles; rules that were set stay. */
  calm(): Promise<void>
  switch(name: Switch, on: boolean): void
  advance(ms: number): Promise<void>
  resolve(reference: string, to: { status: 'SUCCESSFUL' | 'FAILED'; reason?: string }): Promise<void>
  callback(reference: string, how?: Calls): Promise<void>
  callbacks(): Callbacks['sent']
  transactions(filter?: TransactionFilter): Transaction[]
  oracle(): Oracle
  journal(reference?: string): JournalEntry[]
  wallets(): Record<string, number>
  setWallet(name: string, amount: number): void
  statement(options?: StatementOptions): string
  stats(): Stats
  reset(): void
  shut(): Promise<void>
  open(): Promise<void>
  restart(how: { keepsState: boolean }): Promise<void>
  /** Writes the state file now. */
  keep(): void
  close(): Promise<void>
}
