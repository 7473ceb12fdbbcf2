import type { OperatorCaller } from '../actors/actor.ts'
import type { Gateway } from '../app.ts'
import type { Call, Tx } from '../platform/db/database.ts'
import type { ApprovalKind, Commands } from './approval.ts'

/** What an approved command does, in the transaction that approves it. */
export type Running<Kind extends ApprovalKind> = {
  gateway: Gateway
  tx: Tx
  /** Who approves. */
  actor: OperatorCaller
  merchantId: number
  approval: string
  command: Commands[Kind]
  at: Date
}

/** A kind of command: its rule and its writes on locked rows, and what is left to do when they are committed. */
export type Effect<Kind extends ApprovalKind> = {
  run(running: Running<Kind>): Promise<readonly Call[]>
  after?(gateway: Gateway, command: Commands[Kind]): Promise<void>
}
