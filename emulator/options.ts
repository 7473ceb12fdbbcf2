import type { Credentials } from './accounts.ts'
import type { Oracle, Product, Transaction } from './book.ts'
import type { Callbacks, Retries } from './callbacks.ts'
import type { Switch } from './checks.ts'
import type { Clock } from './clock.ts'
import type { FaultName, FaultParams } from './faults.ts'
import type { JournalEntry } from './journal.ts'
import type { Decide } from './payments.ts'
import type { ProfileName } from './profiles.ts'
import type { Calls, Match, Rule } from './rules.ts'
import type { StatementOptions } from './statement.ts'
import type { Stats } from './stats.ts'

export type EmulatorOptions = {
  port?: number
  /** Null: no control plane. */
  controlPort?: number | null
  host?: string
  profile?: ProfileName
  seed?: number
  clock?: 'real' | 'virtual'
  platform?: 'old' | 'new'
  /** Who decides about payments; a process of its own lets the profile decide, a test decides itself. */
  decide?: Decide
  /** How many questions a second it answers, instead of the profile's; null: all. */
  statusCap?: number | null
  rules?: readonly Rule[]
  switches?: readonly Switch[]
  retries?: Retries
  stateFile?: string
}

/** `count`: for so many requests that `match`. */
export type FaultOptions = { params?: FaultParams; count?: number; match?: Match }

/** The operator, with what only a test may do to it. */
export type Emulator = {
  url: string
  controlUrl: string | null
  seed: number
  credentials: Record<Product, Credentials>
  targetEnvironment: string
  currency: string
  clock: Clock
  setRules(rules: readonly Rule[]): void
  fault(name: FaultName, options?: FaultOptions): Promise<void>
  switch(name: Switch, on: boolean): void
  advance(ms: number): Promise<void>
  resolve(reference: string, to: { status: 'SUCCESSFUL' | 'FAILED'; reason?: string }): Promise<void>
  callback(reference: string, how?: Calls): Promise<void>
  callbacks(): Callbacks['sent']
  transactions(filter?: { phone?: string; reference?: string; externalId?: string }): Transaction[]
  oracle(): Oracle
  /** The operator no longer knows a reference, as after a move to another platform; `remember` undoes that. */
  forget(reference: string): void
  remember(transaction: Transaction): void
  journal(reference?: string): JournalEntry[]
  wallets(): Record<string, number>
  setWallet(name: string, amount: number): void
  statement(options?: StatementOptions): string
  stats(): Stats
  reset(): void
  shut(): Promise<void>
  open(): Promise<void>
  restart(how: { keepsState: boolean }): Promise<void>
  close(): Promise<void>
}
