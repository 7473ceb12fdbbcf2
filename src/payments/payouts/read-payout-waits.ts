import { statement } from '../../platform/db/statement.ts'
import type { App } from '../../program/app.ts'
import { type StopKind, stopKindSql } from './find-stop.ts'
import type { Payout } from './payout.ts'

/** Why an open payout is not sent: its account is stopped, or it is a withdrawal that our staff have not approved yet. */
export type PayoutWait = {
  kind: StopKind | 'approval'
  /** The exception that pauses the account, where that is why. */
  exception: string | null
}
/** A payout by which its wait is looked up. */
type PayoutKey = Pick<Payout, 'merchantId' | 'id'> & { status: string }

// A payout that was posted may be on its way and waits for its operator alone. Test payouts are sent even while their account is stopped.
const PAYOUT_WAITS = statement<PayoutWait & { id: string }>(
  'why payouts wait',
  `select w.id, w.kind, case w.kind when 'exception' then w.paused_by end as exception from (
     select p.id, h.payouts_paused_by as paused_by, case when p.kind = 'withdrawal' and p.follow_at is null then 'approval'
       when a.state in ('queued', 'not_sent') then ${stopKindSql('h')} end as kind
     from unnest($1::bigint[], $2::text[]) k (merchant_id, id)
       join payouts p on p.merchant_id = k.merchant_id and p.id = k.id and p.mode = 'live' and p.completed_at is null
       join ledger_heads h on h.merchant_id = p.merchant_id and h.mode = p.mode
       left join rail_attempts a on a.merchant_id = p.merchant_id and a.subject = p.id) w
   where w.kind is not null`,
)

/** Reads which of these payouts wait, and why, by their ids. Read without a lock, only to be shown. */
export async function readPayoutWaits(
  { db }: Pick<App, 'db'>,
  payouts: readonly PayoutKey[],
): Promise<ReadonlyMap<string, PayoutWait>> {
  const open = payouts.filter(({ status }) => status === 'pending' || status === 'authorized')
  if (open.length === 0) return new Map()
  const keys = [open.map(({ merchantId }) => merchantId), open.map(({ id }) => id)]
  const rows = await db.query(PAYOUT_WAITS, keys)
  return new Map(rows.map(({ id, kind, exception }) => [id, { kind, exception }]))
}
