import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { assert } from '../platform/assert.ts'

const SOURCE = new URL('../../../src/checkout/assets/checkout.css', import.meta.url)

/** The one stylesheet of the hosted pages. It is inlined: on a bad network a second request is a second wait. */
export const CHECKOUT_CSS = minify(readFileSync(fileURLToPath(SOURCE), 'utf8'))

/** What `style-src` of these pages must allow beside 'self'. */
export const CHECKOUT_CSS_HASH = `'sha256-${createHash('sha256').update(CHECKOUT_CSS).digest('base64')}'`

/** Simple on purpose: the file has no strings and no comments inside values. */
function minify(css: string): string {
  const text = css
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/\s+/g, ' ')
    .replace(/ ?([{};,]) ?/g, '$1')
    .replace(/: /g, ':')
    .replaceAll(';}', '}')
    .replace(/\b0\.(?=\d)/g, '.')
    .trim()
  // The renderer escapes these, and then the page's style would no longer be the one that the policy allows.
  assert(!/[<&"]/.test(text), 'checkout.css has a character that escaping changes')
  return text
}
