import type pg from 'pg'
import { CannotStart } from '../processes/cannot-start.ts'
import { sqlState } from './errors.ts'

/** `say` prints for which process a migration waits; `waitsMs`: the longest wait. */
export type WaitOptions = { say?: (line: string) => void; waitsMs?: number }

// Only a process that changes the schema takes it: processes that start at the same time wait for the first, then find nothing to do.
const MIGRATION_LOCK = 7_310_553_001
const MAX_WAIT_MS = 60_000
const LOCK_NOT_AVAILABLE = '55P03'

/** Takes the lock of migrations for this connection: waits for another process that migrates, and says so. Throws CannotStart. */
export async function takeMigrationLock(client: pg.Client, { say, waitsMs = MAX_WAIT_MS }: WaitOptions): Promise<void> {
  const { rows } = await client.query<{ taken: boolean }>(`select pg_try_advisory_lock(${MIGRATION_LOCK}) as taken`)
  if (rows[0]?.taken) return
  const by = (await findLockHolder(client)) ?? 'another process'
  say?.(`${by} is migrating the schema: waiting for up to ${waitsMs / 1000} seconds`)
  await client.query(`set lock_timeout = ${waitsMs}`)
  await client.query(`select pg_advisory_lock(${MIGRATION_LOCK})`).catch((error) => {
    if (sqlState(error) !== LOCK_NOT_AVAILABLE) throw error
    throw new CannotStart(
      `after ${waitsMs / 1000} seconds ${by} still holds the lock of migrations: see what it does (pg_stat_activity), and try again when it has ended. Nothing was changed`,
    )
  })
  await client.query('reset lock_timeout')
}

/** Names the connection that holds the lock of migrations, in words; null when it is free. */
export async function findLockHolder(client: pg.Client): Promise<string | null> {
  const { rows } = await client.query<{ pid: number; user: string }>(
    `select a.pid, a.usename as user from pg_locks l join pg_stat_activity a using (pid)
     where l.locktype = 'advisory' and l.granted and l.database = (select oid from pg_database where datname = current_database())
       and l.classid::bigint << 32 | l.objid::bigint = ${MIGRATION_LOCK} limit 1`,
  )
  const [holder] = rows
  return holder === undefined ? null : `the connection of ${holder.user} with process id ${holder.pid}`
}
