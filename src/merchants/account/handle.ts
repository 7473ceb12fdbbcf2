import { invalidRequest } from '../../platform/refusal.ts'
import { newTag } from '../../platform/text/ids.ts'

const HANDLE_FORM = /^[a-z0-9-]{3,30}$/
const MAX_MADE_CHARACTERS = 24

// Handles stand in our addresses, where people pay: none may look like a mobile-money company, a state bank, or us.
const BRANDS = ['mtn', 'airtel', 'momo', 'mobilemoney', 'bankofuganda', 'ugandarevenue']
/** Reserved also as one part between dashes, because they read like pages of ours. */
const RESERVED_PARTS = new Set([
  ...['admin', 'administrator', 'console', 'dashboard', 'login', 'logout', 'official'],
  ...['password', 'signin', 'signup', 'ura', 'webhook', 'www'],
])
/** Reserved only as a whole handle, because names of businesses contain them among other words. */
const RESERVED_HANDLES = new Set([
  ...['account', 'api', 'customercare', 'gateway', 'help', 'pay', 'payment', 'payments', 'refund', 'root', 'security'],
  ...['status', 'support', 'verify'],
])

/**
 * Whether no merchant may have this handle: it is a reserved word, has one as a part between dashes, or is one written with dashes in
 * between. Names of mobile-money companies also count with more before or behind them. `xn--` begins an encoded name in another script.
 */
export const isReserved = (handle: string): boolean =>
  handle.startsWith('xn--') ||
  RESERVED_HANDLES.has(withoutDashes(handle)) ||
  [handle, withoutDashes(handle)].some(hasReservedPart)

const withoutDashes = (handle: string) => handle.replaceAll('-', '')

const hasReservedPart = (handle: string): boolean =>
  handle
    .split('-')
    .some((part) => RESERVED_PARTS.has(part) || BRANDS.some((brand) => part.startsWith(brand) || part.endsWith(brand)))

/** Refuses a handle of a wrong form, or a reserved one. Throws 400. */
export function judgeHandle(handle: string): void {
  if (!HANDLE_FORM.test(handle)) throw invalidRequest('handle must be 3 to 30 characters of a-z, 0-9 and -', 'handle')
  if (isReserved(handle))
    throw invalidRequest(
      'handle must be no reserved word and have none in it, such as the name of an operator: choose the name of your business',
      'handle',
    )
}

/** Makes a handle from the name of a business: its words without reserved ones, cut after a word. From the second `attempt` on it ends with a tag. */
export function makeHandle(name: string, attempt: number): string {
  const words = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '' && !hasReservedPart(word))
  const slug = joinWords(words)
  if (slug === '' || isReserved(slug)) return `shop-${newTag()}`
  return attempt === 1 && slug.length >= 3 ? slug : `${slug}-${newTag()}`
}

/** Joins as many words as fit; a first word that is too long is cut. */
function joinWords([first = '', ...more]: readonly string[]): string {
  let slug = first.slice(0, MAX_MADE_CHARACTERS)
  for (const word of more) {
    if (slug.length + 1 + word.length > MAX_MADE_CHARACTERS) break
    slug = `${slug}-${word}`
  }
  return slug
}
