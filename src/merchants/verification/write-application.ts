import { type Call, call } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import {
  APPLICATION_COLUMNS,
  type Application,
  type ApplicationKey,
  type ApplicationState,
  type FieldNotes,
} from './application.ts'

// The one file that writes the state of an application.
const FIND_LATEST = statement<Application>(
  'latest verification',
  `select ${APPLICATION_COLUMNS} from verifications v where v.merchant_id = $1 order by v.number desc limit 1`,
)
const LOCK_LATEST = statement<Application>(
  'lock latest verification',
  `select ${APPLICATION_COLUMNS} from verifications v where v.merchant_id = $1 order by v.number desc limit 1 for no key update`,
)
const OPEN = statement(
  'open verification',
  `insert into verifications (merchant_id, number, state, opened_at) values ($1, $2, 'draft', $3)`,
)
const SUBMIT = statement(
  'submit verification',
  `update verifications set state = 'submitted', submitted_at = $3, submitted_by = $4 where merchant_id = $1 and number = $2`,
)
const DECIDE = statement(
  'decide verification',
  `update verifications set state = $3, decided_at = $4, decided_by = $5, note = $6, notes = $7, approval_note = $8
   where merchant_id = $1 and number = $2`,
)

export const findLatestApplication = (merchantId: number): Call<Application> => call(FIND_LATEST, merchantId)

/** Finds the newest application of a merchant, locked until the commit. */
export const lockLatestApplication = (merchantId: number): Call<Application> => call(LOCK_LATEST, merchantId)

/** Opens a draft. Fails where the merchant has an open one already. */
export const openApplication = ({ merchantId, number }: ApplicationKey, at: Date): Call =>
  call(OPEN, merchantId, number, at.toISOString())

export const submitApplicationRow = (
  { merchantId, number }: ApplicationKey,
  { at, by }: { at: Date; by: string },
): Call => call(SUBMIT, merchantId, number, at.toISOString(), by)

export type ApplicationDecision = {
  state: Extract<ApplicationState, 'approved' | 'rejected'>
  at: Date
  by: string
  note: string | null
  notes: FieldNotes | null
  /** Only of an approval, and only for our staff. */
  approvalNote?: string | null
}

export const decideApplicationRow = (
  { merchantId, number }: ApplicationKey,
  { state, at, by, ...texts }: ApplicationDecision,
): Call => {
  const { note, notes, approvalNote = null } = texts
  const fieldNotes = notes && JSON.stringify(notes)
  return call(DECIDE, merchantId, number, state, at.toISOString(), by, note, fieldNotes, approvalNote)
}
