import type { Caller } from '../../api/access/actor.ts'
import { readPlatformFreeze } from '../../merchants/account/payout-freeze.ts'
import { statement } from '../../platform/db/statement.ts'
import type { App } from '../../program/app.ts'
import { STOP_REFUSALS, type StopKind, stopKindSql } from './find-stop.ts'

/** Why an account may not send money now: what stops it, and the text of the refusal. */
type PayoutPause = {
  by: StopKind
  says: string
  /** Since when, where that is known. */
  since: Date | null
  /** The open exception that is investigated, where that is the cause. */
  exception: { id: string; kind: string; openedAt: Date } | null
}

type Row = {
  stop: StopKind | null
  frozenAt: Date | null
  pausedBy: string | null
  kind: string | null
  openedAt: Date | null
}

const PAUSE_FACTS = statement<Row>(
  'why payouts are paused',
  `select ${stopKindSql('h')} as stop, h.payouts_frozen_at as "frozenAt", h.payouts_paused_by as "pausedBy", e.kind,
     e.opened_at as "openedAt"
   from ledger_heads h left join exceptions e on e.merchant_id = h.merchant_id and e.id = h.payouts_paused_by
   where h.merchant_id = $1 and h.mode = $2`,
)

/** Finds what stops the payouts of the caller's account now; null while they run. Read without a lock, only to be shown. */
export async function findPayoutPause(app: App, { merchantId, mode }: Caller): Promise<PayoutPause | null> {
  const [row] = await app.db.query(PAUSE_FACTS, [merchantId, mode])
  if (!row || row.stop === null) return null
  const { stop: by, pausedBy: id, kind, openedAt } = row
  const exception = id === null || kind === null || openedAt === null ? null : { id, kind, openedAt }
  const since = {
    platform: async () => (await readPlatformFreeze(app.directory)).changedAt,
    account: () => row.frozenAt,
    exception: () => exception?.openedAt ?? null,
  }
  return { by, says: STOP_REFUSALS[by]().message, since: await since[by](), exception }
}
