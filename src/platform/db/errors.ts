import { DatabaseError } from 'pg'
import { CannotStart } from '../processes/cannot-start.ts'
import { TooBusy } from '../refusal.ts'

/** The database could not be reached, or answered that it cannot serve now: answered with 503; the same request is safe to repeat. */
export class DatabaseAway extends Error {
  constructor(cause: unknown) {
    super(`the database is away: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
  }
}

/**
 * The connection was lost during COMMIT, so it is unknown whether the transaction committed. Look its result up by key; never simply run
 * it again.
 */
export class CommitUnknown extends Error {
  constructor(cause: unknown) {
    super('the connection was lost during COMMIT; the outcome is unknown', { cause })
  }
}

/** A rule of our own rolled the transaction back. Nothing was written, and a later try may succeed. */
export class TryLater extends Error {}

/** What is said of a server that takes no writes. */
export const TAKES_NO_WRITES =
  'it takes no writes: it is a standby, which has to be promoted, or a restored backup, which "gateway restore open" opens'

const LOCK_NOT_AVAILABLE = '55P03'
const RETRYABLE = new Set(['40001', '40P01', LOCK_NOT_AVAILABLE])
// Classes of connection and resource errors, server shutting down or starting, read-only after a failover, statement cancelled.
const AWAY = /^(08|53|57P0|58|XX000)|^(57014|25006|25P03)$/

/** The SQLSTATE of an error; null when it did not come from the server. */
export function sqlState(error: unknown): string | null {
  return error instanceof DatabaseError ? (error.code ?? null) : null
}

/**
 * Whether the whole transaction may run again, if it had no effect outside the database: serialization failure, deadlock or lock time-out.
 */
export function isRetryable(error: unknown): boolean {
  const state = sqlState(error)
  return state !== null && RETRYABLE.has(state)
}

/**
 * Whether the same work may succeed a little later: the database is away or did not say whether it committed, a row was locked for too
 * long, a month was closed in the meantime, or a batch had too much to do. Any other error is a mistake, for which waiting does not help.
 */
export function isTemporary(error: unknown): boolean {
  if (error instanceof CommitUnknown || error instanceof TryLater || error instanceof TooBusy) return true
  return isRetryable(error) || classifyDatabaseError(error) instanceof DatabaseAway
}

/** Whether another transaction held a row for longer than this work may wait. */
export const isLockTimeout = (error: unknown) => sqlState(error) === LOCK_NOT_AVAILABLE

/** Turns errors of the driver and of an unavailable server into DatabaseAway; leaves our own mistakes as they are. */
export function classifyDatabaseError(error: unknown): unknown {
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
    /Connection terminated|timeout exceeded when trying to connect|timeout expired|not queryable|Client was closed|Cannot use a pool/.test(
      error.message,
    )
  )
}

// What Node calls a certificate of the server that it does not believe.
const NOT_TRUSTED = /^(SELF_SIGNED|DEPTH_ZERO|UNABLE_TO|CERT_|INVALID_CA)/
const WRONG_NAME = 'ERR_TLS_CERT_ALTNAME_INVALID'
const WITHOUT_TLS = 'The server does not support SSL connections'
// No such login, a wrong password, or no line of pg_hba.conf for it.
const REFUSES_LOGIN = /^28/

/** Says in a sentence why a server, or its certificate, refused a connection where somebody has to change something. Other errors stay as they are. */
export function explainRefusal(error: unknown, { host, port }: { host: string; port: number }): unknown {
  const sentence = error instanceof Error ? describeRefusal(error, `the database server ${host}:${port}`) : null
  return sentence === null ? error : new CannotStart(sentence, { cause: error })
}

function describeRefusal(error: Error, server: string): string | null {
  const code = (error as NodeJS.ErrnoException).code ?? ''
  if (REFUSES_LOGIN.test(sqlState(error) ?? '')) return `${server} refuses this login: ${error.message}`
  if (code === WRONG_NAME)
    return `${server} shows a certificate for another name: ${error.message}. The address, and pg_dist_node of a cluster, must call it by a name in its certificate`
  if (NOT_TRUSTED.test(code))
    return `the certificate of ${server} is not trusted: ${error.message}. Where an authority of your own has signed it, add sslrootcert=FILE to the address, with the certificate of that authority`
  if (error.message === WITHOUT_TLS) return `${server} has no TLS, and sslmode of the address asks for it (ssl = on)`
  return null
}
