import { MAX_RETRY_DELAY_S } from '../../merchants/webhooks/delivery.ts'
import { readServerAddress, WrongAddress } from '../../platform/db/servers/server-address.ts'

/** The settings cannot be used, with sentences that a person can act on. All wrong values are named at once, and the start stops. */
export class WrongSettings extends Error {}

/**
 * One setting of the program: its name, default, reason and reader. The table in docs/operating.md is checked against this
 * list.
 */
export type SettingSpec<T> = { name: string; byDefault: string; reason: string; read(text: string): T }

export const setting = <T>(
  name: string,
  byDefault: string,
  reason: string,
  read: (text: string) => T,
): SettingSpec<T> => ({
  name,
  byDefault,
  reason,
  read,
})

export const LARGEST_INTEGER = Number.MAX_SAFE_INTEGER
// Nine thousand of the largest amount fit into a balance. It is far more than an operator moves at once.
export const LARGEST_AMOUNT = 10 ** 12

export const wholeNumber = (low: number, high: number) => (text: string) => {
  const value = Number(text)
  if (!/^[0-9]+$/.test(text) || value < low || value > high)
    throw new WrongSettings(`must be a whole number from ${low} to ${high}`)
  return value
}
export const oneOf =
  <const T extends string>(...choices: T[]) =>
  (text: string): T => {
    const known = choices.find((choice) => choice === text)
    if (known === undefined) throw new WrongSettings(`must be one of ${choices.join(', ')}`)
    return known
  }
export const anyText = (text: string) => text
export const optional = (text: string) => (text === '' ? null : text)
export const url = (text: string) => {
  if (text === '') return null
  if (!/^https?:\/\/[^/?#]+$/.test(text.replace(/\/+$/, '')) || !URL.canParse(text))
    throw new WrongSettings('must be an http or https address without a path')
  return text.replace(/\/+$/, '')
}
/** An http or https address with any path; its credentials stand in the path or query, never before the host. */
export const address = (text: string) => {
  if (text === '') return null
  const read = URL.canParse(text) ? new URL(text) : null
  if (read === null || !['http:', 'https:'].includes(read.protocol) || read.username || read.password)
    throw new WrongSettings('must be an http or https address without a user name')
  return read.href
}
/** E-mail addresses with commas between. */
export const addresses = (text: string) => {
  const list = text.split(',').flatMap((part) => part.trim() || [])
  if (list.some((part) => !/^[^<>@\s,]+@[^<>@\s,]+$/.test(part)))
    throw new WrongSettings('must be e-mail addresses with commas between')
  return list
}
/** A mail server: smtp or smtps, with its user and password in the address. */
export const mailUrl = (text: string) => {
  if (text === '') return null
  if (!/^smtps?:\/\/[^/?#]+\/?$/.test(text) || !URL.canParse(text))
    throw new WrongSettings('must be smtp://host:port or smtps://host:port, with user:password@ before the host')
  return text
}
export const mailFrom = (text: string) => {
  if (!/^(?:[^<>@\r\n]+ <[^<>@\s]+@[^<>@\s]+>|[^<>@\s]+@[^<>@\s]+)$/.test(text))
    throw new WrongSettings('must be an address, or a name and an address in angle brackets')
  return text
}
export const databaseUrl = (text: string) => {
  if (text === '') return null
  if (!/^postgres(ql)?:\/\//.test(text)) throw new WrongSettings('must start with postgres:// or postgresql://')
  try {
    readServerAddress(text)
  } catch (error) {
    if (!(error instanceof WrongAddress)) throw error
    throw new WrongSettings(error.message)
  }
  return text
}
export const masterKey = (text: string) => {
  if (text === '') return null
  const key = Buffer.from(text, 'base64')
  if (key.length !== 32 || !/^[A-Za-z0-9+/]+={0,2}$/.test(text))
    throw new WrongSettings('must be base64 of 32 bytes (make one with: openssl rand -base64 32)')
  return key
}
export const masterKeys = (text: string) =>
  text.split(',').flatMap((part) => {
    const key = masterKey(part.trim())
    return key === null ? [] : [key]
  })
export const retryDelays = (text: string) => {
  const delays = text.split(',').map((part) => Number(part.trim()))
  if (delays.length !== 8 || delays.some((delay) => !(delay >= 0 && delay <= MAX_RETRY_DELAY_S)))
    throw new WrongSettings(`must be eight numbers of seconds (0 to ${MAX_RETRY_DELAY_S}) with commas between`)
  return delays
}
export const hostPorts = (text: string) => {
  const entries = text === '' ? [] : text.split(',').map((part) => part.trim())
  if (entries.some((entry) => !/^[^\s:]+:[0-9]{1,5}$|^\[[0-9a-f:]+\]:[0-9]{1,5}$/i.test(entry)))
    throw new WrongSettings('must be host:port entries with commas between')
  return entries
}
export const perMinute = wholeNumber(0, 1_000_000)

// Headers that the transport uses, or that every delivery has already.
const TAKEN_HEADERS =
  /^(?:host|connection|content-.*|transfer-encoding|te|trailer|upgrade|expect|keep-alive|user-agent|authorization|cookie|proxy-.*|webhook-.*|x-service-signature)$/i
/** The name of a header that we may add to what we send. */
export const headerName = (text: string) => {
  if (text !== '' && (!/^[A-Za-z][A-Za-z0-9-]{0,63}$/.test(text) || TAKEN_HEADERS.test(text)))
    throw new WrongSettings('must be a header name of letters, digits and -, not one that is sent already')
  return optional(text)
}
