import { closeSilenceExceptions } from '../../payments/exceptions/agree-on-exceptions.ts'
import { openInOwnTransaction } from '../../payments/exceptions/exception.ts'
import { statement } from '../../platform/db/statement.ts'
import type { App } from '../../program/app.ts'
import { tagOfMovement } from './movements.ts'

/** An open live movement without an answer of its operator for a long time. */
type SilentMovement = { merchantId: number; id: string; kind: 'unresolved' | 'never_arrived'; since: Date }

// Counted from the first post, however often it was posted again. A movement that is still in the queue has not left, so no operator can
// know it; one that got lost and waits there again has left. Each kind is reported, whether or not the other one is open.
const SILENT_MOVEMENTS = statement<SilentMovement>(
  'movements without an answer',
  `select a.merchant_id as "merchantId", a.subject as id, s.since, s.kind
   from rail_attempts a cross join lateral (select coalesce(a.first_sent_at, a.created_at) as since,
     case when a.state <> 'sending' and a.last_answer = 'not_found' and (a.not_found_count >= 3 or a.reposts > 0)
       then 'never_arrived' else 'unresolved' end as kind) s
   where (a.state in ('sending', 'accepted', 'in_doubt') or (a.state = 'not_sent' and s.kind = 'never_arrived'))
     and s.since < $1
     and not exists (select from exceptions e where e.merchant_id = a.merchant_id and e.subject = a.subject
       and e.closed_at is null and e.kind = s.kind)
   order by a.created_at limit $2`,
)
const SILENCE_OVER = statement<{ merchantId: number; subject: string }>(
  'silence that is over',
  `select e.merchant_id as "merchantId", e.subject from exceptions e
   join rail_attempts a on a.merchant_id = e.merchant_id and a.subject = e.subject
   where e.closed_at is null and e.kind in ('unresolved', 'never_arrived') and a.state in ('ended', 'void') limit $1`,
)
const MAX_PER_RUN = 1000
const WEEK_MS = 7 * 86_400_000

/**
 * Opens an exception for every live movement without an answer for so long, and closes those whose operator has answered (rails.md 4.7,
 * 5.2). None of them pauses payouts, and no state moves. Returns how many were opened and closed.
 */
export async function reportSilence(app: App, afterMs: number): Promise<{ opened: number; closed: number }> {
  const at = app.clock.now()
  const silent = await app.db.query(SILENT_MOVEMENTS, [new Date(at.getTime() - afterMs).toISOString(), MAX_PER_RUN])
  let opened = 0
  for (const { merchantId, id: subject, kind, since } of silent) {
    const about = { merchantId, tag: tagOfMovement(subject) ?? '', mode: 'live', kind, subject } as const
    // Another week of silence is new evidence: an exception that staff closed meanwhile is opened again, because the movement is still
    // open.
    const weeks = Math.floor((at.getTime() - since.getTime()) / WEEK_MS)
    const details = { since: since.toISOString(), weeks }
    if (await openInOwnTransaction(app.db, { ...about, details }, { at })) opened += 1
  }
  const over = await app.db.query(SILENCE_OVER, [MAX_PER_RUN])
  for (const movement of over) {
    const closing = closeSilenceExceptions(movement, at)
    await app.db.query(closing.statement, closing.values)
  }
  return { opened, closed: over.length }
}
