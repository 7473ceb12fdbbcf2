import type { Action } from '../../api/access/actions.ts'
import type { Mode } from '../../platform/mode.ts'
import type { Moves } from '../../platform/moves.ts'
import type { RailSide } from '../../rails/rail.ts'

/** The accounts of the merchant's own books against which a correction can be posted. */
export const CORRECTION_ACCOUNTS = ['rail', 'fees', 'adjustments'] as const

/** Identifies the freeze that is to end by its reason and its beginning (null: not known). Any other freeze stays. */
type FreezeIdentity = { frozen_for: string; frozen_at: string | null }

/** A correction of a balance. */
type AdjustmentCommand = {
  kind: 'adjustment'
  merchant: string
  mode: Mode
  exception: string
  /** What the exception is about. */
  about: string
  /** The subject of its transfer. It is chosen when the correction is asked for, so that it can be posted only once. */
  id: string
  /** `in`: the merchant's balance grows. */
  direction: 'in' | 'out'
  against: (typeof CORRECTION_ACCOUNTS)[number]
  /** Whole UGX. */
  amount: number
  /** The text that the merchant reads. */
  told: string
  /** Whether the exception is resolved with it. */
  resolve: boolean
  reason: string
}

/** The commands that need an approval, by kind, as their stored bytes hold them. */
export type ApprovalCommands = {
  adjustment: AdjustmentCommand
  /** Succeeds a movement of which its operator reports another amount; the difference is posted as a correction. */
  'end-as-told': Pick<
    AdjustmentCommand,
    'merchant' | 'mode' | 'exception' | 'about' | 'id' | 'direction' | 'amount' | 'told'
  > & {
    kind: 'end-as-told'
    /** The amount that the operator reports as moved. Whole UGX. */
    moved: number
    /** The operator's own number of the movement, where it has reported one. */
    number: string | null
    against: 'rail'
    reason: string
  }
  'unfreeze-merchant': { kind: 'unfreeze-merchant'; merchant: string; reason: string } & FreezeIdentity
  'unfreeze-platform': { kind: 'unfreeze-platform'; reason: string } & FreezeIdentity
  /** `instead_of`: what took new movements when it was asked for. */
  installation: {
    kind: 'installation'
    side: RailSide
    installation: string
    instead_of: string | null
    reason: string
  }
  /** `closed_at` identifies the closing that is undone. */
  'reopen-account': { kind: 'reopen-account'; merchant: string; closed_at: string; reason: string }
  /** `statement` is the import; its name and digest are those that the asker saw. */
  'take-back-statement': {
    kind: 'take-back-statement'
    statement: string
    name: string
    digest: string
    reason: string
  }
  /** `about`: the invariant and its offender, as the exception names them. `merchant` null: it belongs to none. */
  'accept-breach': {
    kind: 'accept-breach'
    merchant: string | null
    mode: Mode
    exception: string
    about: string
    reason: string
  }
}
export type ApprovalKind = keyof ApprovalCommands
export type ApprovalCommand = ApprovalCommands[ApprovalKind]

/** The action that both the asker and the approver must be allowed, by kind. */
export const APPROVAL_ACTIONS = {
  adjustment: 'ledger.adjust',
  'end-as-told': 'movement.end-as-told',
  'unfreeze-merchant': 'payouts.unfreeze',
  'unfreeze-platform': 'payouts.unfreeze',
  installation: 'installation.switch',
  'take-back-statement': 'statement.take-back',
  'accept-breach': 'breach.accept',
  'reopen-account': 'merchant.reopen',
} as const satisfies Record<ApprovalKind, Action>

export type ApprovalStatus = 'waiting' | 'approved' | 'rejected' | 'withdrawn' | 'expired'

/** The one table of moves; the database refuses every other (trigger approvals_move_forward). */
export const APPROVAL_MOVES = {
  waiting: { approved: null, rejected: null, withdrawn: null, expired: null },
  approved: {},
  rejected: {},
  withdrawn: {},
  expired: {},
} as const satisfies Moves<ApprovalStatus>

/** A row of `approvals`. `merchantId` is 0 where it concerns the platform and is stored in the directory. */
export type Approval = {
  merchantId: number
  id: string
  kind: ApprovalKind
  mode: Mode
  subject: string
  status: ApprovalStatus
  command: Buffer
  digest: Buffer
  reason: string
  askedBy: number
  askedName: string
  askedAt: Date
  expiresAt: Date
  decidedBy: number | null
  decidedName: string | null
  decidedAt: Date | null
  note: string | null
  /** Why its operation was refused at the last attempt to approve it. */
  refused: string | null
  refusedAt: Date | null
  /** The last attempt to approve it was refused for lack of money: it waits until the money is there, and does not expire. */
  waitsForMoney: boolean
}

/** How long an approval waits for a decision before it expires. */
export const APPROVAL_WAIT_MS = 24 * 3_600_000
export const APPROVAL_PREFIX = 'apr_'
/** The tag of approvals that concern the platform. It can be no merchant's, because their tags have five characters. */
export const PLATFORM_TAG = 'platform'

/** Whether it can still be decided. An overdue row keeps its status until the sweep expires it, so the time is checked here too. */
export const isWaiting = (
  { status, expiresAt, waitsForMoney }: Pick<Approval, 'status' | 'expiresAt' | 'waitsForMoney'>,
  now: Date,
): boolean => status === 'waiting' && (waitsForMoney || expiresAt > now)

export const APPROVAL_COLUMNS = `a.merchant_id as "merchantId", a.id, a.kind, a.mode, a.subject, a.status, a.command, a.digest, a.reason,
  a.asked_by as "askedBy", a.asked_name as "askedName", a.asked_at as "askedAt", a.expires_at as "expiresAt",
  a.decided_by as "decidedBy", a.decided_name as "decidedName", a.decided_at as "decidedAt", a.note, a.refused,
  a.refused_at as "refusedAt", a.waits_for_money as "waitsForMoney"`

/** Parses the stored command. Its bytes were written from a command, and a constraint holds them to their digest. */
export const parseCommand = ({ command }: Pick<Approval, 'command'>): ApprovalCommand => JSON.parse(command.toString())
