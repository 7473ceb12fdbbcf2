import { lockHeads, setPauseFromOpenExceptions } from '../../ledger/book.ts'
import { call, type Tx } from '../../platform/db/database.ts'
import { statement } from '../../platform/db/statement.ts'
import type { Mode } from '../../platform/mode.ts'
import type { App } from '../../program/app.ts'

/** An exception whose evidence was taken back; `by` took it back. */
type UnfoundedException = { merchantId: number; id: string; note: string; by: string }

const FIND_MODE = statement<{ mode: Mode }>(
  'mode of unfounded exception',
  'select mode from exceptions where merchant_id = $1 and id = $2',
)
// The evidence is emptied, so that a corrected list that finds the same opens a new exception.
const CLOSE = statement<{ id: string }>(
  'close unfounded exception',
  `update exceptions set closed_at = $3, note = $4, resolved_by = $5, evidence = '{}'
   where merchant_id = $1 and id = $2 and closed_at is null returning id`,
)
const CLOSE_PLATFORM = statement<{ id: string }>(
  'close unfounded platform exception',
  `update platform_exceptions set closed_at = $2, note = $3, resolved_by = $4, evidence = '{}' where id = $1 and closed_at is null returning id`,
)

/**
 * Closes an exception whose evidence was taken back, unless a person has resolved it, and lets payouts run when it was the last critical
 * one. `also` writes in the same transaction.
 */
export function closeUnfounded(
  { db, clock }: Pick<App, 'db' | 'clock'>,
  { merchantId, id, note, by }: UnfoundedException,
  also: (tx: Tx) => Promise<unknown>,
): Promise<void> {
  return db.transaction(async (tx) => {
    const [[row]] = await tx.send(call(FIND_MODE, merchantId, id))
    if (row !== undefined)
      await tx.send(
        lockHeads([{ merchantId, mode: row.mode }]),
        call(CLOSE, merchantId, id, clock.now().toISOString(), note, by),
        setPauseFromOpenExceptions(merchantId, row.mode),
      )
    await also(tx)
    return { value: undefined }
  })
}

/** Closes an exception of the platform whose evidence was taken back, unless a person has resolved it. */
export function closeUnfoundedOfPlatform(
  { directory, clock }: Pick<App, 'directory' | 'clock'>,
  { id, note, by }: Omit<UnfoundedException, 'merchantId'>,
  also: (tx: Tx) => Promise<unknown>,
): Promise<void> {
  return directory.transaction(async (tx) => {
    await tx.send(call(CLOSE_PLATFORM, id, clock.now().toISOString(), note, by))
    await also(tx)
    return { value: undefined }
  })
}
