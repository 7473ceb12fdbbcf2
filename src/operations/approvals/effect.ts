import type { StaffCaller } from '../../api/access/actor.ts'
import type { Call, Tx } from '../../platform/db/database.ts'
import type { Gateway } from '../../program/app.ts'
import type { ApprovalCommands, ApprovalKind } from './approval.ts'

/** What an effect gets: the approved command, and the transaction that approves it. */
type EffectInput<Kind extends ApprovalKind> = {
  gateway: Gateway
  tx: Tx
  /** The approver. */
  actor: StaffCaller
  merchantId: number
  approval: string
  command: ApprovalCommands[Kind]
  at: Date
}

/** One kind of command: `run` judges it on locked rows and returns its writes; the second step runs after their commit. */
export type Effect<Kind extends ApprovalKind> = {
  run(running: EffectInput<Kind>): Promise<readonly Call[]>
  afterCommit?(gateway: Gateway, command: ApprovalCommands[Kind]): Promise<void>
}
