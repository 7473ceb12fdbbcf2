import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { assert } from '../platform/assert.ts'
import { ROOT } from '../platform/root.ts'

/** The stylesheet of the hosted pages. It is inlined to save a request on bad networks. */
export const CHECKOUT_CSS = readStyle('checkout.css')

/** What `style-src` of these pages must allow beside 'self'. */
export const CHECKOUT_CSS_HASH = hashOf(CHECKOUT_CSS)

/** The same for machine screens, which have old browsers and are read from two metres. */
export const DISPLAY_CSS = readStyle('display.css')
export const DISPLAY_CSS_HASH = hashOf(DISPLAY_CSS)

function readStyle(name: string): string {
  const text = minify(readFileSync(join(ROOT, 'src', 'checkout', 'assets', name), 'utf8'))
  // The renderer escapes these, and then the page's style would no longer be the one that the policy allows.
  assert(!/[<&"]/.test(text), `${name} has a character that escaping changes`)
  return text
}

function hashOf(css: string): string {
  return `'sha256-${createHash('sha256').update(css).digest('base64')}'`
}

/** Simple, because the files have no strings and no comments inside values. */
function minify(css: string): string {
  return css
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/\s+/g, ' ')
    .replace(/ ?([{};,]) ?/g, '$1')
    .replace(/: /g, ':')
    .replaceAll(';}', '}')
    .replace(/\b0\.(?=\d)/g, '.')
    .trim()
}
