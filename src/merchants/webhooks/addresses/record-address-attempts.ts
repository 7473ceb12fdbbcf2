import { type Call, call } from '../../../platform/db/database.ts'
import { statement } from '../../../platform/db/statement.ts'
import type { PostAttempt } from '../../../platform/outbound/attempt.ts'
import { storeAttempts } from '../delivery-attempts.ts'
import { formatAttemptError, isSuccess, judgeAttempt } from '../record-attempts.ts'
import type { ClaimedForAddress } from './claim-address-deliveries.ts'

/** An attempt at a further address that has ended, with the token of the lease under which it was made. */
export type EndedAddressAttempt = { claimed: ClaimedForAddress; token: string; attempted: PostAttempt }

const RECORD = statement<{ id: string }>(
  'record attempts at further addresses',
  `update address_deliveries d set status = n.status, attempts = n.attempts, last_response_code = n.code, last_error = n.error,
     next_attempt_at = n.next_attempt_at, delivered_at = case when n.status = 'sent' then $10::timestamptz end,
     lease_until = null, lease_token = null
   from unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[], $6::int[], $7::int[], $8::text[], $9::timestamptz[])
     as n (merchant_id, address_id, event_id, token, status, attempts, code, error, next_attempt_at)
   where d.merchant_id = n.merchant_id and d.address_id = n.address_id and d.event_id = n.event_id and d.lease_token = n.token
   returning d.event_id as id`,
)
// Rows are locked in one order, because another process may record attempts at the same addresses.
const RECORD_BEHAVIOUR = statement(
  'record behaviour of further addresses',
  `with n as (
     select a.merchant_id, a.id, w.success
     from unnest($1::bigint[], $2::text[], $3::boolean[]) as w (merchant_id, id, success)
       join webhook_addresses a on a.merchant_id = w.merchant_id and a.id = w.id
     order by a.merchant_id, a.id for no key update of a)
   update webhook_addresses a set last_success_at = case when n.success then $4 else a.last_success_at end,
     failing_since = case when n.success then null else coalesce(a.failing_since, $4) end,
     told = case when n.success then 0 else a.told end, told_at = case when not n.success then a.told_at end
   from n where a.merchant_id = n.merchant_id and a.id = n.id`,
)
const RELEASE = statement(
  'release leases of further addresses',
  'update address_deliveries set lease_until = null, lease_token = null where lease_token = $1',
)

/** Records attempts whose lease still holds, every attempt in the list of attempts, and how the addresses have behaved. */
export function recordAddressAttempts(
  ended: readonly EndedAddressAttempt[],
  at: Date,
  delays: readonly number[],
): Call[] {
  const rows = ended.map(({ claimed, token, attempted }) => ({
    ...{ claimed, token, ...judgeAttempt(claimed, attempted, { at, delays }) },
  }))
  return [
    call(
      RECORD,
      rows.map(({ claimed }) => claimed.merchantId),
      rows.map(({ claimed }) => claimed.addressId),
      rows.map(({ claimed }) => claimed.eventId),
      rows.map(({ token }) => token),
      rows.map(({ status }) => status),
      rows.map(({ claimed }) => claimed.attempts + 1),
      rows.map(({ code }) => code),
      rows.map(({ error }) => error),
      rows.map(({ next }) => next),
      at.toISOString(),
    ),
    ...storeAttempts(ended, at, formatAttemptError),
    recordBehaviour(ended, at),
  ]
}

/** Releases the leases of a worker that stops; its deliveries are still due. */
export const releaseAddressLeases = (token: string): Call => call(RELEASE, token)

/** One success among these attempts makes its address one that answers. */
function recordBehaviour(ended: readonly EndedAddressAttempt[], at: Date): Call {
  const successes = new Map<string, { merchantId: number; success: boolean }>()
  for (const { claimed, attempted } of ended) {
    const { merchantId, addressId } = claimed
    const before = successes.get(addressId)?.success ?? false
    successes.set(addressId, { merchantId, success: before || isSuccess(attempted) })
  }
  return call(
    RECORD_BEHAVIOUR,
    [...successes.values()].map(({ merchantId }) => merchantId),
    [...successes.keys()],
    [...successes.values()].map(({ success }) => success),
    at.toISOString(),
  )
}
