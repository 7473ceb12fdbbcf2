import { type Call, call } from '../../../platform/db/database.ts'
import { statement } from '../../../platform/db/statement.ts'
import { PREPARED_COLUMNS, type PreparedStatus, type StoredPrepared } from './prepared-payout.ts'

type PreparedKey = { merchantId: number; id: string }
type PreparedDecision = { merchantId: number; id: string; decidedBy: number; decidedName: string; at: Date }

const COUNT_WAITING = statement<{ waiting: number }>(
  'count prepared payouts',
  `select count(*)::int as waiting from (
     select 1 from prepared_payouts where merchant_id = $1 and mode = $2 and status = 'prepared' limit $3) w`,
)
const ADD_PREPARED = statement(
  'add prepared payout',
  `insert into prepared_payouts (merchant_id, id, mode, kind, status, request, fingerprint, amount, fees, recipients, note,
     made_by, made_name, created_at, expires_at)
   values ($1, $2, $3, $4, 'prepared', $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
)
const LOCK_PREPARED = statement<StoredPrepared>(
  'lock prepared payouts',
  `select ${PREPARED_COLUMNS}, r.request, r.fingerprint from prepared_payouts r
   where (r.merchant_id, r.id) in (select * from unnest($1::bigint[], $2::text[]))
   order by r.merchant_id, r.id for no key update of r`,
)
const APPROVE_PREPARED = statement(
  'approve prepared payout',
  `update prepared_payouts set status = 'approved', decided_by = $3, decided_name = $4, decided_at = $5, object_id = $6,
     tries = tries + 1
   where merchant_id = $1 and id = $2`,
)
const END_PREPARED = statement(
  'end prepared payout',
  `update prepared_payouts set status = $3, decided_by = $4, decided_name = $5, decided_at = $6, reason = $7
   where merchant_id = $1 and id = $2 and status = 'prepared'`,
)
const EXPIRE_PREPARED = statement<PreparedKey>(
  'expire prepared payouts',
  `update prepared_payouts p set status = 'expired', decided_at = $1
   from (select merchant_id, id from prepared_payouts where status = 'prepared' and expires_at <= $1
     order by expires_at limit $2 for no key update skip locked) due
   where p.merchant_id = due.merchant_id and p.id = due.id
   returning p.merchant_id as "merchantId", p.id`,
)

/** Counts what waits, up to `limit`. */
export const countWaiting = ({ merchantId, mode }: Pick<StoredPrepared, 'merchantId' | 'mode'>, limit: number) =>
  call(COUNT_WAITING, merchantId, mode, limit)

export const addPrepared = (row: StoredPrepared): Call =>
  call(
    ADD_PREPARED,
    ...[row.merchantId, row.id, row.mode, row.kind, row.request, row.fingerprint],
    ...[row.amount, row.fees, row.recipients, row.note, row.madeBy, row.madeName],
    ...[row.createdAt.toISOString(), row.expiresAt.toISOString()],
  )

export const lockPrepared = (keys: readonly PreparedKey[]): Call<StoredPrepared> =>
  call(
    LOCK_PREPARED,
    keys.map(({ merchantId }) => merchantId),
    keys.map(({ id }) => id),
  )

/** Marks a prepared payout as approved, in the commit that creates what was approved. */
export const approvePreparedRow = ({
  merchantId,
  id,
  decidedBy,
  decidedName,
  at,
  objectId,
}: PreparedDecision & { objectId: string }): Call =>
  call(APPROVE_PREPARED, merchantId, id, decidedBy, decidedName, at.toISOString(), objectId)

export const endPreparedRow = (
  { merchantId, id, decidedBy, decidedName, at }: PreparedDecision,
  { status, reason }: { status: Extract<PreparedStatus, 'rejected' | 'withdrawn'>; reason: string | null },
): Call => call(END_PREPARED, merchantId, id, status, decidedBy, decidedName, at.toISOString(), reason)

/** Expires at most `limit` prepared payouts that were not decided in time. */
export const expireDuePrepared = (now: Date, limit: number): Call<PreparedKey> =>
  call(EXPIRE_PREPARED, now.toISOString(), limit)
