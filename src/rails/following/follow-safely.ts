import { classifyDatabaseError, DatabaseAway } from '../../platform/db/errors.ts'
import type { App } from '../../program/app.ts'
import type { Followed, Movable, Mover } from '../mover.ts'

const AFTER_ERROR_MS = 60_000

/** Runs the work of a sweep on one movement. An error postpones only that movement. Throws DatabaseAway, which stops the run. */
export async function followSafely<Row extends Movable, Failure extends string>(
  app: App,
  mover: Mover<Row, Failure>,
  row: Followed<Row, Failure>,
  work: () => Promise<boolean>,
): Promise<boolean> {
  try {
    return await work()
  } catch (error) {
    if (classifyDatabaseError(error) instanceof DatabaseAway) throw error
    app.log.error({ err: error, object_id: row.id }, `following a ${mover.noun} failed; it is tried again later`)
    const postponed = mover.setFollowAt(row, new Date(app.clock.nowMs() + AFTER_ERROR_MS))
    await app.db.query(postponed.statement, postponed.values)
    return false
  }
}
