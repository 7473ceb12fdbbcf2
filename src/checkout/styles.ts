import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { assert } from '../platform/assert.ts'
import { ROOT } from '../platform/root.ts'

/** The stylesheet of the hosted pages, its files in the order of the cascade. It is inlined to save a request on bad networks. */
export const CHECKOUT_CSS = readStyle('page', 'form', 'progress', 'storefront', 'wide-and-print')

/** What `style-src` of these pages must allow beside 'self'. */
export const CHECKOUT_CSS_HASH = hashOf(CHECKOUT_CSS)

/** The same for machine screens, which have old browsers and are read from two metres. */
export const DISPLAY_CSS = readStyle('display-screen', 'display-news', 'display-sizes')
export const DISPLAY_CSS_HASH = hashOf(DISPLAY_CSS)

function readStyle(...names: string[]): string {
  const paths = names.map((name) => join(ROOT, 'src', 'checkout', 'assets', `${name}.css`))
  const text = minify(paths.map((path) => readFileSync(path, 'utf8')).join('\n'))
  // The renderer escapes these, and then the page's style would no longer be the one that the policy allows.
  assert(!/[<&"]/.test(text), `${names} have a character that escaping changes`)
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
