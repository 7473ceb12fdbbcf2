import { newTag } from '../platform/ids.ts'
import { invalidRequest } from '../platform/refusal.ts'

const FORM = /^[a-z0-9-]{3,30}$/
const LONGEST_MADE = 24

// Handles stand in addresses of ours, in front of people who pay: none may look like an operator, a bank of the state, or us.
const BRANDS = ['mtn', 'airtel', 'momo', 'mobilemoney', 'bankofuganda', 'ugandarevenue']
/** As a part of a handle, too: they read as pages of ours. */
const PARTS = new Set([
  ...['admin', 'administrator', 'console', 'dashboard', 'login', 'logout', 'official'],
  ...['password', 'signin', 'signup', 'ura', 'webhook', 'www'],
])
/** As a whole: names of businesses have them among other words. */
const WHOLE = new Set([
  ...[
    'account',
    'api',
    'customercare',
    'gateway',
    'help',
    'pay',
    'payment',
    'payments',
    'refund',
    'root',
    'security',
  ],
  ...['status', 'support', 'verify'],
])

/**
 * Whether a handle is one that nobody may have: a reserved word as a whole, as a part between dashes, or written with dashes in between;
 * the name of an operator also with more before or behind it. `xn--` begins an encoded name in another script, whatever it shows.
 */
export const isReserved = (handle: string): boolean =>
  handle.startsWith('xn--') ||
  WHOLE.has(withoutDashes(handle)) ||
  [handle, withoutDashes(handle)].some(hasReserved)

const withoutDashes = (handle: string) => handle.replaceAll('-', '')

const hasReserved = (handle: string): boolean =>
  handle
    .split('-')
    .some((part) => PARTS.has(part) || BRANDS.some((brand) => part.startsWith(brand) || part.endsWith(brand)))

/** Refuses a handle that somebody wants. Throws 400. */
export function judgeHandle(handle: string): void {
  if (!FORM.test(handle)) throw invalidRequest('handle must be 3 to 30 characters of a-z, 0-9 and -')
  if (isReserved(handle))
    throw invalidRequest(
      'handle must be no reserved word and have none in it, such as the name of an operator: choose the name of your business',
    )
}

/** A handle from the name of a business: its words without reserved ones, cut after a word. `attempt`: from the second on with a tag. */
export function handleFor(name: string, attempt: number): string {
  const words = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '' && !hasReserved(word))
  const slug = firstOf(words)
  if (slug === '' || isReserved(slug)) return `shop-${newTag()}`
  return attempt === 1 && slug.length >= 3 ? slug : `${slug}-${newTag()}`
}

/** As many words as fit; a first one that is too long is cut. */
function firstOf([first = '', ...more]: readonly string[]): string {
  let made = first.slice(0, LONGEST_MADE)
  for (const word of more) {
    if (made.length + 1 + word.length > LONGEST_MADE) break
    made = `${made}-${word}`
  }
  return made
}
