import { type Call, call } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import { APPROVAL_COLUMNS, type Approval, type ApprovalKind, type ApprovalStatus } from './approval.ts'

type ApprovalKey = { merchantId: number; id: string }
type ApprovalSubject = { merchantId: number; kind: ApprovalKind; subject: string }

// An overdue approval makes room for the next about the same subject.
const EXPIRE_ABOUT = statement(
  'expire approval about something',
  `update approvals set status = 'expired', decided_at = $4
   where merchant_id = $1 and kind = $2 and subject = $3 and status = 'waiting' and not waits_for_money and expires_at <= $4`,
)
const ADD = statement<{ id: string }>(
  'add approval',
  `insert into approvals (merchant_id, id, kind, mode, subject, status, command, digest, reason, asked_by, asked_name, asked_at, expires_at)
   values ($1, $2, $3, $4, $5, 'waiting', $6, $7, $8, $9, $10, $11, $12)
   on conflict (merchant_id, kind, subject) where status = 'waiting' do nothing returning id`,
)
const FIND_WAITING_ABOUT = statement<Approval>(
  'waiting approval about something',
  `select ${APPROVAL_COLUMNS} from approvals a where a.merchant_id = $1 and a.kind = $2 and a.subject = $3 and a.status = 'waiting'`,
)
const LOCK = statement<Approval>(
  'lock approval',
  `select ${APPROVAL_COLUMNS} from approvals a where a.merchant_id = $1 and a.id = $2 for no key update`,
)
const FIND = statement<Approval>(
  'approval to decide on',
  `select ${APPROVAL_COLUMNS} from approvals a where a.merchant_id = $1 and a.id = $2`,
)
const DECIDE = statement(
  'decide approval',
  `update approvals set status = $3, decided_by = $4, decided_name = $5, decided_at = $6, note = $7, refused = null, refused_at = null
   where merchant_id = $1 and id = $2`,
)
const STORE_REFUSAL = statement(
  'approval was refused',
  `update approvals set refused = $3, refused_at = $4, waits_for_money = $5 where merchant_id = $1 and id = $2 and status = 'waiting'`,
)
const EXPIRE = statement<ApprovalKey>(
  'expire approvals',
  `update approvals p set status = 'expired', decided_at = $1
   from (select merchant_id, id from approvals where status = 'waiting' and not waits_for_money and expires_at <= $1
     order by expires_at limit $2 for no key update skip locked) due
   where p.merchant_id = due.merchant_id and p.id = due.id
   returning p.merchant_id as "merchantId", p.id`,
)

export const expireAbout = ({ merchantId, kind, subject }: ApprovalSubject, at: Date): Call =>
  call(EXPIRE_ABOUT, merchantId, kind, subject, at.toISOString())

/** Returns no row when one about the same subject waits already. */
export const addApproval = (row: Approval): Call<{ id: string }> =>
  call(
    ADD,
    ...[row.merchantId, row.id, row.kind, row.mode, row.subject, row.command, row.digest, row.reason],
    ...[row.askedBy, row.askedName, row.askedAt.toISOString(), row.expiresAt.toISOString()],
  )

export const findWaitingAbout = ({ merchantId, kind, subject }: ApprovalSubject): Call<Approval> =>
  call(FIND_WAITING_ABOUT, merchantId, kind, subject)

export const lockApproval = ({ merchantId, id }: ApprovalKey): Call<Approval> => call(LOCK, merchantId, id)

export const findApproval = ({ merchantId, id }: ApprovalKey): Call<Approval> => call(FIND, merchantId, id)

type ApprovalDecision = ApprovalKey & {
  status: Exclude<ApprovalStatus, 'waiting' | 'expired'>
  by: { personId: number; name: string }
  at: Date
  note: string | null
}
export const decideApproval = ({ merchantId, id, status, by, at, note }: ApprovalDecision): Call =>
  call(DECIDE, merchantId, id, status, by.personId, by.name, at.toISOString(), note)

/** Stores why the operation was refused. `forMoney`: for lack of money, so that the approval does not expire. */
export const storeApprovalRefusal = (
  { merchantId, id }: ApprovalKey,
  { text, forMoney }: { text: string; forMoney: boolean },
  at: Date,
): Call => call(STORE_REFUSAL, merchantId, id, text, at.toISOString(), forMoney)

export const expireDueApprovals = (at: Date, most: number): Call<ApprovalKey> => call(EXPIRE, at.toISOString(), most)
