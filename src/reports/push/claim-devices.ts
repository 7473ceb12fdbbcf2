import { numberColumn, textColumn } from '../../platform/db/columns.ts'
import { type Call, call } from '../../platform/db/database.ts'
import { dueCondition } from '../../platform/db/due-times.ts'
import { statement } from '../../platform/db/statement.ts'
import { addMs } from '../../platform/time/clock.ts'
import type { DeviceNews } from './word-message.ts'

/** A device that is due for a message. */
export type DueDevice = { merchantId: number; id: string; origin: string; misses: number }

/** A device that this process has claimed, with what it is to be told. */
export type ClaimedDevice = DueDevice &
  DeviceNews & {
    personId: number
    till: boolean
    sessionId: string | null
    sealed: Buffer
    minuteEnds: Date | null
    minuteCount: number
    business: string
    body: string | null
    event: string | null
    subject: string | null
  }

const LEASE_MS = 20_000
const MINUTE_MS = 60_000
// More news of a minute becomes one message at its end.
const MAX_MESSAGES_PER_MINUTE = 6
const MAX_DUE_READ = 1000
const MAX_DUE = 200
// After so many attempts in a row that nobody took, over more than a day, a device is forgotten.
const RETRY_DELAYS_MS = [10, 60, 300, 1800, 7200, 21_600, 64_800].map((seconds) => seconds * 1000)
const LONGEST_DELAY_MS = Math.max(...RETRY_DELAYS_MS)

/** SQL of the time at which a device may get its next message. `at`: the parameter of now. */
export const paceSql = (device: string, at: string): string =>
  `case when ${device}.minute_count >= ${MAX_MESSAGES_PER_MINUTE} and ${device}.minute_ends > ${at}::timestamptz
   then ${device}.minute_ends else ${at}::timestamptz end`

const IS_DUE = `${dueCondition('d.due_at', '$1', LONGEST_DELAY_MS)}
  and (d.lease_until is null or ${dueCondition('d.lease_until', '$1', LEASE_MS)})`

// Merchants in turn: one with many devices does not hide the others.
const FIND_DUE = statement<DueDevice>(
  'push devices that are due',
  `select merchant_id as "merchantId", id, origin, misses from (
     select r.*, row_number() over (partition by r.merchant_id order by r.due_at, r.id) as turn
     from (select d.merchant_id, d.id, d.origin, d.misses, d.due_at from push_devices d where ${IS_DUE}
       and not d.origin = any($2::text[]) and not d.merchant_id = any($3::bigint[]) and (d.misses = 0 or $4) order by d.due_at limit ${MAX_DUE_READ}) r) d
   order by turn, due_at, id limit ${MAX_DUE}`,
)
const CLAIM = statement<ClaimedDevice>(
  'claim push devices',
  `with due as (
     select d.merchant_id, d.id from push_devices d join unnest($4::bigint[], $5::text[]) as w (merchant_id, id)
       on d.merchant_id = w.merchant_id and d.id = w.id
     where ${IS_DUE} order by d.merchant_id, d.id for no key update of d skip locked),
   claimed as (
     update push_devices d set lease_until = $2, lease_token = $3 from due where d.merchant_id = due.merchant_id and d.id = due.id returning d.*)
   select d.merchant_id as "merchantId", d.id, d.origin, d.misses, d.person_id as "personId", d.till, d.session_id as "sessionId", d.sealed, d.minute_ends as "minuteEnds", d.minute_count as "minuteCount",
      d.paid_count as "paidCount", d.paid_sum as "paidSum", d.failed_count as "failedCount",
     d.payouts_failed as "payoutsFailed", m.name as business, e.body, e.type as event, e.subject, c.phone
   from claimed d join merchants m on m.id = d.merchant_id left join events e on e.merchant_id = d.merchant_id and e.id = d.last_event
     left join charges c on c.merchant_id = e.merchant_id and c.id = e.subject`,
)
const RECORD_TOLD = statement(
  'push device was told',
  `update push_devices set paid_count = paid_count - $4, paid_sum = paid_sum - $5, failed_count = failed_count - $6,
     payouts_failed = payouts_failed - $7, sent_at = coalesce($8::timestamptz, sent_at), misses = 0,
     lease_until = null, lease_token = null, minute_ends = $9, minute_count = $10,
     due_at = case when paid_count + failed_count + payouts_failed > $4 + $6 + $7 then $11::timestamptz end
   where merchant_id = $1 and id = $2 and lease_token = $3`,
)
const RECORD_MISS = statement(
  'push device was missed',
  `update push_devices set misses = misses + 1, due_at = $4, lease_until = null, lease_token = null
   where merchant_id = $1 and id = $2 and lease_token = $3`,
)
const FORGET = statement(
  'forget push device',
  'delete from push_devices where merchant_id = $1 and id = $2 and lease_token = $3',
)
const RELEASE = statement(
  'release push leases',
  'update push_devices set lease_until = null, lease_token = null where lease_token = $1',
)

/** What has no free socket now. */
export type BusySockets = { origins: readonly string[]; merchants: readonly number[]; slow: boolean }

/** Finds devices that are due and for which there are sockets, merchants in turn. */
export const findDueDevices = (now: Date, { origins, merchants, slow }: BusySockets): Call<DueDevice> =>
  call(FIND_DUE, now.toISOString(), textColumn(origins), numberColumn(merchants), !slow)

/** Claims devices for one attempt each; those that another process has claimed are left out. */
export const claimDevices = (
  devices: readonly DueDevice[],
  { now, token }: { now: Date; token: string },
): Call<ClaimedDevice> =>
  call(
    CLAIM,
    now.toISOString(),
    addMs(now, LEASE_MS).toISOString(),
    token,
    numberColumn(devices.map(({ merchantId }) => merchantId)),
    textColumn(devices.map(({ id }) => id)),
  )

type Recording = { claimed: ClaimedDevice; token: string; now: Date }

/** Records that a device was told of what it was claimed with; `sent`: false where there was nothing to say. */
export function recordTold({ claimed, token, now }: Recording, sent: boolean): Call {
  const { merchantId, id, paidCount, paidSum, failedCount, payoutsFailed } = claimed
  const { minuteEnds, minuteCount } = countMinute(claimed, { now, sent })
  const next = minuteCount >= MAX_MESSAGES_PER_MINUTE ? minuteEnds : now
  const told = [paidCount, paidSum, failedCount, payoutsFailed, sent ? now.toISOString() : null]
  return call(RECORD_TOLD, merchantId, id, token, ...told, minuteEnds.toISOString(), minuteCount, next.toISOString())
}

function countMinute({ minuteEnds, minuteCount }: ClaimedDevice, { now, sent }: { now: Date; sent: boolean }) {
  const goesOn = minuteEnds !== null && minuteEnds > now && minuteEnds <= addMs(now, MINUTE_MS)
  return {
    minuteEnds: goesOn ? minuteEnds : addMs(now, MINUTE_MS),
    minuteCount: (goesOn ? minuteCount : 0) + (sent ? 1 : 0),
  }
}

/** Records that the push service did not take a message, and when it is tried again; after too many attempts the device is forgotten. */
export function recordMiss({ claimed, token, now }: Recording, waitMs: number | null): Call {
  const delay = RETRY_DELAYS_MS[claimed.misses]
  if (delay === undefined) return forgetDevice({ claimed, token })
  const wait = Math.min(Math.max(delay, waitMs ?? 0), LONGEST_DELAY_MS)
  return call(RECORD_MISS, claimed.merchantId, claimed.id, token, addMs(now, wait).toISOString())
}

export const forgetDevice = ({ claimed, token }: Pick<Recording, 'claimed' | 'token'>): Call =>
  call(FORGET, claimed.merchantId, claimed.id, token)

export const releaseDevices = (token: string): Call => call(RELEASE, token)
