import { toColumns } from '../../platform/db/columns.ts'
import { type Call, call } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import type { PostAttempt } from '../../platform/outbound/attempt.ts'
import type { ClaimedDelivery } from './claim-deliveries.ts'
import { nextAttemptInMs } from './delivery.ts'
import { storeAttempts } from './delivery-attempts.ts'

/** An attempt that has ended, with the token of the lease under which it was made. */
export type EndedDeliveryAttempt = { claimed: ClaimedDelivery; token: string; attempted: PostAttempt }

// When a resend was asked for during the attempt, its result is not recorded: the delivery is due again at once.
const RECORD = statement<{ id: string }>(
  'record delivery attempts',
  `update deliveries d set
     status = case when d.resend_wanted then d.status else n.status end,
     attempts = case when d.resend_wanted then d.attempts else n.attempts end,
     last_response_code = case when d.resend_wanted then d.last_response_code else n.code end,
     last_error = case when d.resend_wanted then d.last_error else n.error end,
     next_attempt_at = case when d.resend_wanted then $9::timestamptz else n.next_attempt_at end,
     delivered_at = case when n.status = 'sent' and not d.resend_wanted then $9::timestamptz end,
     resend_wanted = false, lease_until = null, lease_token = null
   from unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::int[], $6::int[], $7::text[], $8::timestamptz[])
     as n (merchant_id, event_id, token, status, attempts, code, error, next_attempt_at)
   where d.merchant_id = n.merchant_id and d.event_id = n.event_id and d.lease_token = n.token
   returning d.event_id as id`,
)
const RECORD_BEHAVIOUR = statement(
  'record receiver behaviour',
  `insert into receivers as r (merchant_id, lane, good_in_a_row, last_success_at, failing_since)
   select merchant_id, lane, good, case when success then $5::timestamptz end, case when not success then $5::timestamptz end
   from unnest($1::bigint[], $2::text[], $3::int[], $4::boolean[]) as n (merchant_id, lane, good, success)
   on conflict (merchant_id) do update set lane = excluded.lane,
     good_in_a_row = case when excluded.good_in_a_row = 0 then 0 else least(r.good_in_a_row + excluded.good_in_a_row, 1000) end,
     last_success_at = coalesce(excluded.last_success_at, r.last_success_at),
     failing_since = case when excluded.last_success_at is null then coalesce(r.failing_since, excluded.failing_since) end`,
)
const RELEASE = statement(
  'release delivery leases',
  `update deliveries set lease_until = null, lease_token = null where lease_token = $1`,
)

const GOOD_WITHIN_MS = 1000

export const isSuccess = (attempted: PostAttempt) =>
  attempted.kind === 'answered' && attempted.status >= 200 && attempted.status < 300

/** A success within a second, which counts towards more places. */
export const isGood = (attempted: PostAttempt) => isSuccess(attempted) && attempted.elapsedMs < GOOD_WITHIN_MS

/** Returns the error class of a failed attempt, as it is stored; null where it succeeded. */
export function formatAttemptError(attempted: PostAttempt): string | null {
  if (isSuccess(attempted)) return null
  switch (attempted.kind) {
    case 'answered':
      return `http ${attempted.status}`
    case 'refused_target':
      return 'refused target'
    case 'failed':
      return attempted.error
  }
}

/** Records attempts whose lease still holds. A late attempt whose delivery was claimed again changes nothing but the list of attempts. */
export function recordAttempts(ended: readonly EndedDeliveryAttempt[], at: Date, delays: readonly number[]): Call[] {
  const rows = ended.map(({ claimed, token, attempted }) => ({
    claimed,
    token,
    ...judgeAttempt(claimed, attempted, { at, delays }),
  }))
  const each = toColumns(rows)
  return [
    call(
      RECORD,
      rows.map((row) => row.claimed.merchantId),
      rows.map((row) => row.claimed.eventId),
      ...each.values('token', 'status'),
      rows.map((row) => row.claimed.attempts + 1),
      ...each.values('code', 'error', 'next'),
      at.toISOString(),
    ),
    ...storeAttempts(ended, at, formatAttemptError),
    recordBehaviour(ended, at),
  ]
}

/** Releases the leases of a worker that stops; its deliveries are still due. */
export const releaseLeases = (token: string): Call => call(RELEASE, token)

/** Judges what was heard: the state of the delivery, and when it is tried again; null: not any more. */
export function judgeAttempt(
  claimed: Pick<ClaimedDelivery, 'attempts'>,
  attempted: PostAttempt,
  { at, delays }: { at: Date; delays: readonly number[] },
) {
  const code = attempted.kind === 'answered' ? attempted.status : attempted.kind === 'failed' ? attempted.status : null
  if (isSuccess(attempted)) return { status: 'sent', code, error: null, next: null }
  const wait = nextAttemptInMs(claimed.attempts + 1, delays)
  const next = wait === null ? null : new Date(at.getTime() + wait).toISOString()
  return { status: wait === null ? 'failed' : 'pending', code, error: formatAttemptError(attempted), next }
}

/** Records one row per merchant: a time-out or a refused connection makes its receiver slow, one success makes it fast again. */
function recordBehaviour(ended: readonly EndedDeliveryAttempt[], at: Date): Call {
  const byMerchant = new Map<number, { lane: 'fast' | 'slow'; good: number; success: boolean }>()
  for (const { claimed, attempted } of ended) {
    const before = byMerchant.get(claimed.merchantId) ?? {
      // Later attempts run slow even if their merchant's receiver is fast.
      lane: claimed.which === 'retries' ? 'fast' : claimed.lane,
      good: 0,
      success: false,
    }
    byMerchant.set(claimed.merchantId, behaviourAfter(before, attempted))
  }
  const rows = [...byMerchant].sort(([a], [b]) => a - b)
  return call(
    RECORD_BEHAVIOUR,
    rows.map(([merchantId]) => merchantId),
    rows.map(([, row]) => row.lane),
    rows.map(([, row]) => row.good),
    rows.map(([, row]) => row.success),
    at.toISOString(),
  )
}

function behaviourAfter(
  before: { lane: 'fast' | 'slow'; good: number; success: boolean },
  attempted: PostAttempt,
): { lane: 'fast' | 'slow'; good: number; success: boolean } {
  if (isSuccess(attempted)) return { lane: 'fast', good: isGood(attempted) ? before.good + 1 : 0, success: true }
  return { lane: attempted.kind === 'answered' ? before.lane : 'slow', good: 0, success: before.success }
}
