import { DatabaseError } from 'pg'
import { inSources } from './source-lines.ts'

const PHONE = /(?<![\w.])\+?(?:256|0)\d{9}(?!\w)|(?<![\w.])7\d{8}(?!\w)/g
const SECRET = /\b(?:sk|pk)_(?:test|live)_(?:col_)?\w+|\b(?:whsec|dsec)_[\w+/=]+/g
const DEEPEST = 4 // Causes of causes; what is wrapped deeper says nothing new.
const LONGEST = 2000

/** An error as the log shows it. */
type Logged = {
  type: string
  message: string
  code?: string
  /** Where in the schema a statement failed; never the values. */
  constraint?: string
  table?: string
  column?: string
  stack?: string
  cause?: Logged
}

/**
 * Converts an error for the log. Of an error of the database it takes only what names a place in the schema: detail, context and query
 * would print whole rows with phones. Phones and secrets are removed from every text.
 */
export function loggedError(thrown: unknown, depth = 0): Logged {
  if (!(thrown instanceof Error)) return { type: typeof thrown, message: withoutSecrets(String(thrown)) }
  const { code } = thrown as NodeJS.ErrnoException
  const { constraint, table, column } = thrown instanceof DatabaseError ? thrown : {}
  const cause =
    depth < DEEPEST && thrown.cause !== undefined ? loggedError(thrown.cause, depth + 1) : undefined
  return {
    type: thrown.name === 'error' ? 'DatabaseError' : (thrown.constructor?.name ?? thrown.name),
    message: said(thrown),
    ...(typeof code === 'string' ? { code } : {}),
    ...(constraint === undefined ? {} : { constraint }),
    ...(table === undefined ? {} : { table }),
    ...(column === undefined ? {} : { column }),
    ...(thrown.stack === undefined
      ? {}
      : { stack: withoutSecrets(inSources(thrown.stack.replace(thrown.message, said(thrown)))) }),
    ...(cause === undefined ? {} : { cause }),
  }
}

/** The message without secrets; without the quoted value too, where the database could not read a value (class 22). */
function said(error: Error): string {
  const quotes = [error, error.cause].some(
    (cause) => cause instanceof DatabaseError && cause.code?.startsWith('22'),
  )
  return withoutSecrets(quotes ? error.message.replace(/".*"/s, '"..."') : error.message)
}

/** Removes phones (their ends stay) and keys from a text, and cuts it to the length of a log line. */
const withoutSecrets = (text: string): string =>
  text
    .slice(0, LONGEST)
    .replace(SECRET, (found) => `${found.slice(0, found.indexOf('_') + 1)}...`)
    .replace(PHONE, (found) => `${found.slice(0, 4)}*****${found.slice(-3)}`)
