import { type Moves, mayMove } from '../../platform/moves.ts'

export type ApplicationState = 'draft' | 'submitted' | 'approved' | 'rejected'

/** The one table of moves; the database refuses every other (trigger verifications_move_forward). */
export const APPLICATION_MOVES = {
  draft: { submitted: null, approved: null, rejected: null },
  submitted: { approved: null, rejected: null },
  approved: {},
  rejected: {},
} as const satisfies Moves<ApplicationState>

/** The fault of each field, by its name: `business.legal_name`, or a step alone. */
export type FieldNotes = Readonly<Record<string, string>>

/** A row of `verifications`: one application of a merchant. The draft after a rejection has the next number. */
export type Application = {
  merchantId: number
  number: number
  state: ApplicationState
  openedAt: Date
  submittedAt: Date | null
  submittedBy: string | null
  decidedAt: Date | null
  decidedBy: string | null
  note: string | null
  notes: FieldNotes | null
  /** Why it was approved; only our staff see it. */
  approvalNote: string | null
}

/** Names one application of a merchant. */
export type ApplicationKey = Pick<Application, 'merchantId' | 'number'>

export const APPLICATION_COLUMNS = `v.merchant_id as "merchantId", v.number, v.state, v.opened_at as "openedAt",
  v.submitted_at as "submittedAt", v.submitted_by as "submittedBy", v.decided_at as "decidedAt", v.decided_by as "decidedBy",
  v.note, v.notes, v.approval_note as "approvalNote"`

/** Whether an application may go from one state to another. */
export const mayBecome = (from: ApplicationState, to: ApplicationState): boolean => mayMove(APPLICATION_MOVES, from, to)
