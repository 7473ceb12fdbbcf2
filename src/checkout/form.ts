import { createHmac } from 'node:crypto'
import { randomText } from '../platform/ids.ts'
import type { Vault } from '../platform/secrets.ts'

/** The fields of a form by name, as text; a field sent twice counts once. */
export type Fields = Readonly<Record<string, string>>

const TOKEN_ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789'
const TOKEN_CHARACTERS = 20
const TOKEN = new RegExp(`^[a-z0-9]{${TOKEN_CHARACTERS}}(?:-(0|[1-9][0-9]{0,15}))?$`)
const ID_CHARACTERS = 16

/** Reads what a browser posts from a form without files. Anything else has no fields. */
export function readFields(body: unknown): Fields {
  const fields: Record<string, string> = Object.create(null)
  if (!Buffer.isBuffer(body)) return fields
  for (const [name, value] of new URLSearchParams(body.toString('utf8'))) fields[name] ??= value.trim()
  return fields
}

/** The token of a new form. It says beside chance what this form shows a gift card to pay, 0 where there is none. */
export const newFormToken = (shown: number) => `${randomText(TOKEN_ALPHABET, TOKEN_CHARACTERS)}-${shown}`

/** What the form with this token showed a gift card to pay; null where it does not say. */
export function shownBy(token: string): number | null {
  const shown = TOKEN.exec(token)?.[1]
  return shown === undefined ? null : Number(shown)
}

/**
 * The charge that a form with this token makes, however often and at how many servers it arrives: nobody but this gateway can
 * say which id that is. A form without a token of ours makes a new one each time.
 */
export function chargeIdOfForm(
  vault: Vault,
  { tag, linkId, token }: { tag: string; linkId: string; token: string },
): string | null {
  if (!TOKEN.test(token)) return null
  const digest = createHmac('sha256', vault.derive('checkout form tokens'))
    .update(`${linkId} ${token}`)
    .digest()
  return `txn_${tag}${lettersOf(digest)}`
}

// 256 bits over 36 letters: each of the sixteen is as good as drawn.
function lettersOf(digest: Buffer): string {
  let number = BigInt(`0x${digest.toString('hex')}`)
  let text = ''
  for (let at = 0; at < ID_CHARACTERS; at += 1) {
    text += TOKEN_ALPHABET[Number(number % 36n)]
    number /= 36n
  }
  return text
}

/**
 * Whether a form came from our own page: what a modern browser says of itself, else the site it names. One that says nothing
 * (an old phone) is let through: no login stands behind these forms (contract.md G43, reliability.md A65).
 */
export function cameFromHere(
  headers: {
    'sec-fetch-site'?: string | string[] | undefined
    origin?: string | undefined
    host?: string | undefined
  },
  baseUrl: string,
): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site === 'same-origin' || site === 'none'
  if (headers.origin === undefined) return true
  if (!URL.canParse(headers.origin)) return false
  const { host } = new URL(headers.origin)
  return host === headers.host || host === new URL(baseUrl).host
}
