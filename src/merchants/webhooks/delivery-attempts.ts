import type { Caller } from '../../api/access/actor.ts'
import type { Call } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import { bigint, copyInto, integer, text, time } from '../../platform/db/wire/copy.ts'
import type { PostAttempt } from '../../platform/outbound/attempt.ts'
import { isControl, isLineControl } from '../../platform/text/text.ts'
import type { App } from '../../program/app.ts'
import type { ClaimedDelivery } from './claim-deliveries.ts'

/** One attempt as its merchant sees it. `answer` is the beginning of what the merchant's own server answered. */
export type DeliveryAttempt = {
  at: Date
  url: string
  responseCode: number | null
  error: string | null
  ms: number
  answer: string | null
}

type AttemptResult = { claimed: ClaimedDelivery; attempted: PostAttempt }

const MAX_ATTEMPTS_LISTED = 50
const MAX_ANSWER_CHARACTERS = 1000

type NewDeliveryAttempt = DeliveryAttempt & Pick<ClaimedDelivery, 'merchantId' | 'eventId' | 'addressId'>
const ADD_ATTEMPTS = copyInto<NewDeliveryAttempt>('keep delivery attempts', 'delivery_attempts', {
  merchant_id: bigint((attempt) => attempt.merchantId),
  event_id: text((attempt) => attempt.eventId),
  address_id: text((attempt) => attempt.addressId ?? null),
  attempted_at: time((attempt) => attempt.at),
  url: text((attempt) => attempt.url),
  response_code: integer((attempt) => attempt.responseCode),
  error: text((attempt) => attempt.error),
  ms: integer((attempt) => attempt.ms),
  answer: text((attempt) => attempt.answer),
})
const LIST_ATTEMPTS = statement<DeliveryAttempt>(
  'attempts of a delivery',
  `select a.attempted_at as at, a.url, a.response_code as "responseCode", a.error, a.ms, a.answer
   from delivery_attempts a join deliveries d on d.merchant_id = a.merchant_id and d.event_id = a.event_id
   where d.merchant_id = $1 and d.event_id = $2 and d.mode = $3 and a.address_id is null order by a.id desc limit $4`,
)

/** Stores ended attempts, also those whose delivery another process has taken over since: they were made. */
export function storeAttempts(
  ended: readonly AttemptResult[],
  at: Date,
  errorOf: (attempted: PostAttempt) => string | null,
): Call[] {
  const rows = ended.map(({ claimed, attempted }) => ({
    merchantId: claimed.merchantId,
    eventId: claimed.eventId,
    addressId: claimed.addressId,
    at: new Date(at.getTime() - attempted.elapsedMs),
    url: claimed.url,
    responseCode: 'status' in attempted ? attempted.status : null,
    error: errorOf(attempted),
    ms: Math.max(0, Math.round(attempted.elapsedMs)),
    answer: attempted.kind === 'answered' ? decodeAnswer(attempted.firstBytes) : null,
  }))
  return ADD_ATTEMPTS.rows(rows)
}

/** Lists the attempts of one of the caller's deliveries, newest first, at most 50. */
export const listAttempts = (app: App, caller: Caller, eventId: string): Promise<DeliveryAttempt[]> =>
  app.db.query(LIST_ATTEMPTS, [caller.merchantId, eventId, caller.mode, MAX_ATTEMPTS_LISTED])

/** Decodes the beginning of an answer to text that can be stored and shown; null where there is none. */
function decodeAnswer(begins: Buffer | undefined): string | null {
  if (begins === undefined) return null
  let text = ''
  let count = 0
  for (const character of begins.toString('utf8')) {
    const unit = character.charCodeAt(0)
    if (isControl(unit) && !isLineControl(unit)) continue
    text += character
    count += 1
    if (count === MAX_ANSWER_CHARACTERS) break
  }
  return text === '' ? null : text
}
