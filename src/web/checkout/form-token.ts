import { createHmac } from 'node:crypto'
import type { Vault } from '../../platform/secrets.ts'
import { randomText } from '../../platform/text/ids.ts'

const TOKEN_ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789'
const TOKEN_CHARACTERS = 20
const TOKEN_PATTERN = new RegExp(`^[a-z0-9]{${TOKEN_CHARACTERS}}(?:-(0|[1-9][0-9]{0,15}))?$`)
const ID_CHARACTERS = 16

/** Makes the token of a new form: random text and the amount that the form shows as paid by a gift card (0 without one). */
export const newPayFormToken = (cardAmount: number) => `${randomText(TOKEN_ALPHABET, TOKEN_CHARACTERS)}-${cardAmount}`

/** Reads from the token which amount its form showed as paid by a gift card (whole UGX); null if the token holds none. */
export function parseShownCardAmount(token: string): number | null {
  const amount = TOKEN_PATTERN.exec(token)?.[1]
  return amount === undefined ? null : Number(amount)
}

/**
 * Computes the charge id of a form from its token, so that a form sent twice, or to two processes, makes one charge. Only
 * this gateway can compute it. Returns null for an invalid token: that form gets a new id each time.
 */
export function deriveChargeId(
  vault: Vault,
  { tag, linkId, token }: { tag: string; linkId: string; token: string },
): string | null {
  if (!TOKEN_PATTERN.test(token)) return null
  const digest = createHmac('sha256', vault.derive('checkout form tokens')).update(`${linkId} ${token}`).digest()
  return `txn_${tag}${encodeDigest(digest)}`
}

// The digest has 256 bits and the alphabet 36 letters, so the sixteen characters are practically uniform.
function encodeDigest(digest: Buffer): string {
  let number = BigInt(`0x${digest.toString('hex')}`)
  let text = ''
  for (let at = 0; at < ID_CHARACTERS; at += 1) {
    text += TOKEN_ALPHABET[Number(number % 36n)]
    number /= 36n
  }
  return text
}

// Programs that fetch an address to show what is behind it, when somebody writes it into a message, or to look for harm. A Cubot is a phone.
const LINK_READERS =
  /(?<!cu)bot|crawl|spider|preview|whatsapp|facebookexternalhit|telegram|slack|skype|safelinks|scan|curl|wget|python|go-http|java\//i

/**
 * Whether a person who does not come from our own pages has opened this one in a browser. A merchant comes from the dashboard. Browsers say
 * that they open a page; of those that do not say it, only what names no language or is known to read links counts as a program.
 */
export function isOpenedByCustomer(headers: Readonly<Record<string, string | string[] | undefined>>): boolean {
  if (headers['sec-fetch-site'] === 'same-origin') return false
  if (LINK_READERS.test(String(headers['user-agent'] ?? ''))) return false
  const opens = headers['sec-fetch-dest']
  return opens === undefined ? headers['accept-language'] !== undefined : opens === 'document'
}

/**
 * Whether a form came from our own page, by Sec-Fetch-Site or else by Origin. A form with neither header (an old phone)
 * passes, because these pages have no sign-in that another site could misuse (contract.md G43, reliability.md A65).
 */
export function isFromOwnPage(
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
