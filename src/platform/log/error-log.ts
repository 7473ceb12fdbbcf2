import { DatabaseError } from 'pg'
import { mapToSources } from '../processes/source-lines.ts'

const PHONE = /(?<![\w.])\+?(?:256|0)\d{9}(?!\w)|(?<![\w.])7\d{8}(?!\w)/g
const SECRET = /\b(?:sk|pk)_(?:test|live)_(?:col_)?\w+|\b(?:whsec|dsec)_[\w+/=]+/g
const MAX_CAUSES = 4 // Causes of causes; what is wrapped deeper says nothing new.
const MAX_LOGGED_CHARACTERS = 2000

/** An error as the log shows it. */
type LoggedError = {
  type: string
  message: string
  code?: string
  /** Where in the schema a statement failed; never the values. */
  constraint?: string
  table?: string
  column?: string
  stack?: string
  cause?: LoggedError
}

/**
 * Converts an error for the log. Of an error of the database it takes only what names a place in the schema: detail, context and query
 * would print whole rows with phones. Phones and secrets are removed from every text.
 */
export function toLoggedError(thrown: unknown, depth = 0): LoggedError {
  if (!(thrown instanceof Error)) return { type: typeof thrown, message: withoutSecrets(String(thrown)) }
  const { code } = thrown as NodeJS.ErrnoException
  const { constraint, table, column } = thrown instanceof DatabaseError ? thrown : {}
  const cause = depth < MAX_CAUSES && thrown.cause !== undefined ? toLoggedError(thrown.cause, depth + 1) : undefined
  return {
    type: thrown.name === 'error' ? 'DatabaseError' : (thrown.constructor?.name ?? thrown.name),
    message: safeMessage(thrown),
    ...(typeof code === 'string' ? { code } : {}),
    ...(constraint === undefined ? {} : { constraint }),
    ...(table === undefined ? {} : { table }),
    ...(column === undefined ? {} : { column }),
    ...(thrown.stack === undefined
      ? {}
      : { stack: withoutSecrets(mapToSources(thrown.stack.replace(thrown.message, safeMessage(thrown)))) }),
    ...(cause === undefined ? {} : { cause }),
  }
}

/** The message without secrets; without the quoted value too, where the database could not read a value (class 22). */
function safeMessage(error: Error): string {
  const quotes = [error, error.cause].some((cause) => cause instanceof DatabaseError && cause.code?.startsWith('22'))
  return withoutSecrets(quotes ? error.message.replace(/".*"/s, '"..."') : error.message)
}

/** Removes phones (their ends stay) and keys from a text, and cuts it to the length of a log line. */
const withoutSecrets = (text: string): string =>
  text
    .slice(0, MAX_LOGGED_CHARACTERS)
    .replace(SECRET, (found) => `${found.slice(0, found.indexOf('_') + 1)}...`)
    .replace(PHONE, (found) => `${found.slice(0, 4)}*****${found.slice(-3)}`)
