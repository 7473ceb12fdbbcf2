import { lockHeads, pauseHeadAgain } from '../ledger/book.ts'
import { type Call, call } from '../platform/db/database.ts'
import { statement } from '../platform/db/statement.ts'
import type { ExceptionKind } from './exception.ts'

// A person alone closes what money was moved by, or what our own books broke (rails.md 5.4).
const ONLY_BY_A_PERSON: readonly ExceptionKind[] = ['late_contradiction', 'doubled_by_rail', 'ledger_breach']

const AGREE = statement(
  'agree on exceptions',
  `update exceptions set agreed_at = coalesce(agreed_at, $4),
     closed_at = case when agreed_at <= $4::timestamptz - interval '1 hour' then $4 end,
     note = case when agreed_at <= $4::timestamptz - interval '1 hour' then 'later looks agreed' end,
     resolved_by = case when agreed_at <= $4::timestamptz - interval '1 hour' then 'agreement' end
   where merchant_id = $1 and subject = $2 and closed_at is null and kind = any($3::text[])`,
)
const END = statement(
  'close exceptions of ended movement',
  `update exceptions set closed_at = $4, note = 'the operator has answered', resolved_by = 'agreement'
   where merchant_id = $1 and subject = $2 and closed_at is null and kind = any($3::text[])`,
)

const WITH_OPEN = statement<{ subject: string }>(
  'movements with open exceptions',
  'select distinct subject from exceptions where subject = any($1::text[]) and closed_at is null',
)

/** Which of these have an open exception: only they lock anything when a look agrees. */
export const withOpenExceptions = (subjects: readonly string[]): Call<{ subject: string }> =>
  call(WITH_OPEN, subjects)

type About = { merchantId: number; mode: 'test' | 'live'; subject: string }

/** A look of the same leg found nothing wrong with a movement; the second one, an hour later, closes what was open. */
export function agreeOn(
  { merchantId, mode, subject }: About,
  kinds: readonly ExceptionKind[],
  at: Date,
): Call[] {
  const closing = kinds.filter((kind) => !ONLY_BY_A_PERSON.includes(kind))
  return [
    lockHeads([{ merchantId, mode }]),
    call(AGREE, merchantId, subject, closing, at.toISOString()),
    pauseHeadAgain(merchantId, mode),
  ]
}

/** A movement has ended: what was said of its silence is over. */
export const closeSilence = ({ merchantId, subject }: Omit<About, 'mode'>, at: Date): Call =>
  call(END, merchantId, subject, ['unresolved', 'never_arrived'], at.toISOString())
