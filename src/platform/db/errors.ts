import { DatabaseError } from 'pg'

/** The database could not be reached, or answered that it cannot serve now: 503, the same request is safe to repeat. */
export class DatabaseAway extends Error {
  constructor(cause: unknown) {
    super(`the database is away: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
  }
}

/** The connection was lost while COMMIT was on its way: nobody knows. Look the fact up by its key, never run it again blindly. */
export class CommitUnknown extends Error {
  constructor(cause: unknown) {
    super('the connection was lost during COMMIT; the outcome is unknown', { cause })
  }
}

const RETRYABLE = new Set(['40001', '40P01', '55P03'])
// Connection and resource classes, server shutting down or starting, read-only after a failover, statement cancelled.
const AWAY = /^(08|53|57P0|58|XX000)|^(57014|25006|25P03)$/

/** SQLSTATE of an error, or null when it did not come from the server. */
export function sqlState(error: unknown): string | null {
  return error instanceof DatabaseError ? (error.code ?? null) : null
}

/** Serialization failure, deadlock or lock time-out: the whole transaction may run again, when nothing left the process. */
export function isRetryable(error: unknown): boolean {
  const state = sqlState(error)
  return state !== null && RETRYABLE.has(state)
}

/** Turns errors of the driver and of an unwell server into DatabaseAway; leaves our own mistakes as they are. */
export function classify(error: unknown): unknown {
  if (error instanceof DatabaseAway || error instanceof CommitUnknown) return error
  const state = sqlState(error)
  if (state !== null) return AWAY.test(state) ? new DatabaseAway(error) : error
  return isConnectionTrouble(error) ? new DatabaseAway(error) : error
}

function isConnectionTrouble(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = (error as NodeJS.ErrnoException).code ?? ''
  return (
    /^(ECONN|EPIPE|ENOENT|EACCES|EAI_|ENOTFOUND|ETIMEDOUT|EHOST|ENET)/.test(code) ||
    /Connection terminated|timeout exceeded when trying to connect|not queryable|Client was closed|Cannot use a pool/.test(
      error.message,
    )
  )
}
