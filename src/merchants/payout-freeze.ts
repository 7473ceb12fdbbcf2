import { type Actor, nameOf } from '../actors/actor.ts'
import { allow } from '../actors/allow.ts'
import { auditRow } from '../actors/audit-row.ts'
import type { App, Gateway } from '../app.ts'
import { freezeHead } from '../ledger/book.ts'
import { type Call, call, type Database } from '../platform/db/database.ts'
import { isRetryable } from '../platform/db/errors.ts'
import { statement } from '../platform/db/statement.ts'
import { Refusal } from '../platform/refusal.ts'

/** The platform's freeze in a cell: its reason, or null. */
export type PayoutStop = { frozenFor: string | null }

const FREEZE_PLATFORM = statement(
  'freeze platform payouts',
  'update payout_freeze set frozen = $1, reason = $2, changed_at = $3, changed_by = $4',
)

/** The platform's freeze (reason null: payouts run), since when, and by whom it was changed last. */
export type PlatformFreeze = { reason: string | null; changedAt: Date | null; changedBy: string | null }
const PLATFORM_FREEZE = statement<PlatformFreeze>(
  'platform payout freeze',
  `select case when frozen then reason end as reason, changed_at as "changedAt", changed_by as "changedBy" from payout_freeze`,
)
const LOCK_PLATFORM = statement<{ reason: string | null }>(
  'lock platform payout freeze',
  'select case when frozen then reason end as reason from payout_freeze for update',
)
const LOCK_CELL = statement('lock cell against payouts', 'select lock_payout_stops()')
const STOP_CELL = statement<{ changed: number }>(
  'stop payouts of cell',
  'update payout_stops set frozen_for = $1 where frozen_for is distinct from $1 returning 1 as changed',
)
const CELL_STOP = statement<{ frozenFor: string | null }>(
  'payout stop of cell',
  'select frozen_for as "frozenFor" from payout_stops',
)
const LOCK_STOPS = statement<PayoutStop>(
  'lock payout stops',
  'select frozen_for as "frozenFor" from payout_stops for share',
)

// Transactions of payouts may hold the lock of a cell for some seconds when the database is slow. The freeze tries for this
// long.
const TELLS_A_CELL_WITHIN_MS = 20_000

/**
 * Freezes the platform's live payouts, or lets them run (reason null). Every reserving transaction locks its cell's copy,
 * so after this returns no reservation can commit behind it (G70; ledger.md 6). If a cell cannot be written the others are
 * written anyway; then this throws, and the worker keeps trying.
 */
export async function freezePlatform(gateway: Gateway, actor: Actor, reason: string | null): Promise<void> {
  const action = reason === null ? 'payouts.unfreeze' : 'payouts.freeze'
  allow(actor, action)
  if (reason === null) refuseAlone(actor)
  const at = gateway.clock.now()
  await gateway.directory.transaction(async (tx) => {
    const [[before]] = await tx.send(call(LOCK_PLATFORM))
    const act = { actor, action, at, merchantId: null, subject: 'platform' } as const
    const freeze = call(FREEZE_PLATFORM, reason !== null, reason, at.toISOString(), nameOf(actor))
    return { value: null, last: [freeze, auditRow({ ...act, before: before ?? null, after: { reason } })] }
  })
  await tellCells(gateway)
}

/** Nobody on the console ends a freeze alone: that takes an approval. */
function refuseAlone(actor: Actor): void {
  if (actor.kind === 'operator')
    throw new Refusal(403, 'second_person_required', 'a freeze ends by two operators: ask for it')
}

/** The platform's freeze as it is, unlocked: to be shown. */
export async function platformFreeze(directory: Database): Promise<PlatformFreeze> {
  const [row] = await directory.query(PLATFORM_FREEZE)
  return row ?? { reason: null, changedAt: null, changedBy: null }
}

/** An account whose live payouts are frozen, and why. */
export type FrozenMerchant = { publicId: string; handle: string; name: string; reason: string }

const MOST_FROZEN = 200
const FROZEN = statement<FrozenMerchant>(
  'frozen merchants',
  `select m.public_id as "publicId", m.handle, m.name, h.payouts_frozen_for as reason
   from ledger_heads h join merchants m on m.id = h.merchant_id
   where h.payouts_frozen_for is not null and h.mode = 'live' order by h.merchant_id limit ${MOST_FROZEN}`,
)

/** The frozen accounts of all cells, at most 200 a cell. Index: ledger_heads_frozen. */
export const frozenMerchants = async ({ cells }: Gateway): Promise<FrozenMerchant[]> =>
  (await Promise.all(cells.map(({ db }) => db.query(FROZEN)))).flat()

/** The same, locked until the commit of what was decided on it. */
export const lockPlatformFreeze = (): Call<{ reason: string | null }> => call(LOCK_PLATFORM)

/** Lets the platform's payouts run, in the transaction of an approval. The cells must be told after it. */
export const thawPlatform = (actor: Actor, at: Date): Call =>
  call(FREEZE_PLATFORM, false, null, at.toISOString(), nameOf(actor))

/** Tells every cell what the directory says. Throws when one cannot be told; the others are told anyway. */
export async function tellCells(gateway: Gateway): Promise<void> {
  const told = await Promise.allSettled(gateway.cells.map(tellCell))
  const failed = told.find((one) => one.status === 'rejected')
  if (failed) throw failed.reason
}

/**
 * Repairs a cell that differs from the directory: a new one, or one whose freeze was cut off by a crash. Answers how many
 * it repaired. While both agree it takes no lock and writes nothing.
 */
export async function followFreeze(app: App): Promise<number> {
  const { directory, cell } = await readStops(app)
  return directory === cell ? 0 : await copyFreeze(app)
}

/** Why payouts are frozen by the directory and by the cell's copy (null: they run), read without a lock. */
export async function readStops(app: App): Promise<{ directory: string | null; cell: string | null }> {
  const [[platform], [stop]] = await Promise.all([
    app.directory.query(PLATFORM_FREEZE),
    app.db.query(CELL_STOP),
  ])
  return { directory: platform?.reason ?? null, cell: stop?.frozenFor ?? null }
}

async function tellCell(app: App): Promise<void> {
  const giveUpAt = performance.now() + TELLS_A_CELL_WITHIN_MS
  for (;;) {
    try {
      await copyFreeze(app)
      return
    } catch (error) {
      if (!isRetryable(error) || performance.now() > giveUpAt) throw error
    }
  }
}

/** Locks the cell first, then reads the directory, so that of two at once the later one writes the current state. */
function copyFreeze(app: App): Promise<number> {
  return app.db.transaction(async (tx) => {
    await tx.send(call(LOCK_CELL))
    const [freeze] = await app.directory.query(PLATFORM_FREEZE)
    const [changed] = await tx.send(call(STOP_CELL, freeze?.reason ?? null))
    return { value: changed.length }
  })
}

/** The platform's freeze as a reserving transaction reads it: locked until its commit. */
export const lockStops = (): Call<PayoutStop> => call(LOCK_STOPS)

/** Freezes one account's live payouts. The pause of an open exception is another column and stays. */
export async function freezeAccount(
  app: App,
  actor: Actor,
  { merchantId, reason }: { merchantId: number; reason: string | null },
): Promise<void> {
  const action = reason === null ? 'payouts.unfreeze' : 'payouts.freeze'
  allow(actor, action, merchantId)
  if (reason === null) refuseAlone(actor)
  await app.db.transaction(async (tx) => {
    await tx.send(freezeHead(merchantId, 'live', reason))
    const act = { actor, action, at: app.clock.now(), merchantId, mode: 'live' } as const
    return { value: null, last: [auditRow({ ...act, after: { reason } })] }
  })
}
