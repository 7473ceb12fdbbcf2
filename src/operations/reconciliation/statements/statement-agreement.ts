import { agreeInOwnTransaction } from '../../../payments/exceptions/agree-on-exceptions.ts'
import type { ExceptionKind } from '../../../payments/exceptions/exception.ts'
import { statement } from '../../../platform/db/statement.ts'
import type { App } from '../../../program/app.ts'
import { liveMovements } from '../movements.ts'
import type { StatementSpan } from './statement-differences.ts'

type AgreedMovement = { merchantId: number; subject: string }

const KINDS: readonly ExceptionKind[] = ['ours_only', 'mismatch']
const MAX_EXCEPTIONS = 1000
// A line is found by its id or reference, or by its number: each by its own index.
const LINES = `select l.at, l.amount, l.type from rail_statement_lines l
    where lower(l.external_id) in (m.id, m.rail_reference) and l.status = 'SUCCESSFUL'
  union all select l.at, l.amount, l.type from rail_statement_lines l
    where l.rail_transaction_id in (m.rail_transaction_id, ltrim(m.rail_transaction_id, '0')) and l.status = 'SUCCESSFUL'`
// Open exceptions first, then the latest that staff resolved and no statement has agreed on since. Each movement is looked up by its id.
const LISTED_AS_WE_SAY = statement<AgreedMovement>(
  'statement: listed as we say',
  `select e.merchant_id as "merchantId", e.subject
   from (select merchant_id, subject, max(coalesce(closed_at, 'infinity')) as until from exceptions
     where mode = 'live' and kind = any($3::text[])
       and (closed_at is null or (resolved_by is distinct from 'agreement' and not agreed ? 'statement'))
     group by merchant_id, subject order by until desc limit ${MAX_EXCEPTIONS}) e
   cross join lateral (${liveMovements('m.merchant_id = e.merchant_id and m.id = e.subject')}) m
   cross join lateral (select bool_or(l.at between $1 and $2) and bool_and(l.amount = m.amount and l.type = m.side) as agrees
     from (${LINES}) l) x
   where m.status in ('succeeded', 'refunded') and x.agrees`,
)

/**
 * Agrees on exceptions of this leg whose movement a statement of this period lists as our books have it: two agreements, an hour apart,
 * close one (rails.md 5.4). Returns how many were closed.
 */
export async function agreeOnLines(app: App, { from, to }: StatementSpan): Promise<number> {
  const listed = await app.db.query(LISTED_AS_WE_SAY, [from.toISOString(), to.toISOString(), KINDS])
  let closed = 0
  for (const { merchantId, subject } of listed) {
    const about = { merchantId, subject, mode: 'live' } as const
    closed += await agreeInOwnTransaction(app.db, about, {
      leg: 'statement',
      kinds: KINDS,
      at: app.clock.now(),
    })
  }
  return closed
}
