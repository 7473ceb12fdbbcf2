import { type Actor, actorName, serviceActor } from '../../api/access/actor.ts'
import { allow } from '../../api/access/allow.ts'
import { auditRow } from '../../api/access/audit-row.ts'
import { expiredFreezes, freezeHead, liftExpiredFreeze } from '../../ledger/book.ts'
import { reachedCells } from '../../platform/db/cell-watch.ts'
import { type Call, call, type Database } from '../../platform/db/database.ts'
import { isRetryable, isTemporary } from '../../platform/db/errors.ts'
import { statement } from '../../platform/db/statement.ts'
import { invalidRequest, Refusal } from '../../platform/refusal.ts'
import type { App, Gateway } from '../../program/app.ts'

/** A cell's copy of the platform's freeze: its reason, or null. */
export type PayoutStop = { frozenFor: string | null }

const FREEZE_PLATFORM = statement(
  'freeze platform payouts',
  'update payout_freeze set frozen = $1, reason = $2, changed_at = $3, changed_by = $4',
)

/** The platform's freeze (reason null: payouts run), and when and by whom it was last changed. */
export type PlatformFreeze = { reason: string | null; changedAt: Date | null; changedBy: string | null }
const PLATFORM_FREEZE = statement<PlatformFreeze>(
  'platform payout freeze',
  `select case when frozen then reason end as reason, changed_at as "changedAt", changed_by as "changedBy" from payout_freeze`,
)
/** The reason (null: payouts run) and the beginning of a freeze, by which an approval that ends it identifies it. */
export type Freeze = { reason: string | null; since: Date | null }
const LOCK_PLATFORM = statement<Freeze>(
  'lock platform payout freeze',
  'select case when frozen then reason end as reason, changed_at as since from payout_freeze for update',
)
const ACCOUNT_FREEZE = `select payouts_frozen_for as reason, payouts_frozen_at as since from ledger_heads
   where merchant_id = $1 and mode = 'live'`
const FREEZE_OF_ACCOUNT = statement<Freeze>('freeze of account', ACCOUNT_FREEZE)
const LOCK_ACCOUNT = statement<Freeze>('lock freeze of account', `${ACCOUNT_FREEZE} for no key update`)
const LOCK_CELL = statement('lock cell against payouts', 'select lock_payout_stops()')
const SET_CELL_STOP = statement<{ changed: number }>(
  'stop payouts of cell',
  'update payout_stops set frozen_for = $1 where frozen_for is distinct from $1 returning 1 as changed',
)
const FIND_CELL_STOP = statement<{ frozenFor: string | null }>(
  'payout stop of cell',
  'select frozen_for as "frozenFor" from payout_stops',
)
const LOCK_PAYOUT_STOP = statement<PayoutStop>(
  'lock payout stops',
  'select frozen_for as "frozenFor" from payout_stops for share',
)

// Transactions of payouts may hold the lock of a cell for some seconds when the database is slow. A freeze retries each cell this long.
const COPY_TIMEOUT_MS = 20_000

/**
 * Freezes the platform's live payouts, or lets them run (reason null). Every reserving transaction locks its cell's copy,
 * so after this returns no reservation can commit behind it (G70; ledger.md 6). If a cell cannot be written the others are
 * written anyway; then this throws, and the worker keeps trying.
 */
export async function freezePlatform(gateway: Gateway, actor: Actor, reason: string | null): Promise<void> {
  const action = reason === null ? 'payouts.unfreeze' : 'payouts.freeze'
  allow(actor, action)
  if (reason === null) refuseOnePerson(actor)
  const at = gateway.clock.now()
  await gateway.directory.transaction(async (tx) => {
    const [[before]] = await tx.send(call(LOCK_PLATFORM))
    const act = { actor, action, at, merchantId: null, subject: 'platform' } as const
    const freeze = call(FREEZE_PLATFORM, reason !== null, reason, at.toISOString(), actorName(actor))
    const row = auditRow({ ...act, before: before ? { reason: before.reason } : null, after: { reason } })
    return { value: null, last: [freeze, row] }
  })
  await copyFreezeToCells(gateway)
}

/** Refuses to let one operator on the console end a freeze alone: that takes an approval. */
function refuseOnePerson(actor: Actor): void {
  if (actor.kind === 'operator')
    throw new Refusal(403, 'second_person_required', 'a freeze ends by two operators: ask for it')
}

/** Reads the platform's freeze without a lock, for showing. */
export async function readPlatformFreeze(directory: Database): Promise<PlatformFreeze> {
  const [row] = await directory.query(PLATFORM_FREEZE)
  return row ?? { reason: null, changedAt: null, changedBy: null }
}

/** An account whose live payouts are frozen, why, and since when. */
export type FrozenMerchant = {
  publicId: string
  handle: string
  name: string
  reason: string
  since: Date | null
}

const MAX_FROZEN_PER_CELL = 200
const LIST_FROZEN = statement<FrozenMerchant>(
  'frozen merchants',
  `select m.public_id as "publicId", m.handle, m.name, h.payouts_frozen_for as reason, h.payouts_frozen_at as since
   from ledger_heads h join merchants m on m.id = h.merchant_id
   where h.payouts_frozen_for is not null and h.mode = 'live' order by h.merchant_id limit ${MAX_FROZEN_PER_CELL}`,
)

/** Lists the frozen accounts of all cells, at most 200 per cell. Index: ledger_heads_frozen. */
export const listFrozenMerchants = async (gateway: Gateway): Promise<FrozenMerchant[]> =>
  (await Promise.all(reachedCells(gateway).map(({ db }) => db.query(LIST_FROZEN)))).flat()

/** Locks the platform's freeze until the commit of what was decided on it. */
export const lockPlatformFreeze = (): Call<Freeze> => call(LOCK_PLATFORM)

/** Reads the freeze of one account without a lock, for showing or for asking for an approval. */
export async function readAccountFreeze({ db }: App, merchantId: number): Promise<Freeze> {
  const [row] = await db.query(FREEZE_OF_ACCOUNT, [merchantId])
  return row ?? { reason: null, since: null }
}

/** Locks the freeze of one account until the commit of what was decided on it. */
export const lockAccountFreeze = (merchantId: number): Call<Freeze> => call(LOCK_ACCOUNT, merchantId)

/** Lets the platform's payouts run, in the transaction of an approval. The cells' copies must be written after its commit. */
export const thawPlatform = (actor: Actor, at: Date): Call =>
  call(FREEZE_PLATFORM, false, null, at.toISOString(), actorName(actor))

/** Writes the directory's freeze to every cell. Throws when a cell cannot be written; the others are written anyway. */
export async function copyFreezeToCells(gateway: Gateway): Promise<void> {
  const results = await Promise.allSettled(gateway.cells.map(copyFreezeToCell))
  const failed = results.find((settled) => settled.status === 'rejected')
  if (failed) throw failed.reason
}

/**
 * Repairs a cell that differs from the directory: a new one, or one whose freeze was cut off by a crash. While both agree it takes no
 * lock and writes nothing. Returns 1 where it repaired the cell.
 */
export async function repairFreezeCopy(app: App): Promise<number> {
  const { directory, cell } = await readFreezes(app)
  return directory === cell ? 0 : await copyFreeze(app)
}

/**
 * Repairs every cell that differs. One that is away keeps nobody waiting while another answers: a task repairs it when it is there again.
 * Throws when no cell answers, and what is no trouble of a database.
 */
export async function repairFreezeCopies({ cells, log }: Pick<Gateway, 'cells' | 'log'>): Promise<void> {
  const results = await Promise.allSettled(cells.map(repairFreezeCopy))
  const errors = results.flatMap((settled) => (settled.status === 'rejected' ? [settled.reason] : []))
  const lasting = errors.find((error) => !isTemporary(error))
  if (lasting !== undefined || errors.length === cells.length) throw lasting ?? errors[0]
  for (const error of errors) log.warn({ err: error }, 'a cell does not answer; its freeze is looked at when it does')
}

/** Reads the reason of the freeze in the directory and in the cell's copy (null: payouts run), without a lock. */
export async function readFreezes(app: App): Promise<{ directory: string | null; cell: string | null }> {
  const [[platform], [stop]] = await Promise.all([app.directory.query(PLATFORM_FREEZE), app.db.query(FIND_CELL_STOP)])
  return { directory: platform?.reason ?? null, cell: stop?.frozenFor ?? null }
}

async function copyFreezeToCell(app: App): Promise<void> {
  const giveUpAt = performance.now() + COPY_TIMEOUT_MS
  for (;;) {
    try {
      await copyFreeze(app)
      return
    } catch (error) {
      if (!isRetryable(error) || performance.now() > giveUpAt) throw error
    }
  }
}

/** Copies the directory's freeze to a cell. It locks the cell first and then reads the directory, so that of two copies at once the later one
 * writes the current state. */
function copyFreeze(app: App): Promise<number> {
  return app.db.transaction(async (tx) => {
    await tx.send(call(LOCK_CELL))
    const [freeze] = await app.directory.query(PLATFORM_FREEZE)
    const [changed] = await tx.send(call(SET_CELL_STOP, freeze?.reason ?? null))
    return { value: changed.length }
  })
}

/** Reads the cell's copy of the platform's freeze in a reserving transaction, locked until its commit. */
export const lockPayoutStop = (): Call<PayoutStop> => call(LOCK_PAYOUT_STOP)

/** `reason` null ends the freeze. `says` is shown to the merchant's people. `until`: when the freeze ends by itself. */
type AccountFreezeInput = {
  merchantId: number
  reason: string | null
  says?: string | null
  until?: Date | null
}

export const MAX_FREEZE_MS = 366 * 24 * 3_600_000

/**
 * Freezes one account's live payouts, or ends the freeze. The pause of an open exception is another column and stays. A freeze of a frozen
 * account never ends earlier than the one before. Throws Refusal.
 */
export async function freezeAccount(
  app: App,
  actor: Actor,
  { merchantId, reason, says = null, until = null }: AccountFreezeInput,
): Promise<void> {
  const action = reason === null ? 'payouts.unfreeze' : 'payouts.freeze'
  allow(actor, action, merchantId)
  if (reason === null) refuseOnePerson(actor)
  const at = app.clock.now()
  const ahead = until === null ? null : until.getTime() - at.getTime()
  if (ahead !== null && (ahead <= 0 || ahead > MAX_FREEZE_MS))
    throw invalidRequest('until must be a time within the next 366 days', 'until')
  await app.db.transaction(async (tx) => {
    await tx.send(freezeHead(merchantId, 'live', reason === null ? null : { reason, message: says, at, until }))
    const act = { actor, action, at, merchantId, mode: 'live' } as const
    const after = reason === null ? { reason } : { reason, says, until }
    return { value: null, last: [auditRow({ ...act, after })] }
  })
}

/** Ends the freezes of accounts whose time is over. Returns how many were due. */
export async function endExpiredFreezes(app: App): Promise<number> {
  const actor = serviceActor('freezes')
  allow(actor, 'payouts.freeze-ends')
  const now = app.witness.earlier()
  const find = expiredFreezes(now)
  const expired = await app.db.query(find.statement, find.values)
  for (const { merchantId } of expired)
    await app.db.transaction(async (tx) => {
      const [[ended]] = await tx.send(liftExpiredFreeze(merchantId, now))
      if (!ended) return { value: null }
      const act = { actor, action: 'payouts.freeze-ends', at: now, merchantId, mode: 'live' } as const
      return { value: null, last: [auditRow({ ...act, before: ended, after: { reason: null } })] }
    })
  if (expired.length > 0) app.nudge('send-payouts')
  return expired.length
}
