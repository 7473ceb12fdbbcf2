import { assert } from '../../platform/assert.ts'
import { FIRST_STYLES, readStyle, styleHash } from '../parts/stylesheet.ts'

/** The stylesheet of the hosted pages, inlined to save a request on bad networks. */
export const CHECKOUT_CSS = readInlineStyle([
  ...FIRST_STYLES,
  ...ownStylePaths('page', 'form', 'progress', 'storefront', 'wide-and-print'),
])

/** The source that `style-src` of these pages must allow beside 'self'. */
export const CHECKOUT_CSS_HASH = styleHash(CHECKOUT_CSS)

/** The stylesheet of machine screens, which have old browsers and are read from two metres. */
export const DISPLAY_CSS = readInlineStyle(ownStylePaths('display-screen', 'display-news', 'display-sizes'))
export const DISPLAY_CSS_HASH = styleHash(DISPLAY_CSS)

function readInlineStyle(paths: readonly string[]): string {
  const text = readStyle(...paths)
  // The renderer escapes these characters; the page's style would then no longer match the hash in the policy.
  assert(!/[<&"]/.test(text), `${paths} have a character that escaping changes`)
  return text
}

function ownStylePaths(...names: string[]): string[] {
  return names.map((name) => `src/web/checkout/assets/${name}.css`)
}
