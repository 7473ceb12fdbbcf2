import { lockHeads, setPauseFromOpenExceptions } from '../../ledger/book.ts'
import { type Call, call, type Database } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import type { Mode } from '../../platform/mode.ts'
import type { ExceptionKind, ExceptionLeg } from './exception.ts'

// Only a person closes an exception of these kinds: money was moved by them, or our own books are broken (rails.md 5.4).
const KINDS_CLOSED_BY_PERSON: readonly ExceptionKind[] = ['late_contradiction', 'doubled_by_rail', 'ledger_breach']

// A leg that has agreed is taken off the exception; an exception without any leg left is closed. The agreement is stored on exceptions that
// it does not close too: after it, the same answer is new evidence.
const BY_ONLY_LEG = 'f.agreed_an_hour_ago and e.legs = array[$5::text]'
const AGREE = statement<{ closed: boolean }>(
  'agree on exceptions',
  `with found as (
     select e.merchant_id, e.id, jsonb_build_object($5::text, $4::timestamptz::text) as agreement,
       (e.closed_at is null and e.kind = any($3::text[]) and $5::text = any(e.legs)
         and (e.agreed ->> $5::text)::timestamptz <= $4::timestamptz - interval '1 hour') is true as agreed_an_hour_ago
     from exceptions e
     where e.merchant_id = $1 and e.subject = $2 and (e.closed_at is null or e.resolved_by is distinct from 'agreement')
     for no key update)
   update exceptions e set agreed = case when e.agreed ? $5::text then e.agreed else e.agreed || f.agreement end,
     legs = case when f.agreed_an_hour_ago and cardinality(e.legs) > 1 then array_remove(e.legs, $5::text) else e.legs end,
     closed_at = case when ${BY_ONLY_LEG} then $4 else e.closed_at end,
     note = case when ${BY_ONLY_LEG} then 'later looks agreed' else e.note end,
     resolved_by = case when ${BY_ONLY_LEG} then 'agreement' else e.resolved_by end
   from found f where e.merchant_id = f.merchant_id and e.id = f.id
   returning e.closed_at = $4::timestamptz and e.resolved_by = 'agreement' as closed`,
)
const CLOSE_SILENCE = statement(
  'close exceptions of ended movement',
  `update exceptions set closed_at = $4, note = 'the operator has answered', resolved_by = 'agreement'
   where merchant_id = $1 and subject = $2 and closed_at is null and kind = any($3::text[])`,
)

const FIND_WITH_EXCEPTIONS = statement<{ subject: string }>(
  'movements with exceptions',
  `select distinct e.subject from unnest($1::bigint[], $2::text[]) as n (merchant_id, subject)
   join exceptions e on e.merchant_id = n.merchant_id and e.subject = n.subject
     and (e.closed_at is null or (e.resolved_by is distinct from 'agreement' and not e.agreed ? $3::text))`,
)

/** Finds the movements that a run of this leg can agree on, so that agreeing locks only these. */
export const findWithExceptions = (
  movements: readonly { merchantId: number; id: string }[],
  leg: ExceptionLeg,
): Call<{ subject: string }> =>
  call(
    FIND_WITH_EXCEPTIONS,
    movements.map(({ merchantId }) => merchantId),
    movements.map(({ id }) => id),
    leg,
  )

type ExceptionSubject = { merchantId: number; mode: Mode; subject: string }
type Agreement = { leg: ExceptionLeg; kinds: readonly ExceptionKind[]; at: Date }

/**
 * Agrees that a leg found nothing wrong with a movement. The second agreement, an hour later, closes the exceptions of these kinds that
 * this leg alone had found. Locks the head first; the second call returns for each exception whether it was closed.
 */
function agreementCalls(
  { merchantId, mode, subject }: ExceptionSubject,
  { leg, kinds, at }: Agreement,
): [Call, Call<{ closed: boolean }>, Call] {
  const closing = kinds.filter((kind) => !KINDS_CLOSED_BY_PERSON.includes(kind))
  return [
    lockHeads([{ merchantId, mode }]),
    call(AGREE, merchantId, subject, closing, at.toISOString(), leg),
    setPauseFromOpenExceptions(merchantId, mode),
  ]
}

/** Agrees in a transaction of its own. Returns how many exceptions it closed. */
export function agreeInOwnTransaction(db: Database, about: ExceptionSubject, agreement: Agreement): Promise<number> {
  const [locking, agreeing, pausing] = agreementCalls(about, agreement)
  return db.transactionFor({ kind: 'outcome' }, async (tx) => {
    const [, rows] = await tx.send(locking, agreeing)
    return { value: rows.filter(({ closed }) => closed).length, last: [pausing] }
  })
}

/** Closes the exceptions about the silence of a movement, because its final status has come. */
export const closeSilenceExceptions = ({ merchantId, subject }: Omit<ExceptionSubject, 'mode'>, at: Date): Call =>
  call(CLOSE_SILENCE, merchantId, subject, ['unresolved', 'never_arrived'], at.toISOString())
