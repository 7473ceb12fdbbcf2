import type { App } from '../app.ts'
import { closeSilence } from '../exceptions/agree.ts'
import { openAlone } from '../exceptions/exception.ts'
import { statement } from '../platform/db/statement.ts'
import { tagOfMovement } from './movements.ts'

/** An open live movement that the operator has not answered about for long. */
type Silent = { merchantId: number; id: string; neverArrived: boolean; since: Date }

// A movement that is still in the queue has not left: nobody has to have heard of it.
const SILENT = statement<Silent>(
  'movements without an answer',
  `select a.merchant_id as "merchantId", a.subject as id, coalesce(a.sending_since, a.created_at) as since,
     a.state in ('accepted', 'in_doubt') and a.last_answer = 'not_found' and a.not_found_count >= 3 as "neverArrived"
   from rail_attempts a
   where a.state in ('sending', 'accepted', 'in_doubt') and coalesce(a.sending_since, a.created_at) < $1
     and not exists (select from exceptions e where e.merchant_id = a.merchant_id and e.subject = a.subject
       and e.closed_at is null and e.kind in ('unresolved', 'never_arrived'))
   order by a.created_at limit $2`,
)
const OVER = statement<{ merchantId: number; subject: string }>(
  'silence that is over',
  `select e.merchant_id as "merchantId", e.subject from exceptions e
   join rail_attempts a on a.merchant_id = e.merchant_id and a.subject = e.subject
   where e.closed_at is null and e.kind in ('unresolved', 'never_arrived') and a.state in ('ended', 'void') limit $1`,
)
const MOST_A_RUN = 1000

/**
 * Opens an exception for every live movement that has had no answer for so long, and closes those whose operator has answered
 * (rails.md 4.7, 5.2). None of them pauses payouts, and no state moves. Answers how many were opened and closed.
 */
export async function reportSilence(app: App, afterMs: number): Promise<{ opened: number; closed: number }> {
  const at = app.clock.now()
  const silent = await app.db.query(SILENT, [new Date(at.getTime() - afterMs).toISOString(), MOST_A_RUN])
  let opened = 0
  for (const { merchantId, id: subject, neverArrived, since } of silent) {
    const kind = neverArrived ? 'never_arrived' : 'unresolved'
    const found = { merchantId, tag: tagOfMovement(subject) ?? '', mode: 'live', kind, subject } as const
    const details = { since: since.toISOString() }
    if (await openAlone(app.db, { ...found, details }, { at })) opened += 1
  }
  const over = await app.db.query(OVER, [MOST_A_RUN])
  for (const one of over) {
    const closing = closeSilence(one, at)
    await app.db.query(closing.statement, closing.values)
  }
  return { opened, closed: over.length }
}
