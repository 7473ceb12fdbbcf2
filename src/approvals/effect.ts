import type { OperatorCaller } from '../actors/actor.ts'
import type { Gateway } from '../app.ts'
import type { Call, Tx } from '../platform/db/database.ts'
import type { ApprovalKind, Commands } from './approval.ts'

/** What an effect gets: the approved command, and the transaction that approves it. */
type Running<Kind extends ApprovalKind> = {
  gateway: Gateway
  tx: Tx
  /** The approver. */
  actor: OperatorCaller
  merchantId: number
  approval: string
  command: Commands[Kind]
  at: Date
}

/** One kind of command: `run` judges it on locked rows and returns its writes; the second step runs after their commit. */
export type Effect<Kind extends ApprovalKind> = {
  run(running: Running<Kind>): Promise<readonly Call[]>
  after?(gateway: Gateway, command: Commands[Kind]): Promise<void>
}
