import type { Mode } from '../../../platform/mode.ts'
import { type Moves, statesOf } from '../../../platform/moves.ts'

/** The kinds of request that one person prepares and another approves. */
export type PreparedKind = 'payout' | 'bulk' | 'schedule' | 'subaccount'
export type PreparedStatus = 'prepared' | 'approved' | 'rejected' | 'expired' | 'withdrawn'

/** The moves that exist; the database refuses every other one (trigger prepared_payouts_move_forward). */
export const PREPARED_MOVES = {
  prepared: { approved: null, rejected: null, expired: null, withdrawn: null },
  approved: {},
  rejected: {},
  expired: {},
  withdrawn: {},
} as const satisfies Moves<PreparedStatus>

export const PREPARED_STATUSES = statesOf<PreparedStatus>(PREPARED_MOVES)

/** A row of `prepared_payouts` without its bytes. Whole UGX. `objectId`: what the approval created. */
export type PreparedPayout = {
  merchantId: number
  id: string
  mode: Mode
  kind: PreparedKind
  status: PreparedStatus
  amount: number
  fees: number
  recipients: number
  note: string | null
  madeBy: number
  madeName: string
  createdAt: Date
  expiresAt: Date
  decidedBy: number | null
  decidedName: string | null
  decidedAt: Date | null
  reason: string | null
  objectId: string | null
  tries: number
  /** Whether the operator provably did not take the payout that the approval created; then nothing was sent. */
  takenBack: boolean
}

/** A prepared payout with the bytes that the approval runs. */
export type StoredPrepared = PreparedPayout & { request: Buffer; fingerprint: Buffer }

export const PREPARED_PREFIX = 'prep_'

export const PREPARED_COLUMNS = `r.merchant_id as "merchantId", r.id, r.mode, r.kind, r.status, r.amount, r.fees, r.recipients,
  r.note, r.made_by as "madeBy", r.made_name as "madeName", r.created_at as "createdAt", r.expires_at as "expiresAt",
  r.decided_by as "decidedBy", r.decided_name as "decidedName", r.decided_at as "decidedAt", r.reason,
  r.object_id as "objectId", r.tries,
  exists (select 1 from payouts o where o.merchant_id = r.merchant_id and o.id = r.object_id and o.voided_at is not null)
    as "takenBack"`

/** Presents a prepared payout to the person who has prepared it. */
export const presentPrepared = (row: PreparedPayout) => ({
  id: row.id,
  mode: row.mode,
  kind: row.kind,
  status: row.status,
  amount: row.amount,
  fees: row.fees,
  recipients: row.recipients,
  created_at: row.createdAt.toISOString(),
  expires_at: row.expiresAt.toISOString(),
})
