import { createHmac } from 'node:crypto'
import { randomText } from '../platform/ids.ts'
import type { Vault } from '../platform/secrets.ts'

const TOKEN_ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789'
const TOKEN_CHARACTERS = 20
const TOKEN = new RegExp(`^[a-z0-9]{${TOKEN_CHARACTERS}}(?:-(0|[1-9][0-9]{0,15}))?$`)
const ID_CHARACTERS = 16

/** The token of a new form: random text, and the amount that the form shows as paid by a gift card (0 without one). */
export const newFormToken = (shown: number) => `${randomText(TOKEN_ALPHABET, TOKEN_CHARACTERS)}-${shown}`

/** The amount that the form with this token showed as paid by a gift card; null when the token has none. */
export function shownBy(token: string): number | null {
  const shown = TOKEN.exec(token)?.[1]
  return shown === undefined ? null : Number(shown)
}

/**
 * The id of the charge of a form with this token, the same however often and in whichever process it arrives. Only this
 * gateway can compute it. A form without a valid token gets a new id each time.
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

// 256 bits over an alphabet of 36: the sixteen characters are practically uniform.
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
 * Whether a form came from our own page, by Sec-Fetch-Site or else by the site that the browser names. One that names none
 * (an old phone) passes, because nobody is signed in here (contract.md G43, reliability.md A65).
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
